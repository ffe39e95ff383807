import { type ChildProcess, type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accountForNewData } from '../../src/db/embedded/account.ts';
import { runStatements } from './cluster.ts';
import { processFamily, signalAll } from './processFamily.ts';
import { eventually } from './waiting.ts';

/** A Postgres of the operating system, with its stock settings but for those that are given. */
export interface SystemPostgres {
  /** The superuser's way in, to the database `postgres`. */
  readonly url: string;
  /** The path of its Unix socket. */
  readonly socket: string;
  pid(): number;
  log(): Promise<string>;
  /** Sends a signal to it and each of its backends. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again if it was killed. Resolves when it accepts connections. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

const FOLDER = '/usr/lib/postgresql';
const USER = 'postgres';
const LOOPBACK = '127.0.0.1';

/** The newest Postgres that the operating system has, or null. Debian keeps each version in a folder of its own. */
export function systemPostgresFolder(): string | null {
  const versions = existsSync(FOLDER) ? readdirSync(FOLDER).map(Number).filter(Number.isInteger) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(FOLDER, String(version), 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'postgres'))) ?? null;
}

/** A setting `port` makes it listen on the loopback as well, and `url` lead there. `standbyOf` is the URL of its primary. */
export async function startSystemPostgres(
  programs: string,
  settings: Readonly<Record<string, string>> = {},
  standbyOf?: string,
): Promise<SystemPostgres> {
  const account = accountForNewData();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-system-'));
  if (account) await chown(folder, account.uid, account.gid);
  const options = { ...account, cwd: folder };
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  await makeData(programs, options, data, standbyOf);
  const { port } = settings;
  const listen_addresses = port === undefined ? '' : LOOPBACK;
  const all = { listen_addresses, unix_socket_directories: folder, fsync: 'off', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = ['-c', `exec "$0" "$@" >> "${log}" 2>&1`, join(programs, 'postgres'), '-D', data, ...flags];
  const run = (): ChildProcess => spawn('/bin/sh', command, { ...options, stdio: 'ignore' });
  const url =
    port === undefined
      ? `postgresql://${USER}@/${USER}?host=${encodeURIComponent(folder)}&sslmode=disable`
      : `postgresql://${USER}@${LOOPBACK}:${port}/${USER}?sslmode=disable`;
  let server = run();
  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  const startAgain = async (): Promise<void> => {
    await eventually(() => {
      // It does not start while a backend of a killed one is still there.
      if (hasEnded()) server = run();
      return runStatements(url, 'select');
    });
  };
  await startAgain();
  const pid = (): number => server.pid ?? 0;
  return {
    url,
    socket: join(folder, `.s.PGSQL.${port ?? 5432}`),
    pid,
    log: () => readFile(log, 'utf8'),
    signal: (name) => signalAll(processFamily(pid()), name),
    startAgain,
    async stop() {
      const ended = hasEnded() ? null : once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      // A backend of a killed one may still write.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function makeData(
  programs: string,
  options: ExecFileOptions,
  data: string,
  standbyOf: string | undefined,
): Promise<unknown> {
  const [program, ...args] =
    standbyOf === undefined
      ? ['initdb', '-U', USER, '--auth=trust', '-E', 'UTF8', '--locale=C']
      : ['pg_basebackup', '-d', standbyOf, '--write-recovery-conf', '--checkpoint=fast'];
  return promisify(execFile)(join(programs, program), [...args, '-D', data, '--no-sync'], options);
}
