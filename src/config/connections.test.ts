import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divideConnections, POOL_MAX_LEAST, type PushConcurrency } from './connections.ts';

/** The most connections that pushes can occupy. */
const occupiedBy = ({ groups, spareGroups, deferred, batches, spareSingle }: PushConcurrency): number =>
  groups + spareGroups + deferred + batches + 2 * spareSingle;

const API = { api: true, worker: false };
const WORKER = { api: false, worker: true };
const BOTH = { api: true, worker: true };

test.each([
  // max, roles, pool, webhooks, listening; groups, spare groups, deferred, batches, spare single
  [null, BOTH, [28, 4, 1], [2, 2, 4, 4, 1]],
  [null, API, [16, 0, 1], [2, 2, 4, 4, 1]],
  [null, WORKER, [12, 4, 1], [2, 2, 4, 4, 1]],
  [100, BOTH, [28, 4, 1], [2, 2, 4, 4, 1]],
  [33, BOTH, [28, 4, 1], [2, 2, 4, 4, 1]],
  [32, BOTH, [27, 4, 1], [2, 1, 3, 3, 0]],
  [20, BOTH, [17, 2, 1], [2, 1, 2, 2, 0]],
  [10, BOTH, [8, 1, 1], [1, 0, 1, 1, 0]],
  [6, BOTH, [4, 1, 1], [1, 0, 1, 1, 0]],
  [20, API, [16, 0, 1], [2, 2, 4, 4, 1]],
  [12, API, [11, 0, 1], [2, 1, 2, 2, 0]],
  [8, API, [7, 0, 1], [2, 0, 1, 1, 0]],
  [6, API, [5, 0, 1], [1, 0, 1, 1, 0]],
  [12, WORKER, [8, 3, 1], null],
  [6, WORKER, [4, 1, 1], null],
])('of at most %s, a process with %j has %j', (max, roles, [pool, webhooks, listening], pushes) => {
  const shares = divideConnections(max, roles);
  expect([shares.pool, shares.webhooks, shares.listening]).toEqual([pool, webhooks, listening]);
  const { groups, spareGroups, deferred, batches, spareSingle } = shares.pushes;
  if (pushes !== null) expect([groups, spareGroups, deferred, batches, spareSingle]).toEqual(pushes);
});

test('the shares never add up to more than the limit, and every use has at least one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: POOL_MAX_LEAST, max: 60 }),
      fc.constantFrom(API, WORKER, BOTH),
      (max, roles) => {
        const { pool, webhooks, listening } = divideConnections(max, roles);
        expect(pool + webhooks + listening).toBeLessThanOrEqual(max);
        expect(pool).toBeGreaterThanOrEqual(4);
        if (roles.worker) expect(Math.min(webhooks, listening)).toBe(1);
      },
    ),
  );
});

test('pushes that wait for a lock always leave a connection of the pool to others', () => {
  fc.assert(
    fc.property(fc.integer({ min: POOL_MAX_LEAST, max: 60 }), fc.constantFrom(API, BOTH), (max, roles) => {
      const { pool, pushes } = divideConnections(max, roles);
      expect(occupiedBy(pushes)).toBeLessThan(pool);
    }),
  );
});
