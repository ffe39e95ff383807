import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSharedCapacity, isWithinShare } from './fairShare.ts';

describe('a claim is within the share of its tenant', () => {
  test.each([
    // capacity, used, held, requested, weight, within
    [10, 0, 0, 5, 1, true],
    [10, 0, 0, 6, 1, false],
    [10, 5, 5, 1, 1, false],
    [10, 5, 0, 2, 1, true],
    [10, 5, 0, 3, 1, false],
    [10, 6, 3, 1, 1, false],
    [10, 6, 1, 1, 1, true],
    [2, 0, 0, 1, 1, true],
    [1, 0, 0, 1, 1, false],
    [10, 10, 0, 0, 1, true],
    [9, 0, 0, 1, 1 / 8, true],
    [9, 1, 1, 1, 1 / 8, false],
    [Number.POSITIVE_INFINITY, 1_000, 1_000, 1_000, 1, true],
  ])(
    'of %d, %d used, %d held by it, %d more, weight %d: %s',
    (capacity, used, held, requested, weight, within) => {
      expect(isWithinShare({ capacity, used, held, requested, weight })).toBe(within);
    },
  );
});

/** Reserves one unit per tenant in rotation until every tenant is refused. */
function takeAll(capacity: number, tenants: readonly string[]) {
  const shared = createSharedCapacity(capacity);
  const held = new Map<string, number>();
  for (let taken = true; taken; ) {
    taken = false;
    for (const tenant of tenants) {
      if (!shared.tryReserve(tenant, 1)) continue;
      held.set(tenant, (held.get(tenant) ?? 0) + 1);
      taken = true;
    }
  }
  return { shared, held };
}

test('any number of greedy tenants get equal shares, and as much is left for the next one', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 5_000 }), (count, capacity) => {
      const tenants = Array.from({ length: count }, (_, n) => `tenant ${n}`);
      const { shared, held } = takeAll(capacity, tenants);
      const share = Math.floor(capacity / (count + 1));
      for (const tenant of tenants) {
        expect(held.get(tenant)).toBeGreaterThanOrEqual(share - 1);
        expect(held.get(tenant)).toBeLessThanOrEqual(share + 1);
      }
      expect(capacity - shared.used()).toBeGreaterThanOrEqual(share - 1);
      expect(shared.tryReserve('a newcomer', 1)).toBe(true);
    }),
  ));

test('a tenant of little weight gets little, however much is free', () => {
  const shared = createSharedCapacity(900);
  let held = 0;
  while (shared.tryReserve('light', 1, 1 / 8)) held += 1;
  expect(held).toBe(100);
  expect(shared.tryReserve('heavy', 400)).toBe(true);
});

test('never more than the capacity is taken, and all of it is free once everything is released', () =>
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20), fc.boolean())), (claims) => {
      const shared = createSharedCapacity(50);
      const held: [string, number][] = [];
      for (const [tenant, amount, leaves] of claims) {
        if (shared.tryReserve(tenant, amount)) held.push([tenant, amount]);
        expect(shared.used()).toBeLessThanOrEqual(50);
        const oldest = leaves ? held.shift() : undefined;
        if (oldest) shared.release(...oldest);
      }
      for (const one of held) shared.release(...one);
      expect(shared.used()).toBe(0);
      expect(shared.tryReserve('anyone', 25)).toBe(true);
    }),
  ));
