import { statementOfBusinesses } from '../db/perBusiness.ts';
import { EXCERPT_SOURCE_LENGTH } from '../nudges/excerpt.ts';
import type { ConsentStatus } from '../recipients/recipient.ts';
import { type KeyLists, type Send, sendColumns } from './send.ts';

/** A locked send with the recipient and message columns that the gates and the events read. */
export interface LockedSend extends Send {
  email: string;
  phone: string | null;
  phone_country: string | null;
  sms_status: ConsentStatus;
  whatsapp_status: ConsentStatus;
  unsubscribed_at: Date | null;
  /** The recipient's tag; null: not known. */
  language: string | null;
  subject: string | null;
  /** The beginning of the message's text, of an email that is about to go out. */
  body_start: string | null;
  reference: string | null;
  order_status: string | null;
  /** The shipment that the message names. */
  tracking_number: string | null;
  message_status: 'active' | 'obsolete' | 'retracted' | null;
  message_created_at: Date | null;
  /** The first opening. */
  opened_at: Date | null;
  /** An update in place nudged since the last opening; null: service mail. */
  unread_again: boolean | null;
  /** The trace of the push that wrote the message. */
  trace_context: string | null;
  /** The text of the WhatsApp reply that service mail is about; null after its erasure. */
  reply: string | null;
}

/**
 * The first lock in the common order: recipient, message, sends, account, usage. It is a shared lock: sends to one person
 * can run concurrently, but a stop, an unsubscription or an erasure excludes them.
 */
export const lockRecipients = lockByKey('recipients');

/** The same, given only the sends' keys. */
export const lockRecipientsOf = lockBySend('for share');

/** The same for a transaction that may change recipients: upgrading a shared lock could deadlock. */
export const lockRecipientsToChange = lockBySend('for no key update');

/** The second lock: a retraction, an opening or an update in place comes entirely before or entirely after. */
export const lockMessages = lockByKey('messages');

/** Selects a locked send `s` with its recipient and its message. */
const LOCKED = `
  select ${sendColumns('s')}, r.email, r.phone, r.phone_country, r.sms_status, r.whatsapp_status, r.unsubscribed_at, r.language,
    m.subject, case when s.channel = 'email' and s.state = 'queued' then left(m.body, ${EXCERPT_SOURCE_LENGTH + 1}) end as body_start,
    m.reference, m.order_status, m.tracking_number, m.status as message_status, m.created_at as message_created_at, m.opened_at,
    m.unread_again, m.trace_context,
    (select w.body from whatsapp_replies w where w.business_id = s.business_id and w.id = s.about) as reply
  from sends_to_lock c
  cross join lateral (select * from sends where business_id = c.business_id and id = c.id for update) s
  cross join lateral (select * from recipients where business_id = s.business_id and id = s.recipient_id offset 0) r
  left join lateral (select * from messages where business_id = s.business_id and id = s.message_id offset 0) m on true`;

/**
 * The third lock: service mail, and all waiting or submitting sends of these messages, since one can decide about another.
 */
export const lockUnderWay = statementOfBusinesses<
  [businessIds: string[], messageIds: string[], serviceBusinessIds: string[], serviceIds: string[]],
  LockedSend
>(
  ['businesses', 'parallel', 'businesses', 'parallel'],
  `
  with sends_to_lock as materialized (
    select h.business_id, h.id from unnest($1::text[], $2::text[]) k (business_id, id) cross join lateral (
      select business_id, id from sends
      where business_id = k.business_id and message_id = k.id and state in ('held', 'queued', 'submitting')
      offset 0) h
    union all
    select k.business_id, k.id from unnest($3::text[], $4::text[]) k (business_id, id)
    order by id
  )
  ${LOCKED}`,
);

/** The same, given only the sends' keys; those sends are locked in any state. */
export const lockSends = statementOfBusinesses<KeyLists, LockedSend>(
  ['businesses', 'parallel'],
  `
  with requested as materialized (
    select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  ), sends_to_lock as materialized (
    select business_id, id from requested
    union
    select h.business_id, h.id from requested q cross join lateral (
      select business_id, message_id from sends where business_id = q.business_id and id = q.id offset 0) s
    cross join lateral (
      select business_id, id from sends
      where business_id = s.business_id and message_id = s.message_id and state in ('held', 'queued', 'submitting')
      offset 0) h
    order by id
  )
  ${LOCKED}`,
);

/**
 * Locks rows in the order of the listed keys. `lateral` with a lock or `offset 0` forces one index lookup per key; without
 * it the planner may scan the table, which looks cheap when its statistics are from an empty table.
 */
function lockByKey(table: 'recipients' | 'messages') {
  return lockStatement(`
  select from unnest($1::text[], $2::text[]) k (business_id, id) cross join lateral (
    select from ${table} where business_id = k.business_id and id = k.id for share) locked`);
}

/** The same for the recipients of the given sends, in the order of the recipients' ids. */
function lockBySend(lock: 'for share' | 'for no key update') {
  return lockStatement(`
  with recipients_to_lock as materialized (
    select distinct s.business_id, s.recipient_id as id from unnest($1::text[], $2::text[]) k (business_id, id)
    cross join lateral (select * from sends where business_id = k.business_id and id = k.id offset 0) s
    order by id
  )
  select from recipients_to_lock q cross join lateral (
    select from recipients where business_id = q.business_id and id = q.id ${lock}) locked`);
}

function lockStatement(text: string) {
  return statementOfBusinesses<KeyLists>(['businesses', 'parallel'], text);
}
