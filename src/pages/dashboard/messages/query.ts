import { messageStatuses } from '../../../contract/messages.ts';
import { knownStatus } from '../../../contract/orderStatuses.ts';
import { DAY, later } from '../../../kit/clock.ts';
import type { Sealer } from '../../../kit/seal.ts';
import {
  type EmailOutcomeName,
  emailOutcomes,
  type PaidOutcomeName,
  paidOutcomes,
} from '../../../messages/outcomes.ts';
import { wordsOf } from '../../../search/words.ts';

/** What the filters offer; each finds what has that outcome. */
export const EMAIL_OUTCOMES = [
  ['delivered', 'Delivered'],
  ['opened', 'Opened'],
  ['bounced', 'Bounced'],
  ['complained', 'Marked as spam'],
  ['failed', 'Failed, refused or unknown'],
  ['rejected', 'Refused'],
  ['unknown', 'Outcome unknown'],
  ['not_sent', 'Not sent'],
  ['under_way', 'Under way'],
  ['none', 'None'],
] as const satisfies readonly (readonly [EmailOutcomeName, string])[];

export const PAID_OUTCOMES = [
  ['queued', 'Under way'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed or unknown'],
  ['unknown', 'Outcome unknown'],
  ['rejected', 'Refused'],
  ['skipped', 'Not sent'],
  ['held', 'Held back'],
  ['not_needed', 'Not needed'],
  ['none', 'None'],
  ['read', 'Read'],
] as const satisfies readonly (readonly [PaidOutcomeName, string])[];

/** Longer than any address, reference or sealed search. */
const VALUE_MAX = 2_000;

/** What the address of the list narrows it to. A value that makes no sense narrows nothing. */
export function filterIn(query: Readonly<Record<string, string>>) {
  const text = (name: string): string | null => (query[name] ?? '').slice(0, VALUE_MAX) || null;
  const oneOf = <T extends string>(name: string, known: readonly T[]): T | null =>
    known.find((one) => one === query[name]) ?? null;
  const day = dayIn(text('day'));
  return {
    /** The id of a customer. */
    recipient: text('recipient'),
    reference: text('reference'),
    /** Sealed words of subjects: they can name somebody, and addresses get into histories and logs. */
    find: text('find'),
    status: oneOf('status', messageStatuses),
    order_status: knownStatus(text('order_status')),
    email: oneOf('email', emailOutcomes),
    sms: oneOf('sms', paidOutcomes),
    whatsapp: oneOf('whatsapp', paidOutcomes),
    /** Days in UTC, both inclusive. */
    from: day ?? dayIn(text('from')),
    to: day ?? dayIn(text('to')),
    cursor: text('cursor'),
  };
}
export type MessagesFilter = ReturnType<typeof filterIn>;

const dayIn = (text: string | null): string | null =>
  text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;

/** What to list: the filters of the API, and those that only the dashboard has. `email` is the address of the customer that it is about. */
export const listFilters = (filter: MessagesFilter, email: string | null, words: string | null) => ({
  recipientEmail: email,
  reference: filter.reference,
  status: filter.status,
  // Exclusive, as the API has them.
  createdAfter: filter.from === null ? null : later(new Date(filter.from), -1),
  createdBefore: filter.to === null ? null : later(new Date(filter.to), DAY),
  /** Of the subject; empty: any. */
  words: words === null ? [] : wordsOf(words),
  orderStatus: filter.order_status,
  outcomes: { email: filter.email, sms: filter.sms, whatsapp: filter.whatsapp },
});
export type MessageListFilters = ReturnType<typeof listFilters>;

/** The filter for the audit log: an order and words may name somebody, so only that there were some. */
export const auditedFilter = ({ recipient: _recipient, cursor: _cursor, ...filter }: MessagesFilter) => {
  const { reference, find } = filter;
  const audited = { ...filter, reference: reference !== null || null, find: find !== null || null };
  return Object.fromEntries(Object.entries(audited).filter(([, value]) => value !== null));
};

const contextOf = (businessId: string): string => `dashboard search:${businessId}`;

/** What was searched for, in a form that an address may have. */
export const sealWords = (sealer: Sealer, businessId: string, words: string): string =>
  sealer.seal(words, contextOf(businessId)).toString('base64url');

/** Null: it was altered, or it is another shop's. */
export function openWords(sealer: Sealer, businessId: string, sealed: string): string | null {
  try {
    return sealer.open(Buffer.from(sealed, 'base64url'), contextOf(businessId));
  } catch {
    return null;
  }
}
