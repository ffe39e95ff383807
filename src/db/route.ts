import { withClient } from './client.ts';
import { recogniseCluster } from './cluster/shards.ts';
import { processIdOf } from './driver.ts';
import { type DatabaseRoute, openPool, type Pool, type PoolOptions } from './pool.ts';
import { probeRoute } from './sql.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const PROBE_NAME = 'waypost_probe';

/** A pool on what is found at the address: one Postgres, a pooler or a cluster. `found`: sentences about what is not one Postgres. */
export async function connectPool(
  { url, directUrl }: Pick<DatabaseRoute, 'url' | 'directUrl'>,
  options: PoolOptions,
): Promise<{ pool: Pool; found: string[] }> {
  const route = await findRoute(url, directUrl);
  const pool = openPool(route, options);
  const cluster = (await recogniseCluster(pool)) ? 'database is a Citus cluster' : null;
  return { pool, found: [describeRoute(route), cluster].filter((sentence) => sentence !== null) };
}

/**
 * Finds out with one plain connection. A pooler hands out process ids of its own, so the id of the session differs from that of
 * the backend. It can keep named statements when it renames them on their way to the backend.
 */
export function findRoute(url: string, directUrl: string | null): Promise<DatabaseRoute> {
  const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS };
  return withClient({ connectionString: url, ...limits }, async (client) => {
    await client.query('begin');
    const sessionPid = processIdOf(client);
    await client.query({ name: PROBE_NAME, text: 'select 1' });
    const [found] = await probeRoute(client);
    const passesNames = found?.names.includes(PROBE_NAME) ?? true;
    if (passesNames) await client.query(`deallocate ${PROBE_NAME}`);
    await client.query('commit');
    const isDirect = found?.pid === sessionPid;
    return {
      url,
      directUrl: directUrl ?? (isDirect ? url : null),
      pooler: isDirect ? null : { namedStatements: !passesNames },
    };
  });
}

/** For people: what was found. */
export function describeRoute({ directUrl, pooler }: DatabaseRoute): string | null {
  if (pooler === null) return null;
  const names = pooler.namedStatements
    ? 'which keeps prepared statements'
    : 'which keeps no prepared statements, so every statement is planned anew';
  const waking =
    directUrl === null
      ? 'Without DATABASE_DIRECT_URL workers look for work ten times a second instead of being notified.'
      : 'Migrations and notifications use DATABASE_DIRECT_URL.';
  return `DATABASE_URL leads to a connection pooler, ${names}. ${waking}`;
}
