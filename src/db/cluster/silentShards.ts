import pg, { type Pool } from 'pg';
import { directUrlOf, type Shards } from '../pool.ts';
import { closeSuspects, hasSuspects } from '../silence.ts';
import { SilentShard } from './guardShardsSql.ts';
import { FIND_SILENT_SHARDS } from './sql.ts';

/*
 * A statement for a worker that hangs waits for its time limit, and then for longer: Citus cancels it on the worker first. A few shops
 * would so occupy the connections of all. When a statement waits for long, each worker is asked on a new connection; until it answers
 * again, statements for its shards fail at once.
 */

const CHECK_EVERY_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

export function watchShards(pool: Pool, shards: Shards): void {
  const url = directUrlOf(pool);
  if (url === null) return;
  const check = async (): Promise<void> => {
    if (hasSuspects(pool) || shards.silent.size > 0) {
      const silent = await findSilentShards(url).catch(() => null);
      if (silent !== null) shards.silent = silent;
      // Nothing says which of them wait for those shards.
      if (shards.silent.size > 0) closeSuspects(pool, new SilentShard());
    }
    if (!pool.ended) setTimeout(check, CHECK_EVERY_MS).unref();
  };
  setTimeout(check, CHECK_EVERY_MS).unref();
}

async function findSilentShards(url: string): Promise<ReadonlySet<number>> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'waypost probe',
    options: `-c citus.node_connection_timeout=${CONNECT_TIMEOUT_MS}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number }>(FIND_SILENT_SHARDS);
    return new Set(rows.map(({ number }) => number));
  } finally {
    await client.end().catch(() => {});
  }
}
