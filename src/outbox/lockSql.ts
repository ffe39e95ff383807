import type { Channel, PaidChannel } from '../businesses/channels.ts';
import { PRICES, TEMPLATES_IN_REVIEW } from '../businesses/sql.ts';
import { statement } from '../db/statement.ts';
import type { ConsentStatus } from '../recipients/recipient.ts';
import { type Send, sendColumns } from './send.ts';

/** A send that is locked, with what the rules and the events need to know about it. */
export interface Locked extends Send {
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
  Locked
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
export const lockSends = statement<[businessIds: string[], ids: string[]], Locked>(`
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

export interface MarksRow {
  suppressions:
    | { business_id: string; email_hash: string; unsubscribed: boolean; suppressed: boolean }[]
    | null;
  platform: string[];
  stops: { business_id: string; number_hash: string; channel: PaidChannel }[] | null;
  unreachable: { business_id: string; number_hash: string }[] | null;
  messaged: { business_id: string; number_hash: string }[] | null;
  senders: { business_id: string; channel: Channel; address: string }[] | null;
  paid: { business_id: string; recipient_id: string; count: number }[] | null;
  prices: { country: string; credits: number }[] | null;
  in_review: string[];
}

/**
 * What is on record about the people and businesses of a list, in one answer. `people` is a JSON recordset;
 * The hour's paid messages of a person are counted only where `paid` says that this is one and the account asks for it,
 * which few do.
 */
export const readMarks = statement<
  [people: string, businessIds: string[], now: Date, hourAgo: Date],
  MarksRow
>(`
  with person as materialized (
    select p.* from jsonb_to_recordset($1::jsonb)
      as p (business_id text, recipient_id text, email_hash bytea, number_hash bytea, paid boolean)
  )
  select
    (select json_agg(s) from (
      select s.business_id, encode(s.email_hash, 'hex') as email_hash,
        bool_or(s.reason = 'unsubscribe') as unsubscribed, bool_or(s.reason <> 'unsubscribe') as suppressed
      from suppressions s
      where (s.business_id, s.email_hash) in (select business_id, email_hash from person)
      group by s.business_id, s.email_hash) s) as suppressions,
    array(select encode(email_hash, 'hex') from platform_suppressions
      where email_hash in (select email_hash from person)) as platform,
    (select json_agg(s) from (
      select s.business_id, encode(s.number_hash, 'hex') as number_hash, s.channel from stops s
      where (s.business_id, s.number_hash) in (select business_id, number_hash from person)) s) as stops,
    (select json_agg(w) from (
      select w.business_id, encode(w.number_hash, 'hex') as number_hash from whatsapp_unreachable w
      where (w.business_id, w.number_hash) in (select business_id, number_hash from person) and w.until > $3) w) as unreachable,
    (select json_agg(m) from (
      select m.business_id, encode(m.number_hash, 'hex') as number_hash from messaged_numbers m
      where (m.business_id, m.number_hash) in (select business_id, number_hash from person)
        and m.channel = 'whatsapp' and m.submitted_at is not null) m) as messaged,
    (select json_agg(b) from (
      select business_id, channel, address from business_senders where business_id = any ($2::text[])) b) as senders,
    (select json_agg(c) from (
      select p.business_id, p.recipient_id, count(*)::int as count
      from (select distinct p.business_id, p.recipient_id from person p join businesses b on b.id = p.business_id
        where p.paid and b.paid_per_recipient_hour is not null) p
      join messages m on m.business_id = p.business_id and m.recipient_id = p.recipient_id
      join sends s on s.business_id = m.business_id and s.message_id = m.id
      where s.channel <> 'email' and s.submitted_at > $4
      group by p.business_id, p.recipient_id) c) as paid,
    ${PRICES} as prices,
    ${TEMPLATES_IN_REVIEW} as in_review`);
