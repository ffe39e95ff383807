import type { Language } from '../language/languages.ts';
import { en } from '../language/messages/en.ts';

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

/** The label on a badge of the dashboard, which is in English. */
export const statusLabel = (status: OrderStatus): string => en[`status.${status}`];

export function knownStatus(text: string | null): OrderStatus | null {
  return ORDER_STATUSES.find((status) => status === text) ?? null;
}

/** What every nudge about an order says. */
export interface OrderNudge {
  businessName: string;
  reference: string | null;
  /** As the merchant sent it; an unknown status counts as none. */
  orderStatus: string | null;
  link: string;
  /** English unless it is given. */
  language?: Language;
}
