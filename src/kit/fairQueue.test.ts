import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fairQueue.ts';

const queueOf = (maxItems: number, maxBytes = Number.POSITIVE_INFINITY) =>
  new FairQueue<string>({ maxItems, maxBytes });

test('tenants take turns, and each one keeps its order', () => {
  const queue = queueOf(10);
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item, 0);
  expect(queue.dequeue({ most: 4 })).toEqual(['a1', 'b1', 'c1', 'a2']);
  queue.add('b', 'b2', 0);
  expect(queue.dequeue({ most: 10 })).toEqual(['c2', 'a3', 'b2', 'a4']);
  expect(queue.dequeue({ most: 10 })).toEqual([]);
});

test('no tenant gets more than its part of what is taken, and those whose turn it is not get nothing', () => {
  const queue = queueOf(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item.slice(0, 1), item, 0);
  expect(queue.tenants).toBe(3);
  expect(queue.dequeue({ most: 10, mostPerTenant: 2, except: new Set(['c']) })).toEqual(['a1', 'b1', 'a2']);
  expect(queue.dequeue({ most: 10, except: new Set(['a', 'c']) })).toEqual([]);
  expect(queue.dequeue({ most: 10 })).toEqual(['c1', 'a3', 'c2']);
  expect([queue.tenants, queue.length]).toEqual([0, 0]);
});

test('one tenant may fill a fixed share of the queue, by items and by bytes, and leaves the rest for others', () => {
  const items = queueOf(3);
  expect([1, 2, 3, 4].map((n) => items.add('a', `a${n}`, 0))).toEqual([true, true, true, false]);
  expect(items.add('b', 'b1', 0)).toBe(true);
  expect(items.length).toBe(4);

  const bytes = queueOf(100, 100);
  expect([60, 41, 40, 1].map((size) => bytes.add('a', 'a', size))).toEqual([true, false, true, false]);
  expect(bytes.add('b', 'b', 50)).toBe(true);
  expect(bytes.length).toBe(3);
});

test('an item of one tenant waits for at most one item of each other', () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (arrivals, count) => {
        const queue = queueOf(100);
        arrivals.forEach((tenant, n) => void queue.add(tenant, `${tenant}${n}`, 1));
        queue.add('newcomer', 'newcomer', 1);
        const taken: string[] = [];
        while (queue.length > 0) taken.push(...queue.dequeue({ most: count }));
        expect(taken.indexOf('newcomer')).toBeLessThan(5);
        for (const tenant of ['a', 'b', 'c', 'd']) {
          const own = taken.filter((item) => item.startsWith(tenant)).map((item) => Number(item.slice(1)));
          expect(own).toEqual([...own].sort((x, y) => x - y));
        }
        expect(taken).toHaveLength(arrivals.length + 1);
      },
    ),
  ));
