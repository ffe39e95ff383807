import { expect, test } from 'vitest';
import { BATCH_MAX } from '../config/limits.ts';
import { batchOf, itemKey } from './itemKey.ts';

test.for([0, 9, 10, BATCH_MAX - 1])('item %i belongs to its batch', (index) => {
  expect(batchOf(itemKey('nightly', index))).toBe('nightly');
  expect(batchOf(itemKey('a#1', index))).toBe('a#1');
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
  expect(batchOf(key)).toBeNull();
});
