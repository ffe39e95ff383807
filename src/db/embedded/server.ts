import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../kit/clock.ts';
import type { Cluster } from './cluster.ts';
import { runningPostmaster } from './postmaster.ts';
import { isAlive, lastLine, postgresEnvironment, run } from './run.ts';
import { type ServerSettings, settingFlags } from './settings.ts';
import { removeSocketFolder } from './socketFolder.ts';

const STOP_TIMEOUT_SECONDS = 60;
const GONE_TIMEOUT_MS = 2_000;
const LOG_KEPT_BYTES = 1_000_000;

/** A starting server. */
export interface Launch {
  exited: boolean;
  /** Its last line of output. */
  lastOutput(): string;
}

/**
 * Starts the server in its own session: Ctrl-C in our terminal does not reach it, so we can finish before we stop
 * it; and if we are killed, it keeps running and the next start finds it.
 */
export function launch(cluster: Cluster, settings: ServerSettings, socketDirectory: string): Launch {
  const log = openLog(cluster);
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
      lastOutput: () => failure || lastLine(readFileSync(cluster.log).subarray(before).toString('utf8')),
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

/** Stops the server, whichever process started it, and waits until it is gone. */
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

/**
 * The log belongs to the database's user, also where root starts the server. O_NOFOLLOW, because that user could replace
 * it by a link.
 */
function openLog({ account, log }: Cluster): number {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_KEPT_BYTES) renameSync(log, `${log}.old`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = openSync(log, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  if (account !== null) fchownSync(file, account.uid, account.gid);
  return file;
}
