import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import type { RoundPlan } from './reads.ts';

const CLIENTS = 16;
const KEYS = 1_000;

/** Replays of used keys, against new pushes: our own push is the baseline. */
export function compareReplays(
  world: BenchEnvironment,
  ours: { pid: number; port: number },
  { apiKey, recipients }: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const target = { path: '/api/v1/messages', apiKey, recipients };
  return alternate(
    rounds,
    () =>
      underLoad(world, ours, {
        clients: CLIENTS,
        seconds,
        requests: { kind: 'replay', keys: KEYS, ...target },
      }),
    () => underLoad(world, ours, { clients: CLIENTS, seconds, requests: { kind: 'push', ...target } }),
  );
}

/** Previews against pushes: the same decision without a write. */
export function comparePreviews(
  world: BenchEnvironment,
  ours: { pid: number; port: number },
  { apiKey, recipients }: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const push = (path: string) =>
    underLoad(world, ours, {
      clients: CLIENTS,
      seconds,
      requests: { kind: 'push', path, apiKey, recipients },
    });
  return alternate(
    rounds,
    () => push('/api/v1/messages/preview'),
    () => push('/api/v1/messages'),
  );
}
