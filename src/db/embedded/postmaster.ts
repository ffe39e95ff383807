import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from './files.ts';
import { isAlive } from './run.ts';
import { PORT } from './settings.ts';

/** What a running server says of itself in postmaster.pid, the file it keeps in its data folder while it lives. */
export interface Postmaster {
  readonly pid: number;
  /** Null for the first moments of a start. */
  readonly socketDirectory: string | null;
}

const SOCKET_LINE = 4;
const ASK_TIMEOUT_MS = 5_000;

export const socketFile = (directory: string): string => join(directory, `.s.PGSQL.${PORT}`);

/** The server of these data, if one is running, whoever started it. */
export function runningPostmaster(data: string): Postmaster | null {
  const named = readPidFile(data);
  if (named === null) return null;
  if (isServerOf(named.pid, data)) return named;
  forget(data, named);
  return null;
}

export function parsePidFile(text: string): Postmaster | null {
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  if (!(pid > 0)) return null;
  return { pid, socketDirectory: lines[SOCKET_LINE]?.trim() || null };
}

/**
 * Postgres takes any living process of its own user under the recorded number for itself and refuses to start,
 * which after a reboot or in a new container happens readily: there the numbers begin anew. So we look who it is:
 * a server works in its data folder.
 */
function isServerOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return commandByPs(pid).includes(data);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch (error) {
    // In a container even root may be kept from looking into another user's process; its command is public.
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
    timeout: ASK_TIMEOUT_MS,
  });
  return answer.stdout ?? '';
}

/**
 * Removes what a dead server left. Both steps follow at once, so that the file of a server starting this instant is
 * not mistaken for it; should that ever happen, its shared memory still keeps a second server from these data.
 */
function forget(data: string, dead: Postmaster): void {
  if (readPidFile(data)?.pid !== dead.pid) return;
  for (const file of [join(data, 'postmaster.pid'), `${socketFile(data)}.lock`]) {
    try {
      unlinkSync(file);
    } catch {
      // absent, or not ours to remove: the server's own check has the last word
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
