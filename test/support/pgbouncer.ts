import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { accountForNewData } from '../../src/db/embedded/account.ts';
import { runStatements } from './cluster.ts';
import { freePort } from './freePort.ts';
import { eventually } from './waiting.ts';

export interface PgBouncer {
  readonly port: number;
  /** The same database by way of the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** As Debian installs it, or as PGBOUNCER_PATH names another version. */
export function pgBouncerPath(): string | null {
  const path = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer';
  return existsSync(path) ? path : null;
}

/** From 1.21 on it can keep prepared statements. */
export function keepsStatements(path: string): boolean {
  const [, major, minor] =
    /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(major) * 100 + Number(minor) >= 121;
}

/** A PgBouncer in transaction mode in front of the server of this address, with its stock settings but for those given. */
export async function startPgBouncer(
  path: string,
  serverUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const server = new pg.Client({ connectionString: serverUrl });
  const account = accountForNewData();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-pgbouncer-'));
  const port = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 20,
    max_client_conn: 500,
    ...settings,
  };
  const password = server.password ? ` password=${server.password}` : '';
  const target = `host=${server.host} port=${server.port} user=${server.user}${password}`;
  const ini = join(folder, 'pgbouncer.ini');
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(ini, `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
  if (account) for (const owned of [folder, ini]) await chown(owned, account.uid, account.gid);
  const pooler = spawn(path, ['-q', ini], { ...account, stdio: 'ignore', cwd: folder });
  const ended = new Promise((resolve) => pooler.once('exit', resolve));
  const through = (url: string): string => pooledUrl(port, url);
  await eventually(() => runStatements(through(serverUrl), 'select'));
  return {
    port,
    through,
    async stop() {
      pooler.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The database of this address by way of the pooler on this port. */
export function pooledUrl(port: number, url: string): string {
  const database = new pg.Client({ connectionString: url }).database ?? '';
  return `postgresql://waypost@127.0.0.1:${port}/${database}?sslmode=disable`;
}
