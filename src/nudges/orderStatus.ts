import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { Language } from '../language/languages.ts';
import { en } from '../language/messages/en.ts';

/** The label on a badge of the dashboard, which is in English. */
export const statusLabel = (status: OrderStatus): string => en[`status.${status}`];

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
