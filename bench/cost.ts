import { readFileSync } from 'node:fs';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { familyOf, readIfThere } from '../test/support/processFamily.ts';
import type { Measured } from './measure.ts';

/** Linux reports CPU time in hundredths of a second. */
const TICKS_A_SECOND = 100;
const PAGE_BYTES = 4_096;

export function peakMegabytesOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error('/proc has no VmHWM');
  return Number(kilobytes) / 1_024;
}

/** What some work costs in these processes, with those that they supervise, and in Postgres. */
export async function costOf(
  { postgresCpuSeconds }: { postgresCpuSeconds: () => number },
  pids: readonly number[],
  work: () => Promise<Pick<Measured, 'perSecond' | 'p50' | 'p99'> & { generatorCpu?: number }>,
) {
  const cpuSeconds = (): number => sumOf(pids.flatMap(familyOf).map(({ ticks }) => ticks)) / TICKS_A_SECOND;
  const before = { process: cpuSeconds(), postgres: postgresCpuSeconds() };
  const began = monotonicMs();
  const { generatorCpu: generator, ...measured } = await work();
  const seconds = (monotonicMs() - began) / SECOND;
  return {
    ...measured,
    cpu: {
      process: (cpuSeconds() - before.process) / seconds,
      postgres: (postgresCpuSeconds() - before.postgres) / seconds,
      ...(generator !== undefined && { generator }),
    },
    rssMegabytes: (sumOf(pids.flatMap(familyOf).map(({ pages }) => pages)) * PAGE_BYTES) / 2 ** 20,
  };
}

/** CPU time of the postmaster, its running children and those that have exited. */
export function postgresCpuSecondsOf(postmaster: number): number {
  const all = familyOf(postmaster);
  const exited = (all[0]?.childTicks ?? 0) / TICKS_A_SECOND;
  return exited + sumOf(all.map(({ pid }) => threadCpuSecondsOf(pid)));
}

/** Of the first thread, to the nanosecond: a backend has one, and often less to do than a hundredth of a second. */
const threadCpuSecondsOf = (pid: number): number =>
  Number(readIfThere(`/proc/${pid}/schedstat`)?.split(' ')[0] ?? 0) / 1e9;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
