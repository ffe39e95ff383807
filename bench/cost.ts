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
  const all = familyOf(pid);
  const [ticks, pages] = [sumOf(all, 'ticks'), sumOf(all, 'pages')];
  return { cpuSeconds: ticks / TICKS_A_SECOND, rssMegabytes: (pages * PAGE_BYTES) / 2 ** 20 };
}

const sumOf = (stats: readonly Stat[], field: 'ticks' | 'pages'): number =>
  stats.reduce((sum, stat) => sum + stat[field], 0);

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
  const all = familyOf(postmaster);
  const exited = (all[0]?.childTicks ?? 0) / TICKS_A_SECOND;
  return all.reduce((sum, { pid }) => sum + threadCpuSecondsOf(pid), exited);
}

/** Of the first thread, to the nanosecond: a backend has one, and often less to do than a hundredth of a second. */
const threadCpuSecondsOf = (pid: number): number =>
  Number(readIfThere(`/proc/${pid}/schedstat`)?.split(' ')[0] ?? 0) / 1e9;

/** The process and its children. */
const familyOf = (pid: number): Stat[] => [
  ...statOf(pid),
  ...readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)))
    .filter(({ parent }) => parent === pid),
];

export const parentOf = (pid: number): number => statOf(pid)[0]?.parent ?? 0;

interface Stat {
  pid: number;
  parent: number;
  ticks: number;
  /** Of exited children. */
  childTicks: number;
  pages: number;
}

/** Of a process that has ended there is none. */
function statOf(pid: number): Stat[] {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === null) return [];
  // The name, in brackets, may contain anything; field 3 follows the last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const ticks = field(14) + field(15);
  return [{ pid, parent: field(4), ticks, childTicks: field(16) + field(17), pages: field(24) }];
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
