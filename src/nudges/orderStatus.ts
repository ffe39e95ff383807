/** The order statuses with their own wording. A push may name another one, which counts as no status. */
export const ORDER_STATUSES = [
  'confirmed',
  'shipped',
  'ready_for_pickup',
  'delivered',
  'cancelled',
  'refunded',
  'delayed',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The words after "your order", the same in every nudge and in the inbox. */
export const statusWords: Readonly<Record<OrderStatus, string>> = {
  confirmed: 'is confirmed',
  shipped: 'has shipped',
  ready_for_pickup: 'is ready for pickup',
  delivered: 'has been delivered',
  cancelled: 'has been cancelled',
  refunded: 'has been refunded',
  delayed: 'is delayed',
};

/** The label on a badge. */
export const statusLabel: Readonly<Record<OrderStatus, string>> = {
  confirmed: 'Confirmed',
  shipped: 'Shipped',
  ready_for_pickup: 'Ready for pickup',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  delayed: 'Delayed',
};

export function knownStatus(text: string | null): OrderStatus | null {
  return ORDER_STATUSES.find((status) => status === text) ?? null;
}
