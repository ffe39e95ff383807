import type { CallEntry } from '../../../connections/callLog.ts';
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
export const canRunAgain = ({ outcome }: CallEntry): boolean =>
  outcome === 'nothing_to_tell' || outcome === 'not_understood' || outcome === 'refused';

const REASONS: Readonly<Record<string, string>> = {
  // Nothing to tell.
  no_change: 'Nothing changed that is told.',
  late: 'It came late: something newer of this order was known already.',
  status_not_told: 'This status is not told. The table of statuses says which are.',
  no_email: 'The order has no email address.',
  test_order: 'It is a test order.',
  too_old: 'It happened more than 24 hours before we first heard of the order.',
  waits_for_order: 'It waits for the order that it belongs to.',
  waits_for_shipment: 'It waits for a shipment with this tracking number.',
  already_told: 'This was told before.',
  shipped_known: 'The order had shipped already, so its confirmation is skipped.',
  quiet: 'The store asks that the customer is not told.',
  deleted: 'The store deleted the order. That is never told.',
  ping: 'The store has found us.',
  // Not understood.
  not_json: 'The call is no JSON that can be read.',
  no_order_id: 'The call names no order.',
  no_order_number: 'The order has no number.',
  no_tracking_number: 'The call names no tracking number.',
  unknown_topic: 'We do not know this kind of call.',
  // Sent, with something left out.
  bad_tracking_url: 'The tracking link was left out: it is no https address.',
  bad_tracking_number: 'The tracking number was left out: it is none that can be shown.',
  // Refused, as any push would be.
  'business.inactive': 'The shop is deactivated.',
  'plan.read_only': 'The plan has lapsed.',
};

/** A sentence; a reason of another version is shown as it is. Null: there is nothing to explain. */
export function reasonSentence(reason: string | null): string | null {
  if (reason === null || reason === '') return null;
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? null) : reason;
}

/** For the test that holds this list against what the log can say. */
export const knownReasons = Object.keys(REASONS);
