import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelEvery, roundTicks, stackOf, strokesOf } from './scale.ts';

describe('the ticks of a scale', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [34, [0, 10, 20, 30, 40]],
    [100, [0, 50, 100]],
    [999, [0, 500, 1_000]],
    [1_000_000, [0, 500_000, 1_000_000]],
  ])('up to %d', (largest, ticks) => {
    expect(roundTicks(largest)).toEqual(ticks);
  });

  test('are few, evenly apart and whole, reach the largest value and go no step further', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (largest) => {
        const ticks = roundTicks(largest);
        const [, step = 0] = ticks;
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(ticks).toEqual(ticks.map((_, index) => index * step));
        expect(String(step)).toMatch(/^[125]0*$/);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest);
        expect(ticks.at(-2)).toBeLessThan(Math.max(1, largest));
      }),
    );
  });
});

const values = fc.array(fc.option(fc.integer({ min: -5, max: 1_000 })), { maxLength: 60 });

describe('a stack', () => {
  test('leaves out what is not there', () => {
    expect(stackOf([3, 0, null, 2, -1])).toEqual([
      { index: 0, from: 0, to: 3 },
      { index: 3, from: 3, to: 5 },
    ]);
  });

  test('has no gap, and is as high as its values together', () => {
    fc.assert(
      fc.property(values, (some) => {
        const parts = stackOf(some);
        const positive = some.map((value) => Math.max(0, value ?? 0));
        expect(parts.at(-1)?.to ?? 0).toBe(positive.reduce((sum, value) => sum + value, 0));
        for (const [place, { index, from, to }] of parts.entries()) {
          expect(from).toBe(parts[place - 1]?.to ?? 0);
          expect(to - from).toBe(positive[index]);
        }
      }),
    );
  });
});

describe('a line', () => {
  test('breaks off where nothing is known, and shows a point between two gaps', () => {
    expect(strokesOf([1, 2, null, 4, null])).toEqual([
      { from: 0, to: 1, start: 1, end: 2 },
      { from: 3, to: 3, start: 4, end: 4 },
    ]);
  });

  test('touches every known value and no other', () => {
    fc.assert(
      fc.property(values, (some) => {
        const touched = new Map(
          strokesOf(some).flatMap(({ from, to, start, end }) => [
            [from, start],
            [to, end],
          ]),
        );
        const known = some.flatMap((value, index) => (value === null ? [] : [[index, value] as const]));
        expect(touched).toEqual(new Map(known));
      }),
    );
  });
});

test.each([
  [1, 1],
  [12, 1],
  [13, 3],
  [25, 5],
  [30, 5],
  [90, 15],
])('of %i columns each %i. is labelled', (columns, every) => {
  expect(labelEvery(columns)).toBe(every);
});
