import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountForNewData } from '../../src/db/embedded/account.ts';
import { runStatements } from './cluster.ts';
import { eventually } from './waiting.ts';

/** A Postgres of the operating system, with its stock settings but for those that are given. */
export interface SystemPostgres {
  /** The superuser's way in, to the database `postgres`. */
  readonly url: string;
  readonly pid: number;
  log(): Promise<string>;
  stop(): Promise<void>;
}

const FOLDER = '/usr/lib/postgresql';
const USER = 'postgres';
const SILENT = { stdio: 'ignore' } as const;

/** The newest Postgres that the operating system has, or null. Debian keeps each version in a folder of its own. */
export function systemPostgresFolder(): string | null {
  const versions = existsSync(FOLDER) ? readdirSync(FOLDER).map(Number).filter(Number.isInteger) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(FOLDER, String(version), 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'postgres'))) ?? null;
}

export async function startSystemPostgres(
  programs: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<SystemPostgres> {
  const account = accountForNewData();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-system-'));
  if (account) await chown(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const initialise = ['-D', data, '-U', USER, '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  await promisify(execFile)(join(programs, 'initdb'), initialise, { ...account, cwd: folder });
  const all = { listen_addresses: '', unix_socket_directories: folder, fsync: 'off', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = `exec "$0" "$@" > "${log}" 2>&1`;
  const server = spawn('/bin/sh', ['-c', command, join(programs, 'postgres'), '-D', data, ...flags], {
    ...account,
    ...SILENT,
    cwd: folder,
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const url = `postgresql://${USER}@/postgres?host=${encodeURIComponent(folder)}&sslmode=disable`;
  await eventually(() => runStatements(url, 'select'));
  return {
    url,
    pid: server.pid ?? 0,
    log: () => readFile(log, 'utf8'),
    async stop() {
      server.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
