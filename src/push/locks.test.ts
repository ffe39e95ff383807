import { expect, test } from 'vitest';
import { BATCH_MAX } from '../config/limits.ts';
import { blocksAround, blocksOf, itemKey, itemOf, type Lockable, lockResults } from './locks.ts';

const item = (key: string, businessId = 'business'): Lockable => ({
  businessId,
  key,
  request: { recipientEmail: 'ann@example.com', phone: null },
});
const locks = (keys: boolean[], recipients = keys.map(() => true)) => ({
  keys,
  recipients,
});

test('an item is free when its key and its recipient are', () => {
  expect(lockResults([item('a'), item('b')], locks([true, true]))).toEqual(['free', 'free']);
});

test('a key that is being worked on elsewhere is in progress, whichever transaction holds the recipient', () => {
  expect(lockResults([item('a')], locks([false], [true]))).toEqual(['in_progress']);
  expect(lockResults([item('a')], locks([false], [false]))).toEqual(['in_progress']);
});

test('a key that comes twice is being worked on when it comes again; another business’s is another key', () => {
  const items = [item('a'), item('a'), item('a', 'other')];
  expect(lockResults(items, locks([true, true, true]))).toEqual(['free', 'in_progress', 'free']);
});

test('an item whose recipient is busy waits for its turn', () => {
  expect(lockResults([item('a'), item('b')], locks([true, true], [false, true]))).toEqual([
    'recipient_busy',
    'free',
  ]);
});

test.for([0, 9, 10, BATCH_MAX - 1])('item %i belongs to its batch', (index) => {
  expect(itemOf(itemKey('nightly', index))).toEqual({ batchKey: 'nightly', index });
  expect(itemOf(itemKey('a#1', index))).toEqual({ batchKey: 'a#1', index });
});

test.for([
  '',
  '#',
  '#1',
  'order',
  'order#',
  'order#01',
  'order#1.5',
  'order#-1',
  'order# 1',
  'order#1e1',
  `order#${BATCH_MAX}`,
])('"%s" is no item of any batch', (key) => {
  expect(itemOf(key)).toBeNull();
});

test('an item and a batch share a block, and only one, just when the item is one of the batch’s', () => {
  for (let items = 1; items <= BATCH_MAX; items += 1) {
    const blocks = new Set(blocksOf(items));
    for (let index = 0; index < BATCH_MAX; index += 1) {
      const shared = blocksAround(index).filter((block) => blocks.has(block));
      expect(shared.length, `item ${index} of ${items}`).toBe(index < items ? 1 : 0);
    }
  }
});
