import { spawn } from 'node:child_process';
import type { Account } from './account.ts';

export interface ProgramResult {
  /** The exit code; null when the program could not be started or was ended by a signal. */
  readonly code: number | null;
  /** Why it could not be started: 'EACCES', 'ENOENT' … */
  readonly failure: string | null;
  /** What it said last, for a sentence to the operator. */
  readonly lastWords: string;
}

interface Options {
  readonly account: Account;
  readonly cwd: string;
  readonly input?: string;
  readonly timeoutMs: number;
}

const KEPT_OUTPUT = 16_384;

/** Runs one of Postgres's programs to its end. */
export function run(program: string, args: readonly string[], options: Options): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(options.account ?? {}),
      cwd: options.cwd,
      env: postgresEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // Not spawn's own timeout: it goes on ticking for a program that could not be started.
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    const finish = (outcome: ProgramResult): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    let said = '';
    const keep = (chunk: string): void => {
      said = (said + chunk).slice(-KEPT_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.stdin.on('error', () => {}); // it ended before it read everything: the exit code tells
    child.stdin.end(options.input ?? '');
    child.once('error', (error: NodeJS.ErrnoException) =>
      finish({ code: null, failure: error.code ?? error.message, lastWords: error.message }),
    );
    child.once('close', (code) => finish({ code, failure: null, lastWords: lastLine(said) }));
  });
}

/**
 * Nothing of ours: PG* variables, locales or preloaded libraries of the shell must not bend the private server.
 */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
});

export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const fatal = lines.findLast((line) => /\b(FATAL|PANIC|error):/.test(line));
  return fatal ?? lines.findLast((line) => line !== '') ?? 'it said nothing';
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
