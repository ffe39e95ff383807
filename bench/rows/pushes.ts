import { createBusiness } from '../../src/businesses/create.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { startChild } from '../children.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';

export interface Servers {
  ours: { pid: number; port: number };
  bare: { pid: number; port: number };
}

export async function startBareServer({ url, businessId }: BenchDatabase) {
  const child = await startChild('limits/bareServer.ts', { url, businessId });
  return { pid: child.pid, port: await child.call<number>('port'), stop: child.stop };
}

/** Single pushes: ours with every rule and the stored response, against a bare handler that writes the same rows. */
export function comparePushes(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  { apiKey, recipients }: BenchDatabase,
  { clients, seconds, rounds }: { clients: number; seconds: number; rounds: number },
): Promise<Compared> {
  const push = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { clients, seconds, requests: { kind: 'push', path, apiKey, recipients } });
  return alternate(
    rounds,
    () => push(ours, '/api/v1/messages'),
    () => push(bare, '/push'),
  );
}

const SHOPS = 64;
/** Few, so that both sides soon push to people whom they know. */
const RECIPIENTS_EACH = 1_000;

/** Pushes of 64 clients with a shop each, against as many clients of one shop: a group then holds pushes of many shops. */
export async function compareManyShops(
  world: BenchEnvironment,
  server: Servers['ours'],
  { pool, apiKey }: BenchDatabase,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Compared> {
  const apiKeys: string[] = [];
  for (let number = 1; number <= SHOPS; number += 1)
    apiKeys.push(
      (await createBusiness(pool, systemClock, { name: `Shop ${number}`, credits: 1_000 })).apiKey,
    );
  const path = '/api/v1/messages';
  const load = { clients: SHOPS, seconds };
  return alternate(
    rounds,
    () =>
      underLoad(world, server, {
        ...load,
        requests: { kind: 'shops', path, apiKeys, recipients: RECIPIENTS_EACH },
      }),
    () =>
      underLoad(world, server, {
        ...load,
        requests: { kind: 'push', path, apiKey, recipients: RECIPIENTS_EACH },
      }),
  );
}
