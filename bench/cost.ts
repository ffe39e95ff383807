import { readdirSync, readFileSync } from 'node:fs';
import type { Measured } from './measure.ts';

/** From Linux's /proc. */
export interface ProcessUsage {
  cpuSeconds: number;
  rssMegabytes: number;
}

/** Linux reports CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;
const PAGE_BYTES = 4_096;

export function peakMegabytesOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error('/proc has no VmHWM');
  return Number(kilobytes) / 1_024;
}

/** Of a program: its process, and the processes that it supervises. */
export function usageOf(pid: number): ProcessUsage {
  const all = [statOf(pid), ...childrenOf(pid)];
  const pages = all.reduce((sum, stat) => sum + stat.pages, 0);
  return { cpuSeconds: ticksOf(all) / TICKS_A_SECOND, rssMegabytes: (pages * PAGE_BYTES) / 2 ** 20 };
}

/** What some work costs in these processes and in Postgres. `work` returns its rate. */
export async function costOf(
  { postgresCpuSeconds }: { postgresCpuSeconds: () => number },
  pids: readonly number[],
  work: () => Promise<number>,
): Promise<Measured> {
  const cpuSeconds = (): number => pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
  const before = { process: cpuSeconds(), postgres: postgresCpuSeconds() };
  const began = performance.now();
  const perSecond = await work();
  const seconds = (performance.now() - began) / 1_000;
  return {
    perSecond,
    cpu: {
      process: (cpuSeconds() - before.process) / seconds,
      postgres: (postgresCpuSeconds() - before.postgres) / seconds,
    },
    rssMegabytes: pids.reduce((sum, pid) => sum + usageOf(pid).rssMegabytes, 0),
  };
}

/** CPU time of the postmaster, its running children and those that have exited. */
export function postgresCpuSecondsOf(postmaster: number): number {
  const exited = statOf(postmaster).childTicks / TICKS_A_SECOND;
  return withChildren(postmaster).reduce((sum, pid) => sum + threadCpuSecondsOf(pid), exited);
}

/** The process and its children. */
const withChildren = (pid: number): number[] => [pid, ...childrenOf(pid).map((child) => child.pid)];

/** Of the first thread, to the nanosecond: a backend has one, and often less to do than a hundredth of a second. */
function threadCpuSecondsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return 0; // it ended meanwhile
  }
}

const ticksOf = (stats: readonly Stat[]): number => stats.reduce((sum, { ticks }) => sum + ticks, 0);

const childrenOf = (pid: number): Stat[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statIfThere(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);

export const parentOf = (pid: number): number => statOf(pid).parent;

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
  /** Of exited children. */
  childTicks: number;
  pages: number;
}

function statOf(pid: number): Stat {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain anything; field 3 follows the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid,
    parent: field(4),
    ticks: field(14) + field(15),
    childTicks: field(16) + field(17),
    pages: field(24),
  };
}

function statIfThere(pid: number): Stat | null {
  try {
    return statOf(pid);
  } catch {
    return null; // it ended meanwhile
  }
}
