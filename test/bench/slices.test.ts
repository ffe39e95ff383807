import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Measured, Round } from '../../bench/measure.ts';
import { besideTable } from '../../bench/report/table.ts';
import { compareSlices, ratioOfPairs, sliceCount } from '../../bench/slices.ts';

const pair = (ours: number, theirs: number): Round => ({
  ours: { perSecond: ours },
  baseline: { perSecond: theirs },
});
const swapped = ({ ours, baseline }: Round): Round => ({ ours: baseline, baseline: ours });

/** Rates of real rows: from a slow list to a fast read. */
const aRate = fc.double({ min: 10, max: 10_000, noNaN: true });
const somePairs = fc.array(
  fc.tuple(aRate, aRate).map(([ours, theirs]) => pair(ours, theirs)),
  { minLength: 2, maxLength: 40 },
);

describe('the ratio of pairs', () => {
  test.for([
    { pairs: [pair(200, 100), pair(400, 200)], ratio: 2, error: 0 },
    { pairs: [pair(200, 100), pair(100, 200)], ratio: 1, error: Math.log(2) },
    { pairs: [pair(100, 100), pair(400, 100)], ratio: 2, error: 2 * Math.log(2) },
    {
      pairs: [pair(200, 100), pair(100, 200), pair(200, 100), pair(100, 200)],
      ratio: 1,
      error: Math.log(2) / Math.sqrt(3),
    },
  ])('is their geometric mean, with its standard error: $ratio ± $error', ({ pairs, ratio, error }) => {
    const result = ratioOfPairs(pairs);
    expect(result.ratio).toBeCloseTo(ratio, 10);
    expect(result.error).toBeCloseTo(error, 10);
  });

  test('is the reciprocal when the sides are swapped, with the same relative error', () => {
    fc.assert(
      fc.property(somePairs, (pairs) => {
        const there = ratioOfPairs(pairs);
        const back = ratioOfPairs(pairs.map(swapped));
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9);
        expect(there.error / there.ratio).toBeCloseTo(back.error / back.ratio, 9);
      }),
    );
  });

  test('does not change when the machine is slower during some pairs', () => {
    fc.assert(
      fc.property(somePairs, fc.array(fc.double({ min: 0.1, max: 1, noNaN: true })), (pairs, speeds) => {
        const noisy = pairs.map(({ ours, baseline }, at) =>
          pair(ours.perSecond * (speeds[at] ?? 1), baseline.perSecond * (speeds[at] ?? 1)),
        );
        const [quiet, result] = [ratioOfPairs(pairs), ratioOfPairs(noisy)];
        expect(result.ratio / quiet.ratio).toBeCloseTo(1, 9);
        expect(result.error / quiet.ratio).toBeCloseTo(quiet.error / quiet.ratio, 6);
      }),
    );
  });
});

describe('slices', () => {
  const record = async (slices: number) => {
    const order: string[] = [];
    const side = (name: string, rates: readonly number[]) => async (): Promise<Measured> => {
      const perSecond = rates[order.filter((one) => one === name).length] ?? 0;
      order.push(name);
      return { perSecond };
    };
    const result = await compareSlices(slices, side('ours', [1, 200, 400]), side('theirs', [9, 100, 200]));
    return { order: order.join(' '), result };
  };

  test('are taken in turn, each side first equally often, and the first pair is not counted', async () => {
    const { order, result } = await record(2);
    expect(order).toBe('ours theirs theirs ours ours theirs');
    expect(result.pairs).toEqual([pair(200, 100), pair(400, 200)]);
    expect(result).toMatchObject({ oursPerSecond: 300, theirsPerSecond: 150 });
    expect(result.ratio).toBeCloseTo(2, 10);
    expect(result.error).toBeCloseTo(0, 10);
  });

  test.for([
    [undefined, 24],
    ['2', 2],
    ['4', 4],
    ['1000', 1_000],
  ] as const)('of --slices %s are %d', ([text, count]) => {
    expect(sliceCount(text)).toBe(count);
  });

  test.for(['', '0', '1', '7', '-2', '2.5', '1002', '4x', '--json'])('are never "%s"', (text) => {
    expect(() => sliceCount(text)).toThrow(`--slices is an even number from 2 to 1000, not "${text}".`);
  });
});

test('the table has the ratio with its error', () => {
  const row = { name: 'GET message', oursPerSecond: 4_005.4, theirsPerSecond: 3_900, pairs: [] };
  const [, , line] = besideTable([{ ...row, ratio: 1.0271, error: 0.0123 }]).split('\n');
  expect(line).toBe('| GET message | 4,005  | 3,900    | 1.027 ± 0.012 |');
});
