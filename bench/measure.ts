import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { mean, median, percentile } from '../test/support/statistics.ts';

/** One side of a row, measured once. */
export interface Measured {
  /** Of the row's unit. */
  perSecond: number;
  /** Milliseconds, where single requests are timed. */
  p50?: number;
  p99?: number;
  /** Cores in use on average. */
  cpu?: { process: number; postgres: number; generator?: number };
  rssMegabytes?: number;
}

/** The milliseconds that some work takes. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = monotonicMs();
  await work();
  return monotonicMs() - began;
}

/** Of single requests that took these milliseconds, one after the other. */
export const measuredTimes = (times: readonly number[]) => ({
  perSecond: SECOND / mean(times),
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
});

export interface Round<Figures = Measured> {
  ours: Figures;
  baseline: Figures;
}

export type Compared = ReturnType<typeof compare>;

/** Measures both sides, one after the other; their order is swapped from round to round. */
export const inTurn = async <Figures>(
  round: number,
  ours: () => Promise<Figures>,
  baseline: () => Promise<Figures>,
): Promise<Round<Figures>> =>
  round % 2 === 0
    ? { ours: await ours(), baseline: await baseline() }
    : { baseline: await baseline(), ours: await ours() };

/** Measures both sides in each round. */
export async function alternate(
  rounds: number,
  ours: () => Promise<Measured>,
  baseline: () => Promise<Measured>,
): Promise<Compared> {
  const done: Round[] = [];
  for (let number = 0; number < rounds; number += 1) done.push(await inTurn(number, ours, baseline));
  return compare(done);
}

export const compare = (rounds: Round[]) => ({
  ours: medianMeasurement(rounds.map(({ ours }) => ours)),
  baseline: medianMeasurement(rounds.map(({ baseline }) => baseline)),
  /** The median over rounds: the machine is noisy, and both sides of a round have the same noise. */
  ratio: median(rounds.map(({ ours, baseline }) => ours.perSecond / baseline.perSecond)),
  rounds,
});

/** The measurement with the median rate. */
function medianMeasurement(all: readonly Measured[]): Measured {
  const sorted = all.toSorted((a, b) => a.perSecond - b.perSecond);
  return sorted[Math.floor(sorted.length / 2)] ?? { perSecond: 0 };
}

/** Does this much work in loops; each goes on as soon as its last work is done. */
export async function inParallel(
  count: number,
  loops: number,
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: loops }, loop));
}

/** Does two things at once; the second learns when the first is over. */
export function untilOver<First, Second>(
  work: () => Promise<First>,
  meanwhile: (isOver: () => boolean) => Promise<Second>,
): Promise<[First, Second]> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  return Promise.all([working, meanwhile(() => isOver)]);
}

/** An open loop: one starts every `everyMs` on time, even when earlier ones have not ended. The first failure ends it. */
export async function openLoop<T>(
  everyMs: number,
  isOver: () => boolean,
  start: (number: number) => Promise<T>,
): Promise<T[]> {
  const started: Promise<T>[] = [];
  const failures: unknown[] = [];
  const began = monotonicMs();
  for (let number = 0; !isOver() && failures.length === 0; number += 1) {
    // Against the clock, since on a busy machine a pause takes longer than its time.
    await sleep(Math.max(0, began + number * everyMs - monotonicMs()));
    const one = start(number);
    one.catch((error) => failures.push(error));
    started.push(one);
  }
  // The others may use what is closed next: then their errors would hide the first.
  await Promise.allSettled(started);
  if (failures.length > 0) throw failures[0];
  return Promise.all(started);
}

export const after = (seconds: number): (() => boolean) => {
  const end = monotonicMs() + seconds * SECOND;
  return () => monotonicMs() >= end;
};
