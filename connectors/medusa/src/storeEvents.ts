import type { OrderStatus } from '../../../src/contract/orderStatuses.ts';

/** The events of Medusa that can be told, and what each tells by default. */
export const STORE_EVENTS = {
  'order.placed': 'confirmed',
  'shipment.created': 'shipped',
  'delivery.created': 'delivered',
  'order.canceled': 'cancelled',
  'payment.refunded': 'refunded',
} as const satisfies Readonly<Record<string, OrderStatus>>;

export type StoreEvent = keyof typeof STORE_EVENTS;

export const isStoreEvent = (name: string): name is StoreEvent => Object.hasOwn(STORE_EVENTS, name);
