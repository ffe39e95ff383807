/** The order statuses with their own wording. A push may name another one, which counts as no status. */
export const ORDER_STATUSES = [
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
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const knownStatus = (text: string | null): OrderStatus | null =>
  ORDER_STATUSES.find((status) => status === text) ?? null;
