import { median } from '../test/support/statistics.ts';

/** One side of a row, measured once. */
export interface Measured {
  /** Of whatever the row counts. */
  perSecond: number;
  /** Milliseconds, where single requests can be told apart. */
  p50?: number;
  p99?: number;
  /** Processors that were busy with it, of which this machine has a few. */
  cpu?: { process: number; postgres: number; generator?: number };
  rssMegabytes?: number;
}

export interface Round {
  ours: Measured;
  baseline: Measured;
}

export interface Compared {
  ours: Measured;
  baseline: Measured;
  /** The median over rounds, since the machine is noisy and both sides of a round meet the same noise. */
  ratio: number;
  rounds: Round[];
}

/** Measures both sides in turn, so often, each time in the other order. */
export async function alternate(
  rounds: number,
  ours: () => Promise<Measured>,
  limit: () => Promise<Measured>,
): Promise<Compared> {
  const done: Round[] = [];
  for (let number = 0; number < rounds; number += 1) {
    if (number % 2 === 0) {
      const first = await ours();
      done.push({ ours: first, baseline: await limit() });
    } else {
      const first = await limit();
      done.push({ baseline: first, ours: await ours() });
    }
  }
  return compare(done);
}

export function compare(rounds: Round[]): Compared {
  return {
    ours: medianMeasurement(rounds.map(({ ours }) => ours)),
    baseline: medianMeasurement(rounds.map(({ baseline: limit }) => limit)),
    ratio: median(rounds.map(({ ours, baseline: limit }) => ours.perSecond / limit.perSecond)),
    rounds,
  };
}

/** The one of the median rate. */
export function medianMeasurement(all: readonly Measured[]): Measured {
  const sorted = all.toSorted((a, b) => a.perSecond - b.perSecond);
  return sorted[Math.floor(sorted.length / 2)] ?? { perSecond: 0 };
}
