import type { CallEntry } from '../../../connections/callLog.ts';
import { catalogue, type ErrorCode, sentenceOf } from '../../../kit/errors.ts';
import type { Flash } from '../../kit/flash.ts';

type Outcome = NonNullable<CallEntry['outcome']>;

/** What became of a call. */
export const OUTCOME_BADGES = {
  pushed: { tone: 'good', text: 'Sent' },
  would_push: { tone: 'waiting', text: 'Would send' },
  nothing_to_tell: { tone: 'plain', text: 'Nothing to tell' },
  not_understood: { tone: 'bad', text: 'Not understood' },
  refused: { tone: 'bad', text: 'Refused' },
} as const satisfies Record<Outcome, Flash>;

export const OUTCOME_OPTIONS: readonly (readonly [outcome: string, words: string])[] = [
  ['', 'Any'],
  ...Object.entries(OUTCOME_BADGES).map(([outcome, { text }]) => [outcome, text] as const),
];

export const knownOutcome = (text: string | undefined): Outcome | null =>
  text !== undefined && isOutcome(text) ? text : null;
const isOutcome = (text: string): text is Outcome => Object.hasOwn(OUTCOME_BADGES, text);

/** A call that is under way has no outcome yet. */
export const outcomeBadge = (outcome: CallEntry['outcome']): Flash =>
  outcome === null ? { tone: 'plain', text: 'Under way' } : OUTCOME_BADGES[outcome];

/** Running a call again can help where nothing came of it. */
export const canRunAgain = ({ outcome, reason }: CallEntry): boolean =>
  outcome === 'not_understood' ||
  outcome === 'refused' ||
  (outcome === 'nothing_to_tell' && reason !== 'ping');

export const CALL_REASONS: Readonly<Record<string, string>> = {
  // Nothing to tell.
  no_change: 'Nothing changed that is told.',
  late: 'It came late: something newer of this order was known already.',
  status_not_told: 'This status is not told. The table of statuses says which are.',
  no_email: 'The order has no email address.',
  bad_email: 'The order’s email address is none that mail can be sent to.',
  test_order: 'It is a test order.',
  too_old: 'It happened more than 24 hours before we first heard of the order.',
  waits_for_order: 'It waits for the order that it belongs to.',
  waits_for_shipment: 'It waits for a shipment with this tracking number, for up to a week.',
  unknown_shipment: 'No order has a shipment with this tracking number.',
  already_told: 'This was told before.',
  shipped_known: 'The order had shipped already, so its confirmation is skipped.',
  quiet: 'The customer is not told of it: the store asks so, or only the shipment was added to the message.',
  deleted: 'The store deleted the order. That is never told.',
  event_stored:
    'It is kept as a tracking event of the order. Your tracking settings say which ones make a message.',
  watched: 'It is kept as a tracking event of the order, and nobody is told while the connection watches.',
  other_topic: 'The call is about something else than orders.',
  draft: 'Somebody is still at the checkout.',
  other_event: 'The call is about something else than a parcel on its way.',
  test_event: 'It is a test of the tracking service.',
  unknown_status: 'The service says a status that we do not know.',
  no_history: 'The call has no history of the parcel yet.',
  ping: 'The store has found us.',
  // Not understood.
  not_json: 'The call is no JSON that can be read.',
  no_order_id: 'The call names no order.',
  no_order_number: 'The order has no number that can be shown.',
  no_fulfillment_id: 'The call names no fulfilment.',
  no_refund_id: 'The call names no refund.',
  no_tracking_number: 'The call names no tracking number.',
  no_status: 'The call names no status.',
  store_error: 'The store sent an error in place of the order: the user of its webhook may not see orders.',
  legacy_api_version: 'The webhook uses the old API. Choose “WP REST API Integration v3” in it.',
  no_query: 'The call lacks what the subscription query asks for. Copy the query from the steps once more.',
  no_valid_time: 'The call names no time that can be read.',
  // Sent, with something left out.
  bad_tracking_url: 'The tracking link was left out: it is no https address.',
  bad_tracking_number: 'The tracking number was left out: it is none that can be shown.',
};

/** A sentence; a reason of another version is shown as it is. Null: there is nothing to explain. */
export function reasonSentence(reason: string | null): string | null {
  if (reason === null || reason === '') return null;
  if (Object.hasOwn(CALL_REASONS, reason)) return CALL_REASONS[reason] ?? null;
  // As any push is refused.
  return isErrorCode(reason) ? sentenceOf(reason) : reason;
}

const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(catalogue, text);
