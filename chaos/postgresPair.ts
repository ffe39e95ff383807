import { execFile, execFileSync, spawn } from 'node:child_process';
import { appendFile, chown, cp, mkdir, writeFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountForNewData } from '../src/db/embedded/account.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/db/pool.ts';
import { runStatements } from '../test/support/cluster.ts';
import { eventually } from '../test/support/waiting.ts';
import { registerCleanup } from './cleanup.ts';
import { processFamily, signalAll } from './processFamily.ts';

/** A primary whose commits wait for its standby, as an installation with failover has them. */
export interface ReplicatedPostgres {
  /** To whichever is the primary, around the proxy; opened anew after a promotion. */
  pool(): Pool;
  urlThrough(port: number): string;
  stop(): Promise<void>;
}

/** One whose standby is promoted by hand. */
export interface PostgresPair extends ReplicatedPostgres {
  readonly primary: NetConnectOpts;
  readonly standby: NetConnectOpts;
  /** Kills the primary and each of its backends. */
  killPrimary(): void;
  /** Stops the primary and each of its backends in the middle of what they do: their connections stay open. */
  freezePrimary(): void;
  /** Resolves when the standby accepts writes. */
  promote(): Promise<void>;
}

interface Server {
  readonly folder: string;
  readonly url: string;
  readonly socket: NetConnectOpts;
  readonly pid: () => number;
}

const USER = 'postgres';
const SOCKET = '.s.PGSQL.5432';
const CONNECTIONS = 8;
const POSTGRES = { max_connections: '250', hot_standby_feedback: 'on' };

export async function startPostgresPair(programs: string, folder: string): Promise<PostgresPair> {
  const account = accountForNewData();
  const run = (program: string, args: string[]): Promise<unknown> =>
    promisify(execFile)(join(programs, program), args, { ...account, cwd: folder });

  const start = async (name: string, settings: Record<string, string>): Promise<Server> => {
    const own = join(folder, name);
    const all = { ...POSTGRES, listen_addresses: '', unix_socket_directories: own, ...settings };
    const flags = Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
    const server = spawn(join(programs, 'postgres'), ['-D', join(own, 'data'), ...flags], {
      ...account,
      stdio: 'ignore',
      cwd: own,
    });
    const url = `postgresql://${USER}@/${USER}?host=${encodeURIComponent(own)}&sslmode=disable`;
    await eventually(() => runStatements(url, 'select'));
    return { folder: own, url, socket: { path: join(own, SOCKET) }, pid: () => server.pid ?? 0 };
  };

  for (const name of ['a', 'b']) {
    await mkdir(join(folder, name));
    if (account) await chown(join(folder, name), account.uid, account.gid);
  }
  await run('initdb', [
    '-D',
    join(folder, 'a', 'data'),
    '-U',
    USER,
    '--auth=trust',
    '--no-sync',
    '-E',
    'UTF8',
  ]);
  const alone = await start('a', {});
  await migrate(alone.url);
  await run('pg_ctl', ['-D', join(folder, 'a', 'data'), '-m', 'fast', '-w', 'stop']);
  await makeStandby(folder, account);
  const primary = await start('a', { synchronous_standby_names: '*' });
  const standby = await start('b', {});
  await eventually(async () => {
    const [row] = await runStatements(primary.url, `select sync_state from pg_stat_replication`);
    if (JSON.stringify(row) !== '{"sync_state":"sync"}') throw new Error('the standby does not follow yet');
  });

  let pool = openPool(primary.url, { max: CONNECTIONS, name: 'chaos', onError: () => {} });
  const pools = [pool];
  let frozen: number[] = [];
  return {
    pool: () => pool,
    primary: primary.socket,
    standby: standby.socket,
    urlThrough: (port) => `postgresql://${USER}@127.0.0.1:${port}/${USER}?sslmode=disable`,
    killPrimary: () => signalAll(processFamily(primary.pid()), 'SIGKILL'),
    freezePrimary() {
      frozen = processFamily(primary.pid());
      signalAll(frozen, 'SIGSTOP');
    },
    async promote() {
      await runStatements(standby.url, 'select pg_promote()');
      pool = openPool(standby.url, { max: CONNECTIONS, name: 'chaos', onError: () => {} });
      pools.push(pool);
    },
    stop: registerCleanup(async () => {
      signalAll([...frozen, ...processFamily(primary.pid()), ...processFamily(standby.pid())], 'SIGKILL');
      await Promise.all(pools.map((each) => each.end().catch(() => {})));
    }),
  };
}

async function makeStandby(folder: string, account: ReturnType<typeof accountForNewData>): Promise<void> {
  const data = join(folder, 'b', 'data');
  await cp(join(folder, 'a', 'data'), data, { recursive: true, preserveTimestamps: true });
  await writeFile(join(data, 'standby.signal'), '');
  const follows = `primary_conninfo = 'host=${join(folder, 'a')} user=${USER}'\n`;
  await appendFile(join(data, 'postgresql.auto.conf'), follows);
  if (account) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, data]);
  execFileSync('chmod', ['700', data]);
}
