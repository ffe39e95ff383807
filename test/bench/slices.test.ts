import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Measured, Round } from '../../bench/measure.ts';
import { besideTable } from '../../bench/report/table.ts';
import { compareStarts, ratioOfStarts, startCount, takeSlices } from '../../bench/slices.ts';

const pair = (ours: number, theirs: number): Round => ({
  ours: { perSecond: ours },
  baseline: { perSecond: theirs },
});
const swapped = ({ ours, baseline }: Round): Round => ({ ours: baseline, baseline: ours });

/** Rates of real rows: from a slow list to a fast read. */
const aRate = fc.double({ min: 10, max: 10_000, noNaN: true });
const somePairs = fc.array(
  fc.tuple(aRate, aRate).map(([ours, theirs]) => pair(ours, theirs)),
  { minLength: 1, maxLength: 8 },
);
const someStarts = fc.array(somePairs, { minLength: 2, maxLength: 10 });

describe('the ratio of several starts', () => {
  test.for([
    { starts: [[pair(200, 100)], [pair(400, 200)]], ratio: 2, error: 0 },
    { starts: [[pair(200, 100)], [pair(100, 200)]], ratio: 1, error: Math.log(2) },
    { starts: [[pair(100, 100)], [pair(400, 100)]], ratio: 2, error: 2 * Math.log(2) },
    {
      starts: [[pair(200, 100)], [pair(100, 200)], [pair(200, 100)], [pair(100, 200)]],
      ratio: 1,
      error: Math.log(2) / Math.sqrt(3),
    },
    // What differs within each start alike says nothing against the mean of it.
    {
      starts: [
        [pair(200, 100), pair(100, 200)],
        [pair(100, 200), pair(200, 100)],
      ],
      ratio: 1,
      error: 0,
    },
    // Many slices of two starts that disagree are no surer than one of each.
    {
      starts: [
        [pair(200, 100), pair(200, 100), pair(200, 100)],
        [pair(100, 200), pair(100, 200), pair(100, 200)],
      ],
      ratio: 1,
      error: Math.log(2),
    },
    // A slice that met a checkpoint counts for nothing.
    {
      starts: [
        [pair(200, 100), pair(200, 100), pair(10, 100)],
        [pair(200, 100), pair(200, 10), pair(200, 100)],
      ],
      ratio: 2,
      error: 0,
    },
  ])(
    'is the geometric mean of their medians, with its standard error: $ratio ± $error',
    ({ starts, ratio, error }) => {
      const result = ratioOfStarts(starts);
      expect(result.ratio).toBeCloseTo(ratio, 10);
      expect(result.error).toBeCloseTo(error, 10);
    },
  );

  test('is the reciprocal when the sides are swapped, with the same relative error', () => {
    fc.assert(
      fc.property(someStarts, (starts) => {
        const there = ratioOfStarts(starts);
        const back = ratioOfStarts(starts.map((pairs) => pairs.map(swapped)));
        expect(there.ratio * back.ratio).toBeCloseTo(1, 9);
        expect(there.error / there.ratio).toBeCloseTo(back.error / back.ratio, 9);
      }),
    );
  });

  test('does not change when the machine is slower during some pairs', () => {
    fc.assert(
      fc.property(someStarts, fc.array(fc.double({ min: 0.1, max: 1, noNaN: true })), (starts, speeds) => {
        const noisy = starts.map((pairs, start) =>
          pairs.map(({ ours, baseline }, at) => {
            const speed = speeds[start + at] ?? 1;
            return pair(ours.perSecond * speed, baseline.perSecond * speed);
          }),
        );
        const [quiet, result] = [ratioOfStarts(starts), ratioOfStarts(noisy)];
        expect(result.ratio / quiet.ratio).toBeCloseTo(1, 9);
        expect(result.error / quiet.ratio).toBeCloseTo(quiet.error / quiet.ratio, 6);
      }),
    );
  });

  test('stands beside the mean rates of all slices', () => {
    const result = compareStarts([[pair(200, 100)], [pair(400, 200)]]);
    expect(result).toMatchObject({ oursPerSecond: 300, theirsPerSecond: 150 });
    expect(result.ratio).toBeCloseTo(2, 10);
  });
});

test('the slices of a start are taken in turn, each side first equally often, and the first pair is not counted', async () => {
  const order: string[] = [];
  const side = (name: string) => async (): Promise<Measured> => {
    order.push(name);
    return { perSecond: order.length };
  };
  const pairs = await takeSlices(side('ours'), side('theirs'));
  const turn = 'theirs ours ours theirs';
  expect(order.join(' ')).toBe(`ours theirs ${turn} ${turn} ${turn}`);
  expect(pairs).toEqual([pair(4, 3), pair(5, 6), pair(8, 7), pair(9, 10), pair(12, 11), pair(13, 14)]);
});

describe('the number of starts', () => {
  test.for([
    [undefined, 6],
    ['2', 2],
    ['4', 4],
    ['100', 100],
  ] as const)('of --starts %s is %d', ([text, count]) => {
    expect(startCount(text)).toBe(count);
  });

  test.for(['', '0', '1', '3', '-2', '2.5', '102', '4x', '--json'])('is never "%s"', (text) => {
    expect(() => startCount(text)).toThrow(`--starts is an even number from 2 to 100, not "${text}".`);
  });
});

test('the table has the ratio with its error', () => {
  const row = { name: 'GET message', oursPerSecond: 4_005.4, theirsPerSecond: 3_900, starts: [] };
  const [, , line] = besideTable([{ ...row, ratio: 1.0271, error: 0.0123 }]).split('\n');
  expect(line).toBe('| GET message | 4,005  | 3,900    | 1.027 ± 0.012 |');
});
