import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import type { Database, World } from '../world.ts';
import type { Servers } from './pushes.ts';
import { someIds } from './readsSql.ts';

const CLIENTS = 16;
const IDS = 2_000;

export interface Lasting {
  seconds: number;
  rounds: number;
}

/** One message by its id, against a bare handler with the one query. */
export async function compareViews(
  world: World,
  { ours, bare }: Servers,
  mine: Database,
  theirs: Database,
  { seconds, rounds }: Lasting,
): Promise<Compared> {
  const paths = await viewPaths(mine);
  const barePaths = await viewPaths(theirs, '/messages');
  const get = (server: Servers['ours'], apiKey: string, some: string[]) =>
    underLoad(world, server, { clients: CLIENTS, seconds, asked: { kind: 'get', apiKey, paths: some } });
  return alternate(
    rounds,
    () => get(ours, mine.apiKey, paths),
    () => get(bare, '', barePaths),
  );
}

/** A page of 50, against a bare handler with the one query. */
export function compareLists(
  world: World,
  { ours, bare }: Servers,
  { apiKey }: Database,
  { seconds, rounds }: Lasting,
): Promise<Compared> {
  const get = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { clients: CLIENTS, seconds, asked: { kind: 'get', apiKey, paths: [path] } });
  return alternate(
    rounds,
    () => get(ours, '/api/v1/messages?limit=50'),
    () => get(bare, '/messages'),
  );
}

export async function viewPaths(
  { pool, businessId }: Database,
  under = '/api/v1/messages',
): Promise<string[]> {
  return (await someIds(pool, businessId, IDS)).map(({ id }) => `${under}/${id}`);
}
