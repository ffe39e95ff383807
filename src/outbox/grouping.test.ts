import { expect, test } from 'vitest';
import { limitGroups, splitGroups } from './grouping.ts';

test('work beyond the lanes waits its turn, in order, also after a failure', async () => {
  const inTurn = limitGroups(2);
  const log: string[] = [];
  let running = 0;
  const work = (name: string) => async () => {
    running += 1;
    expect(running).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    log.push(name);
    if (name === 'b') throw new Error('b failed');
  };
  const done = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => inTurn(work(name))));
  expect(done.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(log).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a business with many entries gets a list of its own, the others share one', () => {
  const entries = ['a', 'b', 'b', 'b', 'c'].map((business_id, n) => ({ business_id, n }));
  const { shared, own } = splitGroups(entries, 2);
  expect(shared.map(({ business_id }) => business_id)).toEqual(['a', 'c']);
  expect(own.map((list) => list.map(({ business_id }) => business_id))).toEqual([['b', 'b', 'b']]);
});

test.each([
  ['several and more than all others together', 'aabbbb', ['bbbb'], 'aa'],
  ['no more than the others together', 'aaaabbbb', [], 'aaaabbbb'],
  ['more than the others, but few', 'abbb', [], 'abbb'],
  ['all there is', 'bbbb', [], 'bbbb'],
])('a business that has %s', (_, businesses, own, shared) => {
  const parted = splitGroups(
    [...businesses].map((business_id) => ({ business_id })),
    25,
  );
  const names = (list: { business_id: string }[]) => list.map(({ business_id }) => business_id).join('');
  expect({ own: parted.own.map(names), shared: names(parted.shared) }).toEqual({ own, shared });
});
