import { type Pool, useAsCluster } from '../pool.ts';
import { loadShards } from './shards.ts';
import { describeCluster, readDistribution } from './sql.ts';
import { FIRST_DISTRIBUTED } from './tables.ts';

/**
 * Whether the database is distributed; from then on the pool sends the statements for a cluster. It is recognised rather than
 * configured, so that it cannot be configured wrongly. A database with the extension whose tables are not distributed is one Postgres.
 */
export async function recogniseCluster(pool: Pool): Promise<boolean> {
  const [cluster] = await describeCluster(pool);
  if (cluster?.version == null) return false;
  const isDistributed = (await readDistribution(pool)).some(({ table }) => table === FIRST_DISTRIBUTED.table);
  if (isDistributed) useAsCluster(pool, await loadShards(pool));
  return isDistributed;
}
