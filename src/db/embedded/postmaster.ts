import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from './files.ts';
import { isAlive } from './run.ts';
import { PORT } from './settings.ts';

/** The content of postmaster.pid, which a running server keeps in its data folder. */
interface Postmaster {
  readonly pid: number;
  /** Null early in a start. */
  readonly socketDirectory: string | null;
}

const SOCKET_LINE = 4;
const COMMAND_TIMEOUT_MS = 5_000;

export const socketFile = (directory: string): string => join(directory, `.s.PGSQL.${PORT}`);

/** The running server of this data, if any, whichever process started it. */
export function runningPostmaster(data: string): Postmaster | null {
  const recorded = readPidFile(data);
  if (recorded === null) return null;
  if (isServerOf(recorded.pid, data)) return recorded;
  removeStaleFiles(data, recorded);
  return null;
}

export function parsePidFile(text: string): Postmaster | null {
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0)) return null;
  return { pid, socketDirectory: lines[SOCKET_LINE]?.trim() || null };
}

/**
 * Postgres refuses to start if any process of its user has the recorded pid, which happens easily after a reboot
 * or in a new container, where pids start over. So this checks whether that process is a server: a server's
 * working directory is its data folder.
 */
function isServerOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return commandByPs(pid).includes(data);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch (error) {
    // In a container even root may not read another user's cwd; the command line is public.
    return isCode(error, 'EACCES', 'EPERM') && commandByProc(pid).includes(data);
  }
}

function commandByProc(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // gone meanwhile
  }
}

function commandByPs(pid: number): string {
  const answer = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: COMMAND_TIMEOUT_MS,
  });
  return answer.stdout ?? '';
}

/**
 * Removes a dead server's files. It checks again just before, so that the file of a server that starts now is not
 * removed; if that ever happened, shared memory would still keep a second server off this data.
 */
function removeStaleFiles(data: string, dead: Postmaster): void {
  if (readPidFile(data)?.pid !== dead.pid) return;
  for (const file of [join(data, 'postmaster.pid'), `${socketFile(data)}.lock`]) {
    try {
      unlinkSync(file);
    } catch {
      // absent, or not removable: the server's own check decides
    }
  }
}

function readPidFile(data: string): Postmaster | null {
  try {
    return parsePidFile(readFileSync(join(data, 'postmaster.pid'), 'utf8'));
  } catch {
    return null;
  }
}
