import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BusinessPacing, gatherMs } from './businessPacing.ts';

const now = 1_000;
const of = (...businesses: string[]) => businesses.map((business_id) => ({ business_id }));
const many = (business: string, count: number) => of(...Array.from({ length: count }, () => business));

test('a business with its lists under way waits, and nobody else does', () => {
  const pacing = new BusinessPacing(2);
  const first = pacing.begin(of('a', 'b'), now);
  expect(pacing.waiting(now)).toEqual([]);
  const next = pacing.begin(of('a'), now);
  expect(pacing.waiting(now)).toEqual(['a']);
  first.end();
  expect(pacing.waiting(now)).toEqual([]);
  pacing.begin(of('a'), now);
  expect(pacing.waiting(now)).toEqual(['a']);
  next.end();
  expect(pacing.waiting(now)).toEqual([]);
});

test('the end of a list says whether somebody was kept waiting', () => {
  const pacing = new BusinessPacing(1);
  expect(pacing.begin(of('a'), now).end()).toBe(false);
  const { end } = pacing.begin(of('a'), now);
  pacing.waiting(now);
  expect(end()).toBe(true);
  expect(pacing.begin(of('a'), now).end()).toBe(false);
});

test('a business whose list held several gathers for a while, also once the list has ended', () => {
  const pacing = new BusinessPacing(2);
  const { end, gathers } = pacing.begin([...many('a', 3), ...of('b')], now);
  end();
  expect(gathers).toEqual([gatherMs(3)]);
  expect(pacing.waiting(now + gatherMs(3) - 1)).toEqual(['a']);
  expect(pacing.waiting(now + gatherMs(3))).toEqual([]);
});

test('news of those who wait need no look of their own: one follows when they need not any more', () => {
  const pacing = new BusinessPacing(1);
  const { end } = pacing.begin([...many('a', 3), ...of('b')], now);
  expect(pacing.allWait(['a', 'b'], now)).toBe(true);
  expect(pacing.allWait(['a', 'c'], now)).toBe(false);
  expect(end()).toBe(true);
  expect(pacing.allWait(['a'], now)).toBe(true);
  expect(pacing.allWait(['b'], now)).toBe(false);
  expect(pacing.allWait(['a'], now + gatherMs(3))).toBe(false);
});

test('one nudge at a time never waits, nor does a backlog', () => {
  expect(gatherMs(1)).toBe(0);
  expect(gatherMs(25)).toBe(0);
  expect(gatherMs(200)).toBe(0);
});

test('the more a short list held, the longer; but never longer than a moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 24 }), (nudges) => {
      expect(gatherMs(nudges)).toBeGreaterThanOrEqual(gatherMs(nudges - 1));
      expect(gatherMs(nudges)).toBeGreaterThan(0);
      expect(gatherMs(nudges)).toBeLessThanOrEqual(40);
    }),
  );
});
