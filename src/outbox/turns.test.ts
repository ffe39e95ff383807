import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatherMs, Turns } from './turns.ts';

const now = 1_000;
const of = (...businesses: string[]) => businesses.map((business_id) => ({ business_id }));
const many = (business: string, count: number) => of(...Array.from({ length: count }, () => business));

test('a business with its lists under way waits, and nobody else does', () => {
  const turns = new Turns(2);
  const first = turns.begin(of('a', 'b'), now);
  expect(turns.taken(now)).toEqual([]);
  const next = turns.begin(of('a'), now);
  expect(turns.taken(now)).toEqual(['a']);
  first.end();
  expect(turns.taken(now)).toEqual([]);
  turns.begin(of('a'), now);
  expect(turns.taken(now)).toEqual(['a']);
  next.end();
  expect(turns.taken(now)).toEqual([]);
});

test('the end of a list says whether somebody was kept waiting', () => {
  const turns = new Turns(1);
  expect(turns.begin(of('a'), now).end()).toBe(false);
  const { end } = turns.begin(of('a'), now);
  turns.taken(now);
  expect(end()).toBe(true);
  expect(turns.begin(of('a'), now).end()).toBe(false);
});

test('a business whose list held several gathers for a while, also once the list has ended', () => {
  const turns = new Turns(2);
  const { end, gathers } = turns.begin([...many('a', 3), ...of('b')], now);
  end();
  expect(gathers).toEqual([gatherMs(3)]);
  expect(turns.taken(now + gatherMs(3) - 1)).toEqual(['a']);
  expect(turns.taken(now + gatherMs(3))).toEqual([]);
});

test('news of those who wait need no look of their own: one follows when they need not any more', () => {
  const turns = new Turns(1);
  const { end } = turns.begin([...many('a', 3), ...of('b')], now);
  expect(turns.allWait(['a', 'b'], now)).toBe(true);
  expect(turns.allWait(['a', 'c'], now)).toBe(false);
  expect(end()).toBe(true);
  expect(turns.allWait(['a'], now)).toBe(true);
  expect(turns.allWait(['b'], now)).toBe(false);
  expect(turns.allWait(['a'], now + gatherMs(3))).toBe(false);
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
