import { readFileSync } from 'node:fs';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/db/pool.ts';
import { eventually } from '../test/support/waiting.ts';
import { registerCleanup } from './cleanup.ts';

/** A Postgres that can be crashed, with production settings: commits wait for fsync. */
export interface ChaosPostgres {
  /** Connects directly, without a proxy. */
  readonly pool: Pool;
  readonly url: string;
  readonly socket: () => NetConnectOpts;
  /** The URL through a proxy on this port. */
  urlThrough(port: number): string;
  /** Kills it as a crash would, and resolves when it is up again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

const CONNECTIONS = 12;
const MAX_CONNECTIONS = '250';
const STARTED_AT = 'select pg_postmaster_start_time() as at';
const SOCKET = '.s.PGSQL.5432';

export async function startPostgres(folder: string): Promise<ChaosPostgres> {
  const postgres = await startEmbedded({ dataDir: folder, settings: { max_connections: MAX_CONNECTIONS } });
  await migrate(postgres.url);
  const pool = openPool(postgres.url, { max: CONNECTIONS, name: 'chaos', onError: () => {} });
  const { host, user, password, database } = postgres.connection;
  return {
    pool,
    url: postgres.url,
    socket: () => ({ path: join(host, SOCKET) }),
    urlThrough: (port) =>
      `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?sslmode=disable`,
    async crash() {
      const { rows } = await pool.query<{ at: Date }>(STARTED_AT);
      process.kill(postmasterOf(folder), 'SIGQUIT');
      // The embedded Postgres restarts it.
      await eventually(async () => {
        const again = await pool.query<{ at: Date }>(STARTED_AT);
        if (again.rows[0]?.at.getTime() === rows[0]?.at.getTime()) throw new Error('it still runs');
      });
    },
    stop: registerCleanup(async () => {
      await postgres.stop();
      await pool.end();
    }),
  };
}

function postmasterOf(folder: string): number {
  const [pid = ''] = readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n');
  return Number(pid);
}
