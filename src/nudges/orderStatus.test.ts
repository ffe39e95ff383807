import { expect, test } from 'vitest';
import { knownStatus, ORDER_STATUSES } from './orderStatus.ts';

test('the seven statuses of the interface are known', () => {
  expect(ORDER_STATUSES.map(knownStatus)).toEqual([
    'confirmed',
    'shipped',
    'ready_for_pickup',
    'delivered',
    'cancelled',
    'refunded',
    'delayed',
  ]);
});

test.each([null, '', 'Shipped', ' shipped', 'returned', 'toString', '__proto__'])(
  '%j counts as no status',
  (text) => {
    expect(knownStatus(text)).toBeNull();
  },
);
