import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, runFolder } from '../bench/cleanup.ts';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/db/pool.ts';
import { runStatements } from '../test/support/cluster.ts';
import { type SystemPostgres, startSystemPostgres } from '../test/support/systemPostgres.ts';
import { eventually } from '../test/support/waiting.ts';

export type ChaosPostgres = Awaited<ReturnType<typeof startEmptyPostgres>>;

const SETTINGS = { max_connections: '250' };
const STARTED_AT = 'select pg_postmaster_start_time() as at';

/** A Postgres that can be crashed, with production settings: commits wait for fsync. Without the schema. */
export async function startEmptyPostgres() {
  const folder = await runFolder();
  const postgres = await startEmbedded({ dataDir: folder, settings: SETTINGS });
  atEnd(postgres.stop);
  const pool = openChaosPool(postgres.url, 12);
  const [address = '', options] = postgres.url.split('?');
  const startedAt = async () => (await pool.query<{ at: Date }>(STARTED_AT)).rows[0]?.at.getTime();
  return {
    /** Connects directly, without a proxy. */
    pool,
    url: postgres.url,
    /** The path of its Unix socket. */
    socket: join(new URLSearchParams(options).get('host') ?? '', '.s.PGSQL.5432'),
    /** The URL through a proxy on this port. */
    urlThrough: (port: number): string => `${address.replace('@/', `@127.0.0.1:${port}/`)}?sslmode=disable`,
    /** Kills it as a crash would, and resolves when it is up again. */
    async crash(): Promise<void> {
      const before = await startedAt();
      const file = join(folder, 'postgres', 'data', 'postmaster.pid');
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGQUIT');
      // The embedded Postgres restarts it.
      await eventually(async () => {
        if ((await startedAt()) === before) throw new Error('it still runs');
      });
    },
  };
}

export async function startPostgres(): Promise<ChaosPostgres> {
  const postgres = await startEmptyPostgres();
  await migrate(postgres.url);
  return postgres;
}

/** The superuser's way in to a Postgres of the operating system, or through a proxy before one. */
export const superuserUrl = (port: number): string =>
  `postgresql://postgres@127.0.0.1:${port}/postgres?sslmode=disable`;

/** A Postgres of the operating system, which may be killed or hang. Its commits wait for fsync. */
export async function startServer(
  programs: string,
  settings: Record<string, string>,
  standbyOf?: string,
): Promise<SystemPostgres> {
  const server = await startSystemPostgres(programs, { fsync: 'on', ...settings }, standbyOf);
  atEnd(async () => {
    server.signal('SIGKILL');
    await server.stop();
  });
  return server;
}

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

/** A primary whose commits wait for its standby, which is promoted by hand. */
export async function startPostgresPair(programs: string) {
  const settings = { ...SETTINGS, hot_standby_feedback: 'on' };
  const primary = await startServer(programs, settings);
  await migrate(primary.url);
  const standby = await startServer(programs, settings, primary.url);
  const synchronous = `alter system set synchronous_standby_names = '*'`;
  await runStatements(primary.url, synchronous, 'select pg_reload_conf()');
  await eventually(async () => {
    const [row] = await runStatements(primary.url, 'select sync_state from pg_stat_replication');
    if (JSON.stringify(row) !== '{"sync_state":"sync"}') throw new Error('the standby does not follow yet');
  });
  let pool = openChaosPool(primary.url);
  return {
    /** To whichever is the primary, around the proxy; opened anew after a promotion. */
    pool: () => pool,
    primary,
    standby,
    /** Resolves when the standby accepts writes. */
    async promote(): Promise<void> {
      await runStatements(standby.url, 'select pg_promote()');
      pool = openChaosPool(standby.url);
    },
  };
}

/** It is not waited for at the end of the scenario: its Postgres may be gone, or not answer. */
export function openChaosPool(url: string, connections = 8): Pool {
  const pool = openPool(url, { max: connections, name: 'chaos', onError: () => {} });
  atEnd(() => void pool.end().catch(() => {}));
  return pool;
}
