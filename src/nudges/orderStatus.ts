import type { OrderWord } from '../contract/orders.ts';
import type { Language } from '../language/languages.ts';
import { en } from '../language/messages/en.ts';
import type { PlainName } from '../language/translation.ts';

/** What says a status in each language, whether a message or a tracking event has it. */
export const STATUS_NAMES = {
  confirmed: 'status.confirmed',
  shipped: 'status.shipped',
  label_created: 'tracking.label_created',
  picked_up: 'tracking.picked_up',
  in_transit: 'status.in_transit',
  out_for_delivery: 'status.out_for_delivery',
  delivery_attempted: 'status.delivery_attempted',
  ready_for_pickup: 'status.ready_for_pickup',
  available_for_pickup: 'status.ready_for_pickup',
  delivered: 'status.delivered',
  cancelled: 'status.cancelled',
  refunded: 'status.refunded',
  delayed: 'status.delayed',
  exception: 'tracking.exception',
  returned: 'tracking.returned',
} as const satisfies Record<OrderWord, PlainName>;

/** The label on a badge of the dashboard, which is in English. */
export const statusLabel = (status: OrderWord): string => en[STATUS_NAMES[status]];

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
