import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../kit/clock.ts';
import type { DataDirectory } from './dataDirectory.ts';
import { isAlive, lastLine, postgresEnvironment, sendSignal } from './run.ts';
import { PORT, type ServerSettings, settingFlags } from './settings.ts';

/** What a running server writes to postmaster.pid in its data directory. */
interface RunningServer {
  readonly pid: number;
  /** Null early in a start. */
  readonly socketFolder: string | null;
  readonly isReady: boolean;
}

const COMMAND_TIMEOUT_MS = 5_000;

/** The server of these data, if any, whichever process started it. */
export function runningServer({ data }: DataDirectory): RunningServer | null {
  const recorded = readPidFile(data);
  if (recorded === null || isServerOf(recorded.pid, data)) return recorded;
  // Postgres refuses to start if any process of its user has the recorded pid, which happens easily after a reboot or in a
  // new container, where pids start over. Read again, so that the file of a server that starts now is not removed; if
  // that ever happened, shared memory would still keep a second server off these data.
  if (readPidFile(data)?.pid === recorded.pid)
    for (const stale of [join(data, 'postmaster.pid'), `${socketFile(data)}.lock`])
      rmSync(stale, { force: true });
  return null;
}

export function parsePidFile(text: string): RunningServer | null {
  const [pidLine = '', , , , socketFolder = '', , , status = ''] = text.split('\n');
  const pid = Number.parseInt(pidLine, 10);
  return pid > 0 ? { pid, socketFolder: socketFolder || null, isReady: status.trim() === 'ready' } : null;
}

function readPidFile(data: string): RunningServer | null {
  try {
    return parsePidFile(readFileSync(join(data, 'postmaster.pid'), 'utf8'));
  } catch {
    return null;
  }
}

/** A server has its data directory among its arguments. */
function isServerOf(pid: number, data: string): boolean {
  if (process.platform !== 'linux') {
    const options = { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS } as const;
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], options).stdout.includes(data);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data);
  } catch {
    return false; // there is no such process
  }
}

/** A server that we started. */
export type Launch = ReturnType<typeof launch>;

const LOG_KEPT_BYTES = 1_000_000;

/**
 * Starts the server in its own session: Ctrl-C in our terminal does not reach it, so we can finish before we stop it; and if we are
 * killed, it keeps running and the next start finds it. The shell opens the log as the database's user, whom root must not
 * follow through a link.
 */
export function launch(
  { account, binaries, data, log }: DataDirectory,
  settings: ServerSettings,
  socketFolder: string,
) {
  const logged = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  const isFull = logged > LOG_KEPT_BYTES;
  if (isFull) renameSync(log, `${log}.old`);
  const command = ['exec "$0" "$@" >> "$LOG" 2>&1', binaries.postgres, '-D', data];
  const child = spawn('/bin/sh', ['-c', ...command, ...settingFlags(settings, socketFolder)], {
    ...account,
    cwd: data,
    env: { ...postgresEnvironment(), LOG: log },
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => {}); // it has exited then, too
  child.unref();
  return {
    hasExited: (): boolean => child.exitCode !== null || child.signalCode !== null,
    lastOutput: (): string => lastLine(readFileSync(log).toString('utf8', isFull ? 0 : logged)),
  };
}

const STOP_TIMEOUT_MS = 60_000;
const GONE_TIMEOUT_MS = 2_000;
const POLL_MS = 5;

/** Stops the server and waits until it is gone. The signals are those of pg_ctl for a fast, then an immediate shutdown. */
export async function stopServer(directory: DataDirectory, { pid, socketFolder }: RunningServer) {
  const runs = (): boolean => runningServer(directory)?.pid === pid;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (runs()) sendSignal(pid, signal);
    await until(() => !runs(), STOP_TIMEOUT_MS);
  }
  await until(() => !isAlive(pid), GONE_TIMEOUT_MS);
  // Only one of ours: the name comes from a file that the database's user can write.
  if (socketFolder !== null && /^\/tmp\/waypost-pg-\w+$/.test(socketFolder))
    rmSync(socketFolder, { recursive: true, force: true });
}

async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = monotonicMs() + timeoutMs;
  while (!condition() && monotonicMs() < deadline) await sleep(POLL_MS);
}

/** The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux. */
const SOCKET_PATH_LIMIT = 100;

const socketFile = (folder: string): string => join(folder, `.s.PGSQL.${PORT}`);

/**
 * The data directory, or a private temporary folder if that path is too long for a socket. After a crash it is the folder of
 * before, because connections already use its address.
 */
export function makeSocketFolder({ data, account }: DataDirectory, before: string | null): string {
  if (Buffer.byteLength(socketFile(data)) <= SOCKET_PATH_LIMIT) return data;
  const folder = before ?? mkdtempSync('/tmp/waypost-pg-');
  const isNew = before === null || mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  // An existing one is the database's user's, who could have replaced it by a link.
  if (isNew && account !== null) chownSync(folder, account.uid, account.gid);
  return folder;
}
