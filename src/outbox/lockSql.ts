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
export const lockRecipientsOf = statement<[businessIds: string[], ids: string[]]>(`
  select from recipients r
  where (r.business_id, r.id) in (
    select s.business_id, s.recipient_id from unnest($1::text[], $2::text[]) k (business_id, id)
    join sends s on s.business_id = k.business_id and s.id = k.id)
  order by r.id for share`);

/** The same for a list that will change some of them: locked as such from the start, since a shared lock cannot grow safely. */
export const lockRecipientsToChange = statement<[businessIds: string[], ids: string[]]>(`
  select from recipients r
  where (r.business_id, r.id) in (
    select s.business_id, s.recipient_id from unnest($1::text[], $2::text[]) k (business_id, id)
    join sends s on s.business_id = k.business_id and s.id = k.id)
  order by r.id for no key update`);

/** Second: a retraction, an opening or an update in place comes wholly before or wholly after. */
export const lockMessagesOf = statement<[businessIds: string[], ids: string[]]>(`
  select from messages m
  where (m.business_id, m.id) in (
    select s.business_id, s.message_id from unnest($1::text[], $2::text[]) k (business_id, id)
    join sends s on s.business_id = k.business_id and s.id = k.id)
  order by m.id for share`);

/** Third: the sends themselves, and what else is under way for the same messages, since the one decides about the other. */
export const lockSends = statement<[businessIds: string[], ids: string[]], Locked>(`
  with wanted as materialized (
    select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  ), concerned as materialized (
    select business_id, id from wanted
    union
    select h.business_id, h.id from wanted w
    join sends s on s.business_id = w.business_id and s.id = w.id
    join sends h on h.business_id = s.business_id and h.message_id = s.message_id
      and h.state in ('held', 'queued', 'submitting')
  )
  select ${sendColumns('s')}, r.email, r.phone, r.phone_country, r.sms_status, r.whatsapp_status, r.unsubscribed_at,
    m.subject, m.reference, m.order_status, m.status as message_status, m.created_at as message_created_at, m.opened_at,
    (select w.body from whatsapp_replies w where w.business_id = s.business_id and w.id = s.about) as reply
  from concerned c
  join sends s on s.business_id = c.business_id and s.id = c.id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  left join messages m on m.business_id = s.business_id and m.id = s.message_id
  order by s.id for update of s`);
