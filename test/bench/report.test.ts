import { describe, expect, test } from 'vitest';
import { alternate, type Compared, compare, type Measured } from '../../bench/measure.ts';
import {
  atLeast,
  atMostTime,
  comparedRow,
  measuredRow,
  memoryUnder,
  p99Under,
  type Target,
} from '../../bench/report/row.ts';
import { resultsTable } from '../../bench/report/table.ts';

const round = (ours: number, limit: number) => ({
  ours: { perSecond: ours },
  baseline: { perSecond: limit },
});

describe('a comparison', () => {
  test('measures both sides in turn, each round in the other order', async () => {
    const order: string[] = [];
    const side = (name: string, perSecond: number) => async (): Promise<Measured> => {
      order.push(name);
      return { perSecond };
    };
    const { rounds } = await alternate(3, side('ours', 2), side('limit', 1));
    expect(order).toEqual(['ours', 'limit', 'limit', 'ours', 'ours', 'limit']);
    expect(rounds).toEqual([round(2, 1), round(2, 1), round(2, 1)]);
  });

  test.for([
    { rounds: [round(1, 2), round(9, 1), round(3, 5)], ratio: 0.6 },
    { rounds: [round(1, 2), round(9, 1), round(3, 5), round(8, 10)], ratio: 0.7 },
  ])('has the median of its rounds’ ratios, not the ratio of anything else: $ratio', ({ rounds, ratio }) => {
    expect(compare(rounds).ratio).toBeCloseTo(ratio);
  });
});

describe('a row', () => {
  const at = (ratio: number): Compared => compare([round(ratio * 1_000, 1_000)]);

  test.for<[Target | null, number, boolean | null]>([
    [atLeast(0.5), 0.5, true],
    [atLeast(0.5), 0.499, false],
    // Half the rate is twice the time.
    [atMostTime(1.5), 0.5, false],
    [atMostTime(1.5), 0.8, true],
    [null, 0.1, null],
  ])('with %o and a rate of %d: %s', ([reach, ratio, met]) => {
    expect(comparedRow('work', 'limit', reach, at(ratio)).met).toBe(met);
  });

  test.for<[Target, Partial<Measured>, boolean]>([
    [p99Under(50), { p99: 49.9 }, true],
    [p99Under(50), { p99: 50 }, false],
    [p99Under(50), {}, false],
    [memoryUnder(250), { rssMegabytes: 249 }, true],
    [memoryUnder(250), { rssMegabytes: 250 }, false],
    [memoryUnder(250), {}, false],
  ])('with %o and %o: %s', ([reach, measured, met]) => {
    expect(measuredRow('work', reach, { perSecond: 0, ...measured }).met).toBe(met);
  });

  test('keeps every round in the JSON', () => {
    const rounds = [round(1, 2), round(2, 3)];
    expect(comparedRow('work', 'limit', null, compare(rounds)).rounds).toEqual(rounds);
  });
});

test('the table marks a missed target as clearly as a met one', () => {
  const row = (ratio: number) =>
    comparedRow('pushes', 'bare', atLeast(1), compare([round(ratio * 1_000, 1_000)]));
  const [, , met, missed] = resultsTable([row(1.25), row(0.75)]).split('\n');
  expect(met).toMatch(/pushes +\| bare +\| 1,250 +\| 1,000 +\| 1\.25 +\| ≥ 1 × ✓/);
  expect(missed).toMatch(/pushes +\| bare +\| 750 +\| 1,000 +\| 0\.75 +\| ≥ 1 × ✗/);
});
