import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import type { Servers } from './pushes.ts';
import { someIds } from './readsSql.ts';

const CLIENTS = 16;
const IDS = 2_000;

export interface RoundPlan {
  seconds: number;
  rounds: number;
}

/** One message by its id, against a bare handler with the one query. */
export async function compareViews(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  mine: BenchDatabase,
  theirs: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const paths = await viewPaths(mine);
  const barePaths = await viewPaths(theirs, '/messages');
  const get = (server: Servers['ours'], apiKey: string, some: string[]) =>
    underLoad(world, server, { clients: CLIENTS, seconds, requests: { kind: 'get', apiKey, paths: some } });
  return alternate(
    rounds,
    () => get(ours, mine.apiKey, paths),
    () => get(bare, '', barePaths),
  );
}

/** A page of 50, against a bare handler with the one query. */
export function compareLists(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  { apiKey }: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const get = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { clients: CLIENTS, seconds, requests: { kind: 'get', apiKey, paths: [path] } });
  return alternate(
    rounds,
    () => get(ours, '/api/v1/messages?limit=50'),
    () => get(bare, '/messages'),
  );
}

export async function viewPaths(
  { pool, businessId }: BenchDatabase,
  under = '/api/v1/messages',
): Promise<string[]> {
  return (await someIds(pool, businessId, IDS)).map(({ id }) => `${under}/${id}`);
}
