import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { PushPreview } from '../contract/push.ts';
import type { KnownOrder } from './knownOrder.ts';

export const CALL_OUTCOMES = [
  'pushed',
  'would_push',
  'nothing_to_tell',
  'not_understood',
  'refused',
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** A message that a watched call would have made. */
export interface WouldPush {
  order_status: OrderStatus;
  recipient_email: string;
  language: string;
  subject: string;
  body: string;
  /** Null: a tracking event, whose push depends on the messages of its order. */
  preview: PushPreview | null;
}

/** What became of a call. */
export interface CallResult {
  outcome: CallOutcome;
  /** A snake_case word, or the code of an error; null: there is nothing to add. */
  reason: string | null;
  messageId: string | null;
  wouldPush: WouldPush[];
  orderNumber: string | null;
  email: string | null;
  /** Handle it again then: it waits for something. */
  retryAt: Date | null;
  /** What is known of the order now; null: as before. */
  known: KnownOrder | null;
  /** The store's own statuses in it. */
  statuses: readonly string[];
}

export const result = (outcome: CallOutcome, change: Partial<Omit<CallResult, 'outcome'>>): CallResult => ({
  outcome,
  reason: null,
  messageId: null,
  wouldPush: [],
  orderNumber: null,
  email: null,
  retryAt: null,
  known: null,
  statuses: [],
  ...change,
});
