import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ORDER_STATUSES, type OrderStatus } from '../contract/orderStatuses.ts';
import { progressOf, type Step } from './progress.ts';

const drawn = (...statuses: Step[]): string =>
  progressOf(statuses)
    ?.steps.map(({ status, reached }) => (reached ? status.toUpperCase() : status))
    .join(' → ') ?? '';

test.each<[OrderStatus[], string]>([
  [['confirmed'], 'CONFIRMED → shipped → in_transit → out_for_delivery → delivered'],
  [['shipped', 'confirmed'], 'CONFIRMED → SHIPPED → in_transit → out_for_delivery → delivered'],
  [['shipped'], 'CONFIRMED → SHIPPED → in_transit → out_for_delivery → delivered'],
  [['delivered', 'shipped'], 'CONFIRMED → SHIPPED → IN_TRANSIT → OUT_FOR_DELIVERY → DELIVERED'],
  [['ready_for_pickup', 'confirmed'], 'CONFIRMED → READY_FOR_PICKUP → delivered'],
  [['delivered', 'ready_for_pickup'], 'CONFIRMED → READY_FOR_PICKUP → DELIVERED'],
  [['ready_for_pickup', 'shipped'], 'CONFIRMED → SHIPPED → READY_FOR_PICKUP → delivered'],
  [['ready_for_pickup', 'in_transit'], 'CONFIRMED → IN_TRANSIT → READY_FOR_PICKUP → delivered'],
  [['in_transit'], 'CONFIRMED → SHIPPED → IN_TRANSIT → out_for_delivery → delivered'],
  [['out_for_delivery'], 'CONFIRMED → SHIPPED → IN_TRANSIT → OUT_FOR_DELIVERY → delivered'],
  [['delivery_attempted'], 'CONFIRMED → SHIPPED → IN_TRANSIT → OUT_FOR_DELIVERY → delivered'],
  [['ready_for_pickup', 'delivery_attempted'], 'CONFIRMED → READY_FOR_PICKUP → delivered'],
  [['delayed'], ''],
  [['delayed', 'shipped'], 'CONFIRMED → SHIPPED → in_transit → out_for_delivery → delivered'],
  [['shipped', 'delayed', 'confirmed'], 'CONFIRMED → SHIPPED → in_transit → out_for_delivery → delivered'],
  [['cancelled', 'confirmed'], 'CONFIRMED → CANCELLED'],
  [['cancelled'], 'CANCELLED'],
  [['refunded', 'cancelled', 'confirmed'], 'CONFIRMED → CANCELLED → REFUNDED'],
  [['refunded', 'delivered'], 'CONFIRMED → SHIPPED → IN_TRANSIT → OUT_FOR_DELIVERY → DELIVERED → REFUNDED'],
  [['confirmed', 'shipped'], 'CONFIRMED → shipped → in_transit → out_for_delivery → delivered'],
])('an order told as %j is drawn as %s', (statuses, way) => {
  expect(drawn(...statuses)).toBe(way);
});

test('an order without a status has no progress', () => {
  expect(progressOf([])).toBeNull();
});

test('a parcel that came back ends the way where it was', () => {
  expect(drawn('returned', 'delivery_attempted')).toBe(
    'CONFIRMED → SHIPPED → IN_TRANSIT → OUT_FOR_DELIVERY → RETURNED',
  );
  expect(drawn('refunded', 'returned', 'shipped')).toBe('CONFIRMED → SHIPPED → RETURNED → REFUNDED');
});

test('whatever the statuses, no step is reached after one that is not, and the last status told is the one shown', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ORDER_STATUSES), { minLength: 1 }), (statuses) => {
      const progress = progressOf(statuses);
      expect(progress?.status).toBe(statuses[0]);
      const reached = (progress?.steps ?? []).map((step) => step.reached);
      expect(reached).toEqual([...reached].sort((a, b) => Number(b) - Number(a)));
      const shown = (progress?.steps ?? []).map((step) => step.status);
      expect(new Set(shown).size).toBe(shown.length);
    }),
  );
});
