import { spawn } from 'node:child_process';
import type { Account } from './account.ts';

export interface ProgramResult {
  /** Null if the program did not start or a signal ended it. */
  readonly code: number | null;
  /** Why it did not start: 'EACCES', 'ENOENT' … */
  readonly failure: string | null;
  /** The last line of output, for the operator's error message. */
  readonly lastOutput: string;
}

interface Options {
  readonly account: Account;
  readonly cwd: string;
  readonly input?: string;
  readonly timeoutMs: number;
}

const KEPT_OUTPUT = 16_384;

export function run(program: string, args: readonly string[], options: Options): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(options.account ?? {}),
      cwd: options.cwd,
      env: postgresEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // spawn's own timeout would collect running for a program that did not start.
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    const finish = (outcome: ProgramResult): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    let output = '';
    const collect = (chunk: string): void => {
      output = (output + chunk).slice(-KEPT_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.stdin.on('error', () => {}); // the program ended before it read everything: the exit code says why
    child.stdin.end(options.input ?? '');
    child.once('error', (error: NodeJS.ErrnoException) =>
      finish({ code: null, failure: error.code ?? error.message, lastOutput: error.message }),
    );
    child.once('close', (code) => finish({ code, failure: null, lastOutput: lastLine(output) }));
  });
}

/**
 * A clean environment: PG* variables, locales or preloaded libraries of the shell must not affect the embedded
 * server.
 */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
});

export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const fatal = lines.findLast((line) => /\b(FATAL|PANIC|error):/.test(line));
  return fatal ?? lines.findLast((line) => line !== '') ?? 'it printed nothing';
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
