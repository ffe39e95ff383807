import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { Program } from '../support/program.ts';
import { eventually } from '../support/waiting.ts';
import { isRunning } from './embeddedProcess.ts';

/** The log lines of a program, parsed; the rest of what it printed is left out. */
export const logLines = ({ printed }: Program): Record<string, unknown>[] =>
  printed()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** The process numbers under which this process of the program became ready, the latest last. */
export const pidsOf = (program: Program, name: string): number[] =>
  logLines(program)
    .filter(({ msg, process }) => msg === 'process ready' && process === name)
    .map(({ pid }) => Number(pid));

export const latestPidOf = (program: Program, name: string): number => pidsOf(program, name).at(-1) ?? 0;

/** Until this process has been ready this many times. */
export const untilReadyTimes = (
  program: Program,
  name: string,
  times: number,
  withinMs?: number,
): Promise<void> =>
  eventually(async () => expect(pidsOf(program, name).length).toBeGreaterThanOrEqual(times), withinMs);

export const untilEnded = (pids: readonly number[]): Promise<void> =>
  eventually(async () => expect(pids.filter((pid) => isRunning(pid))).toEqual([]), 20_000);

export async function commandOf(pid: number): Promise<string> {
  return (await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)])).stdout.trim();
}

/** The value of a metric, labels included in its name; 0 if it is not there. */
export async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
