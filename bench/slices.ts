import { OperatorError } from '../src/kit/errors.ts';
import { mean, median, standardError } from '../test/support/statistics.ts';
import { alternate, type Measured, type Round } from './measure.ts';

/** Shorter than most changes of a noisy machine, so that both slices of a pair meet the same noise. */
export const SLICE_SECONDS = 0.5;
export const SLICES_PER_START = 6;
/** The first slice of a kind of request compiles its code and plans its statements. */
const WARM_UP_PAIRS = 1;
const DEFAULT_STARTS = 6;
/** The fewest that have a standard error. */
const FEWEST_STARTS = 2;
/** More would fill the disk: a slice of pushes leaves about a thousand messages. */
const MOST_STARTS = 100;

/** The slices of one start: both programs in turn (one, other, other, one, …), without the first pair. */
export async function takeSlices(
  one: () => Promise<Measured>,
  other: () => Promise<Measured>,
): Promise<Round[]> {
  const { rounds } = await alternate(WARM_UP_PAIRS + SLICES_PER_START, one, other);
  return rounds.slice(WARM_UP_PAIRS);
}

/** Two programs under the same load, measured in slices, through several starts of each. */
export function compareStarts(starts: readonly Round[][]) {
  const pairs = starts.flat();
  return {
    oursPerSecond: mean(pairs.map((pair) => pair.ours.perSecond)),
    theirsPerSecond: mean(pairs.map((pair) => pair.baseline.perSecond)),
    ...ratioOfStarts(starts),
    starts,
  };
}

/**
 * How many times as fast as theirs ours is: the median of each start, since a checkpoint of Postgres takes a third off a slice, and
 * the mean of these. Both are of logarithms: twice and half as fast cancel out, and swapped sides give the reciprocal. Plain ratios
 * would favour the side that is divided.
 *
 * The error is that of the starts, not of the pairs: a program is up to five per cent faster or slower than itself from one start to
 * the next, as its memory happens to lie, and more slices of one start do not show that.
 */
export function ratioOfStarts(starts: readonly Round[][]): { ratio: number; error: number } {
  const logs = starts.map((pairs) =>
    median(pairs.map(({ ours, baseline }) => Math.log(ours.perSecond / baseline.perSecond))),
  );
  const ratio = Math.exp(mean(logs));
  // For small errors, a relative error of the ratio is an absolute one of its logarithm.
  return { ratio, error: ratio * standardError(logs) };
}

/** Even, so that each side goes first equally often. */
export function startCount(text: string = String(DEFAULT_STARTS)): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= FEWEST_STARTS && count <= MOST_STARTS && count % 2 === 0) return count;
  throw new OperatorError(
    `--starts is an even number from ${FEWEST_STARTS} to ${MOST_STARTS}, not "${text}".`,
  );
}
