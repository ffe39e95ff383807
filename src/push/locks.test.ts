import { expect, test } from 'vitest';
import { BATCH_MAX } from '../config/limits.ts';
import { blocksAround, blocksOf, itemKey, itemOf } from './locks.ts';

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
