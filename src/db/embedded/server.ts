import { spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import { canEnter } from './account.ts';
import type { Cluster } from './cluster.ts';
import { runningPostmaster, socketFile } from './postmaster.ts';
import { lastLine, postgresEnvironment, run } from './run.ts';
import { type Settings, settingFlags } from './settings.ts';
import { isAlive } from './staging.ts';

const STOP_TIMEOUT_SECONDS = 60;
const GONE_TIMEOUT_MS = 2_000;
const LOG_KEPT_BYTES = 1_000_000;
/** The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux. */
const SOCKET_PATH_LIMIT = 100;
const SOCKET_FOLDER = 'waypost-pg-';

/** A server on its way up. */
export interface Launch {
  exited: boolean;
  /** Why it ended, in its own words. */
  lastWords(): string;
}

/**
 * Starts the server in a session of its own: a Ctrl-C in our terminal does not reach it, so we can finish our work
 * before we stop it, and if we are killed it goes on serving and is found by the next start.
 */
export function launch(cluster: Cluster, settings: Settings, socketDirectory: string): Launch {
  const log = openLog(cluster.log);
  const before = fstatSync(log).size;
  try {
    const child = spawn(
      cluster.binaries.postgres,
      ['-D', cluster.data, ...settingFlags(settings, socketDirectory)],
      {
        ...(cluster.account ?? {}),
        cwd: cluster.data,
        env: postgresEnvironment(),
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    let failure = '';
    const state: Launch = {
      exited: false,
      lastWords: () => failure || lastLine(readFileSync(cluster.log).subarray(before).toString('utf8')),
    };
    child.once('exit', () => {
      state.exited = true;
    });
    child.once('error', (error) => {
      state.exited = true;
      failure = error.message;
    });
    child.unref();
    return state;
  } finally {
    closeSync(log);
  }
}

/** Ends the server, whoever started it, and returns when it is gone. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const server = runningPostmaster(cluster.data);
  if (server === null) return;
  if (!(await pgCtlStop(cluster, 'fast'))) await pgCtlStop(cluster, 'immediate');
  const deadline = monotonicMs() + GONE_TIMEOUT_MS;
  while (isAlive(server.pid) && monotonicMs() < deadline) await sleep(5);
  removeSocketFolder(cluster, server.socketDirectory);
}

async function pgCtlStop(cluster: Cluster, mode: 'fast' | 'immediate'): Promise<boolean> {
  const args = ['stop', '-D', cluster.data, '-m', mode, '-w', '-t', String(STOP_TIMEOUT_SECONDS)];
  const timeoutMs = 2 * STOP_TIMEOUT_SECONDS * 1000;
  const outcome = await run(cluster.binaries.pgCtl, args, {
    account: cluster.account,
    cwd: cluster.data,
    timeoutMs,
  });
  return outcome.code === 0;
}

/** In the data folder, or, where its path is too long for a socket, in a folder of its own that only the server enters. */
export function makeSocketFolder(cluster: Cluster): string {
  if (fits(cluster.data)) return cluster.data;
  for (const place of [tmpdir(), '/tmp']) {
    if (!fits(join(place, `${SOCKET_FOLDER}XXXXXX`)) || !canEnter(cluster.account, place)) continue;
    const folder = mkdtempSync(join(place, SOCKET_FOLDER));
    if (cluster.account !== null) chownSync(folder, cluster.account.uid, cluster.account.gid);
    return folder;
  }
  throw new OperatorError(
    `The path of the embedded Postgres’s data (${cluster.data}) is too long for its socket: set DATA_DIR to a shorter one.`,
  );
}

const fits = (folder: string): boolean => Buffer.byteLength(socketFile(folder)) <= SOCKET_PATH_LIMIT;

/** After a crash the address must stay what everybody was told, whatever became of the folder. */
export function keepSocketFolder(cluster: Cluster, folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined || cluster.account === null) return;
  chownSync(folder, cluster.account.uid, cluster.account.gid);
}

/** Only what `makeSocketFolder` makes: the name comes from a file the database's user can write. */
function removeSocketFolder(cluster: Cluster, folder: string | null): void {
  if (folder === null || folder === cluster.data || !basename(folder).startsWith(SOCKET_FOLDER)) return;
  if (![tmpdir(), '/tmp'].includes(dirname(folder))) return;
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    rmSync(folder, { recursive: true, force: true });
}

function openLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_KEPT_BYTES)
    renameSync(path, `${path}.old`);
  return openSync(path, 'a', 0o600);
}
