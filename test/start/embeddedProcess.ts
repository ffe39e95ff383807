import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { buildPart } from '../support/program.ts';

let builtHolder = '';

/** To be called before the first holder of a test file starts; answers where its program is. */
export async function buildHolder(): Promise<string> {
  builtHolder ||= await buildPart(new URL('embeddedHolder.mjs', import.meta.url));
  return builtHolder;
}

export interface Holder {
  readonly url: string;
  /** The sentence it gave up with, or null. */
  readonly problem: string | null;
  /** A polite end: it stops its Postgres if nobody else uses it. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

const living = new Set<ChildProcess>();

/** Starts a process that opens the embedded Postgres in `dataDir`; returns once it has said how that went. */
export async function startHolder(
  role: 'start' | 'join',
  dataDir: string,
  program = builtHolder,
): Promise<Holder> {
  const child = launchHolder(role, dataDir, program);
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const said: { url?: string; problem?: string } = JSON.parse(line);
    return {
      url: said.url ?? '',
      problem: said.problem ?? null,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
    };
  }
  throw new Error('the holder ended without a word');
}

/** In a process group of its own, so that a test can kill it with everything it started. */
export function launchHolder(role: 'start' | 'join', dataDir: string, program = builtHolder) {
  const child = spawn(process.execPath, [program, role, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}

/** For the end of a test, whatever became of it. */
export async function stopHolders(): Promise<void> {
  await Promise.all(
    [...living].map(async (child) => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }),
  );
}

/** The number of the Postgres serving `dataDir`, or null. */
export function postmasterOf(dataDir: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
  } catch {
    return null;
  }
}

export function isRunning(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    // A process that has ended but was not yet waited for still has a number.
    return process.kill(pid, 0) && !/^State:\s+Z/m.test(statusOf(pid));
  } catch {
    return false;
  }
}

function statusOf(pid: number): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}
