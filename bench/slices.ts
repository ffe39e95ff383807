import { OperatorError } from '../src/kit/errors.ts';
import { mean, standardError } from '../test/support/statistics.ts';
import { alternate, type Measured, type Round } from './measure.ts';

/** Shorter than most changes of a noisy machine, so that both slices of a pair meet the same noise. */
export const SLICE_SECONDS = 0.5;
const DEFAULT_SLICES = 24;
/** The fewest that have a standard error. */
const FEWEST_SLICES = 2;
/** More would fill the disk: a slice of pushes leaves about a thousand messages. */
const MOST_SLICES = 1_000;
/** The first slice of a kind of request compiles its code and plans its statements. */
const WARM_UP_PAIRS = 1;

/** Two programs under the same load, measured in slices. */
export interface SlicedComparison {
  oursPerSecond: number;
  theirsPerSecond: number;
  /** The geometric mean over the pairs of slices. */
  ratio: number;
  /** The standard error of `ratio`. */
  error: number;
  pairs: readonly Round[];
}

/** Measures slices of both programs in turn (ours, theirs, theirs, ours, …) and leaves out the first pair. */
export async function compareSlices(
  slices: number,
  ours: () => Promise<Measured>,
  theirs: () => Promise<Measured>,
): Promise<SlicedComparison> {
  const { rounds } = await alternate(WARM_UP_PAIRS + slices, ours, theirs);
  const pairs = rounds.slice(WARM_UP_PAIRS);
  return {
    oursPerSecond: mean(pairs.map((pair) => pair.ours.perSecond)),
    theirsPerSecond: mean(pairs.map((pair) => pair.baseline.perSecond)),
    ...ratioOfPairs(pairs),
    pairs,
  };
}

/**
 * The mean of the logarithms of the pairs' ratios, as a ratio: twice and half as fast cancel out, and swapped sides give the
 * reciprocal. Plain ratios would favour the side that is divided.
 */
export function ratioOfPairs(pairs: readonly Round[]): { ratio: number; error: number } {
  const logs = pairs.map(({ ours, baseline }) => Math.log(ours.perSecond / baseline.perSecond));
  const ratio = Math.exp(mean(logs));
  // For small errors, a relative error of the ratio is an absolute one of its logarithm.
  return { ratio, error: ratio * standardError(logs) };
}

/** Even: otherwise one side would go first more often, and a drift of the machine would favour it. */
export function sliceCount(text: string = String(DEFAULT_SLICES)): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= FEWEST_SLICES && count <= MOST_SLICES && count % 2 === 0) return count;
  throw new OperatorError(
    `--slices is an even number from ${FEWEST_SLICES} to ${MOST_SLICES}, not "${text}".`,
  );
}
