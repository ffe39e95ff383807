import { randomBytes } from 'node:crypto';
import { recogniseCluster } from '../../src/db/cluster/shards.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { CITUS_URL, cloneCitusDatabase, dropCitusDatabase } from './citus.ts';
import { databaseUrl, runStatements, TEMPLATE_DATABASE } from './cluster.ts';
import { clusterUrl } from './sharedResources.ts';

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
  drop(): Promise<void>;
}

const POOL_SIZE = 10;
/** Measured at 27 to 40 ms a clone; WAL_LOG took 47 to 70. */
const STRATEGY = 'FILE_COPY';

/** A database of its own with the current schema and nothing in it. */
export async function testDatabase(): Promise<TestDatabase> {
  const cluster = await clusterUrl();
  const name = `waypost_test_${randomBytes(6).toString('hex')}`;
  if (CITUS_URL) await cloneCitusDatabase(cluster, TEMPLATE_DATABASE, name);
  else
    await runStatements(
      cluster,
      `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY ${STRATEGY}`,
    );
  const url = databaseUrl(cluster, name);
  // A test may hold a lock for as long as it likes, also on a slow machine.
  const timeouts = { idleInTransactionTimeoutMs: 0 };
  const pool = openPool(url, { max: POOL_SIZE, name: 'test', onError: () => {}, ...timeouts });
  if (CITUS_URL) await recogniseCluster(pool);
  return {
    url,
    pool,
    drop: async () => {
      if (!pool.ended) await pool.end();
      if (CITUS_URL) await dropCitusDatabase(cluster, name);
      else await runStatements(cluster, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
