import { execFile } from 'node:child_process';
import { codeOf } from '../../kit/errors.ts';
import type { Account } from './account.ts';

/** Runs a program. Returns null if it succeeds, otherwise the reason, for the operator's error message. */
export function runProgram(
  program: string,
  args: readonly string[],
  {
    account,
    cwd,
    timeoutMs,
    input = '',
  }: { account: Account; cwd: string; timeoutMs: number; input?: string },
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      { ...account, cwd, env: postgresEnvironment(), timeout: timeoutMs, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => resolve(error && (lastLine(stdout + stderr) || error.message)),
    );
    child.stdin?.on('error', () => {}); // the program ended before it read everything: the exit code says why
    child.stdin?.end(input);
  });
}

/** A clean environment: PG* variables, locales or preloaded libraries of the shell must not affect the embedded server. */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
});

/** The last error, or the last line; empty if there is none. */
export function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const isError = (line: string): boolean => /\b(FATAL|PANIC|error):/.test(line);
  return lines.findLast(isError) ?? lines.findLast((line) => line !== '') ?? '';
}

/** Returns false if there is no such process. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

export const isAlive = (pid: number): boolean => sendSignal(pid, 0);
