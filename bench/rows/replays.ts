import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import { pushLoad } from './pushes.ts';
import type { RoundPlan } from './reads.ts';

const CLIENTS = 16;
const KEYS = 1_000;

/** The generator pushes with every key before it counts. */
export const replayLoad = ({ apiKey, recipients }: BenchDatabase): RowLoad => ({
  clients: CLIENTS,
  requests: { kind: 'replay', path: '/api/v1/messages', apiKey, recipients, keys: KEYS },
});

/** Replays of used keys, against new pushes: our own push is the baseline. */
export function compareReplays(
  world: BenchEnvironment,
  ours: { pid: number; port: number },
  database: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  return alternate(
    rounds,
    () => underLoad(world, ours, { ...replayLoad(database), seconds }),
    () => underLoad(world, ours, { ...pushLoad(database, CLIENTS), seconds }),
  );
}

/** Previews against pushes: the same decision without a write. */
export function comparePreviews(
  world: BenchEnvironment,
  ours: { pid: number; port: number },
  database: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  return alternate(
    rounds,
    () => underLoad(world, ours, { ...pushLoad(database, CLIENTS, '/api/v1/messages/preview'), seconds }),
    () => underLoad(world, ours, { ...pushLoad(database, CLIENTS), seconds }),
  );
}
