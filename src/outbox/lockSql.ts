import { statement } from '../db/statement.ts';
import type { ConsentStatus } from '../recipients/recipient.ts';
import { type Send, sendColumns } from './send.ts';

/** A send that is locked, with what the rules and the events need to know about it. */
export interface LockedSend extends Send {
  email: string;
  phone: string | null;
  phone_country: string | null;
  sms_status: ConsentStatus;
  whatsapp_status: ConsentStatus;
  unsubscribed_at: Date | null;
  subject: string | null;
  reference: string | null;
  order_status: string | null;
  message_status: 'active' | 'obsolete' | 'retracted' | null;
  message_created_at: Date | null;
  opened_at: Date | null;
  /** Of the WhatsApp reply that service mail is about; null once it was erased. */
  reply: string | null;
}

/**
 * First of the locks, in the order that everyone keeps: recipient, message, sends, account, usage. Shared: sends of
 * one person may run side by side, while a stop, an unsubscription or an erasure waits for them, or they for it.
 */
export const lockRecipients = statement<[businessIds: string[], ids: string[]]>(lockByKey('recipients'));

/** The same where only the sends are known. */
export const lockRecipientsOf = statement<[businessIds: string[], sendIds: string[]]>(
  lockBySend('for share'),
);

/** The same for a list that will change some of them: locked as such from the start, since a shared lock cannot grow safely. */
export const lockRecipientsToChange = statement<[businessIds: string[], sendIds: string[]]>(
  lockBySend('for no key update'),
);

/** Second: a retraction, an opening or an update in place comes wholly before or wholly after. */
export const lockMessages = statement<[businessIds: string[], ids: string[]]>(lockByKey('messages'));

/** A locked send `s` with its person and its message. */
const LOCKED = `
  select ${sendColumns('s')}, r.email, r.phone, r.phone_country, r.sms_status, r.whatsapp_status, r.unsubscribed_at,
    m.subject, m.reference, m.order_status, m.status as message_status, m.created_at as message_created_at, m.opened_at,
    (select w.body from whatsapp_replies w where w.business_id = s.business_id and w.id = s.about) as reply
  from concerned c
  cross join lateral (select * from sends where business_id = c.business_id and id = c.id for update) s
  cross join lateral (select * from recipients where business_id = s.business_id and id = s.recipient_id offset 0) r
  left join lateral (select * from messages where business_id = s.business_id and id = s.message_id offset 0) m on true`;

/**
 * Third: what is under way for these messages, since the one decides about the other, and service mail. What was no longer under
 * way is left out.
 */
export const lockUnderWay = statement<
  [businessIds: string[], messageIds: string[], serviceBusinessIds: string[], serviceIds: string[]],
  LockedSend
>(`
  with concerned as materialized (
    select h.business_id, h.id from unnest($1::text[], $2::text[]) k (business_id, id) cross join lateral (
      select business_id, id from sends
      where business_id = k.business_id and message_id = k.id and state in ('held', 'queued', 'submitting')
      offset 0) h
    union all
    select k.business_id, k.id from unnest($3::text[], $4::text[]) k (business_id, id)
    order by id
  )
  ${LOCKED}`);

/** The same where only the sends are known; they are locked whatever became of them. */
export const lockSends = statement<[businessIds: string[], ids: string[]], LockedSend>(`
  with wanted as materialized (
    select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  ), concerned as materialized (
    select business_id, id from wanted
    union
    select h.business_id, h.id from wanted w cross join lateral (
      select business_id, message_id from sends where business_id = w.business_id and id = w.id offset 0) s
    cross join lateral (
      select business_id, id from sends
      where business_id = s.business_id and message_id = s.message_id and state in ('held', 'queued', 'submitting')
      offset 0) h
    order by id
  )
  ${LOCKED}`);

/**
 * Locks rows in the order of their keys. From the list to the rows, each looked up by its key: `lateral` with a lock or
 * `offset 0` forbids the planner to turn that around, whatever it believes of a table that was empty when it last looked.
 */
function lockByKey(table: 'recipients' | 'messages'): string {
  return `
  select from unnest($1::text[], $2::text[]) k (business_id, id) cross join lateral (
    select from ${table} where business_id = k.business_id and id = k.id for share) locked`;
}

/** The same by way of the sends that name them, in the order of the people's ids. */
function lockBySend(lock: string): string {
  return `
  with wanted as materialized (
    select distinct s.business_id, s.recipient_id as id from unnest($1::text[], $2::text[]) k (business_id, id)
    cross join lateral (select * from sends where business_id = k.business_id and id = k.id offset 0) s
    order by id
  )
  select from wanted w cross join lateral (
    select from recipients where business_id = w.business_id and id = w.id ${lock}) locked`;
}
