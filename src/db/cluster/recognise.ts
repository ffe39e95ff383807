import { type Pool, useAsCluster } from '../pool.ts';
import type { Queryable } from '../statement.ts';
import { loadShards } from './shards.ts';
import { describeCluster, readDistribution } from './sql.ts';
import { FIRST_DISTRIBUTED } from './tables.ts';

/**
 * Whether the database is distributed; from then on the pool sends the statements for a cluster. It is recognised rather than
 * configured, so that it cannot be configured wrongly.
 */
export async function recogniseCluster(pool: Pool): Promise<boolean> {
  const found = await isDistributed(pool);
  if (found) useAsCluster(pool, await loadShards(pool));
  return found;
}

/** A database with the extension whose tables are not distributed is one Postgres. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const [cluster] = await describeCluster(db);
  if (cluster?.version == null) return false;
  return (await readDistribution(db)).some(({ table }) => table === FIRST_DISTRIBUTED.table);
}
