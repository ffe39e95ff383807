import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combined, histogramOf, medianMinutes } from './histogram.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const of = (...times: number[]) => times.map(histogramOf).reduce((a, b) => combined(a, b), []);

const trueMedian = (times: readonly number[]): number => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (rank: number): number => sorted[Math.floor(rank)] ?? 0;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2 / MINUTE_MS;
};

describe('the median of a histogram', () => {
  test('is null when there is nothing in it', () => {
    expect(medianMinutes([])).toBeNull();
  });

  test('is within 10 % of the true one, for any times from 2 seconds to 400 days', () => {
    const times = fc.array(fc.integer({ min: 2_000, max: 400 * DAY_MS }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(times, (some) => {
        const median = medianMinutes(of(...some)) ?? 0;
        expect(Math.abs(median / trueMedian(some) - 1)).toBeLessThan(0.1);
      }),
    );
  });

  test('of times below a second and beyond 400 days is at the ends', () => {
    expect(medianMinutes(of(0))).toBeLessThan(0.02);
    expect(medianMinutes(of(5_000 * DAY_MS))).toBeGreaterThan((360 * DAY_MS) / MINUTE_MS);
  });

  test('is the same in whatever order the histograms are combined', () => {
    expect(combined(of(1_000, 90_000), of(5_000))).toEqual(of(5_000, 90_000, 1_000));
  });
});
