import { expect, test } from 'vitest';
import { knownStatus, ORDER_STATUSES } from '../contract/orderStatuses.ts';

test('the statuses of the interface, and those of a parcel on its way, are known', () => {
  expect(ORDER_STATUSES.map(knownStatus)).toEqual([
    'confirmed',
    'shipped',
    'in_transit',
    'out_for_delivery',
    'delivery_attempted',
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
