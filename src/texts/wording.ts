import type { OrderStatus } from '../contract/orderStatuses.ts';

/** What our texts say in one language; every text is Liquid. `defaults.ts` makes a subject and a body of them. */
export interface Wording {
  /** Without the name where it would have to be inflected. */
  hello: string;
  /** How a day is written. */
  date: string;
  carrier: string;
  trackingNumber: string;
  expected: string;
  follow: string;
  order: string;
  news: Readonly<Record<OrderStatus, string>>;
}
