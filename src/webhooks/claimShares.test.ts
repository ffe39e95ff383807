import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClaimLimits, shareAmongEndpoints } from './claimShares.ts';
import type { DueEndpoint } from './claimSql.ts';

const endpoint = (queue: string, is: Partial<DueEndpoint> = {}): DueEndpoint => ({
  business_id: 'b',
  queue,
  earliest: 0,
  live: true,
  failing: false,
  leased: false,
  free: true,
  ...is,
});
const limits: ClaimLimits = { limit: 12, perEndpoint: 5, held: [] };
const held = (endpointId: string, capacity: number) => ({ businessId: 'b', endpointId, capacity });

describe('a claim', () => {
  const shares = (endpoints: DueEndpoint[], given: Partial<ClaimLimits> = {}): Record<string, number> =>
    Object.fromEntries(
      shareAmongEndpoints(endpoints, { ...limits, ...given }).map(({ endpoint: { queue }, count }) => [
        queue,
        count,
      ]),
    );
  const [one, two, three] = [endpoint('1'), endpoint('2'), endpoint('3')];

  test.each<[string, Record<string, number>, Record<string, number>]>([
    ['gives each endpoint an equal share', shares([one, two, three]), { 1: 4, 2: 4, 3: 4 }],
    ['gives no endpoint more than its capacity', shares([one]), { 1: 5 }],
    [
      'counts what this worker holds already',
      shares([one, two, three], { held: [held('1', 2), held('2', 0)] }),
      { 1: 2, 3: 5 },
    ],
    [
      'gives a failing endpoint one delivery',
      shares([endpoint('1', { failing: true }), two]),
      { 1: 1, 2: 5 },
    ],
    [
      'stops all deliveries of an endpoint that is not live',
      shares([endpoint('1', { live: false })]),
      { 1: 12 },
    ],
    [
      'leaves an endpoint to the worker that holds some',
      shares([endpoint('1', { leased: true }), two]),
      { 2: 5 },
    ],
    [
      'does not spend its limit on endpoints whose deliveries are all under way',
      shares([endpoint('1', { free: false }), two], { limit: 1 }),
      { 2: 1 },
    ],
    ['serves no more endpoints than its limit', shares([one, two, three], { limit: 2 }), { 1: 1, 2: 1 }],
  ])('%s', (_, given, expected) => expect(given).toEqual(expected));
});

test('the shares fit the limit, and each is at least one', () => {
  const some = fc.array(
    fc.record({ live: fc.boolean(), failing: fc.boolean(), leased: fc.boolean(), free: fc.boolean() }),
  );
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 20 }), (made, limit) => {
      const shares = shareAmongEndpoints(
        made.map((is, at) => endpoint(String(at), is)),
        { ...limits, limit },
      );
      expect(shares.every(({ count }) => count >= 1)).toBe(true);
      expect(shares.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(limit);
    }),
  );
});
