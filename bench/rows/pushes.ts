import { createBusiness } from '../../src/businesses/create.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { startChild } from '../children.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
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

const PATH = '/api/v1/messages';

export const pushLoad = (
  { apiKey, recipients }: Pick<BenchDatabase, 'apiKey' | 'recipients'>,
  clients: number,
  path = PATH,
): RowLoad => ({ clients, requests: { kind: 'push', path, apiKey, recipients } });

/** Single pushes: ours with every rule and the stored response, against a bare handler that writes the same rows. */
export function comparePushes(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  database: BenchDatabase,
  { clients, seconds, rounds }: { clients: number; seconds: number; rounds: number },
): Promise<Compared> {
  const push = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { ...pushLoad(database, clients, path), seconds });
  return alternate(
    rounds,
    () => push(ours, PATH),
    () => push(bare, '/push'),
  );
}

const SHOPS = 64;
/** Few, so that both sides soon push to people whom they know. */
const RECIPIENTS_EACH = 1_000;

/** Pushes of 64 clients with a shop each. Creates the shops. */
export async function manyShopsLoad({ pool }: BenchDatabase): Promise<RowLoad> {
  const apiKeys: string[] = [];
  for (let number = 1; number <= SHOPS; number += 1)
    apiKeys.push(
      (await createBusiness(pool, systemClock, { name: `Shop ${number}`, credits: 1_000 })).apiKey,
    );
  return { clients: SHOPS, requests: { kind: 'shops', path: PATH, apiKeys, recipients: RECIPIENTS_EACH } };
}

/** Against as many clients of one shop: a group of ours then holds pushes of many shops. */
export async function compareManyShops(
  world: BenchEnvironment,
  server: Servers['ours'],
  database: BenchDatabase,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Compared> {
  const manyShops = await manyShopsLoad(database);
  const oneShop = pushLoad({ apiKey: database.apiKey, recipients: RECIPIENTS_EACH }, SHOPS);
  return alternate(
    rounds,
    () => underLoad(world, server, { ...manyShops, seconds }),
    () => underLoad(world, server, { ...oneShop, seconds }),
  );
}
