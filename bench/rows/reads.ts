import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
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

const getLoad = (apiKey: string, paths: string[]): RowLoad => ({
  clients: CLIENTS,
  requests: { kind: 'get', apiKey, paths },
});

export const viewLoad = async (database: BenchDatabase): Promise<RowLoad> =>
  getLoad(database.apiKey, await viewPaths(database));

export const listLoad = ({ apiKey }: BenchDatabase): RowLoad =>
  getLoad(apiKey, ['/api/v1/messages?limit=50']);

/** One message by its id, against a bare handler with the one query. */
export async function compareViews(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  mine: BenchDatabase,
  theirs: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const load = await viewLoad(mine);
  const bareLoad = getLoad('', await viewPaths(theirs, '/messages'));
  return alternate(
    rounds,
    () => underLoad(world, ours, { ...load, seconds }),
    () => underLoad(world, bare, { ...bareLoad, seconds }),
  );
}

/** A page of 50, against a bare handler with the one query. */
export function compareLists(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  database: BenchDatabase,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  return alternate(
    rounds,
    () => underLoad(world, ours, { ...listLoad(database), seconds }),
    () => underLoad(world, bare, { ...getLoad(database.apiKey, ['/messages']), seconds }),
  );
}

export async function viewPaths(
  { pool, businessId }: BenchDatabase,
  under = '/api/v1/messages',
): Promise<string[]> {
  return (await someIds(pool, businessId, IDS)).map(({ id }) => `${under}/${id}`);
}
