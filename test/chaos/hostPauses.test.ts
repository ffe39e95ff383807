import { describe, expect, test } from 'vitest';
import { hostPauses, type ProbeTick, shareOfTime, undisturbed } from '../../bench/hostPauses.ts';

/** A tick every 5 ms from 1,000 on, of 100 µs each where nothing else is said. */
const ticks = (others: Record<number, number> = {}): ProbeTick[] =>
  Array.from({ length: 200 }, (_, n) => {
    const at = 1_000 + 5 * n;
    return { at, microseconds: others[at] ?? 100 };
  });

describe('pauses of the host', () => {
  test('are not found while the same work always takes about as long', () => {
    expect(hostPauses(ticks())).toEqual([]);
    expect(hostPauses(ticks({ 1100: 199, 1200: 150 }))).toEqual([]);
  });

  test('last from the start of the slow work until the backlog is worked off', () => {
    expect(hostPauses(ticks({ 1500: 5_000 }))).toEqual([{ from: 1_495, to: 1_550 }]);
  });

  test('that overlap are merged into one', () => {
    expect(hostPauses(ticks({ 1500: 1_000, 1540: 1_000, 1700: 1_000 }))).toEqual([
      { from: 1_499, to: 1_590 },
      { from: 1_699, to: 1_750 },
    ]);
  });

  test('are measured as a share of the periods, of which they may overlap a part', () => {
    const pauses = hostPauses(ticks({ 1500: 5_000 }));
    expect(shareOfTime([{ from: 1_000, to: 2_000 }], pauses)).toBeCloseTo(55 / 1_000);
    expect(shareOfTime([{ from: 1_500, to: 1_600 }], pauses)).toBeCloseTo(50 / 100);
    expect(shareOfTime([], pauses)).toBe(0);
  });
});

test('a measurement that overlaps a pause at all is left out', () => {
  const spans = [{ from: 100, to: 150 }];
  const seen = [
    { from: 0, to: 99 },
    { from: 0, to: 100 },
    { from: 120, to: 130 },
    { from: 90, to: 160 },
    { from: 150, to: 170 },
    { from: 151, to: 170 },
  ];
  expect(undisturbed(seen, spans)).toEqual([
    { from: 0, to: 99 },
    { from: 151, to: 170 },
  ]);
});
