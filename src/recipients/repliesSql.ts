import { statement } from '../db/statement.ts';

/** The message that a business last announced to this person on WhatsApp: what a reply is about. */
export const lastAnnounced = statement<
  [businessId: string, recipientId: string],
  { message_id: string; submitted_at: Date }
>(`
  select s.message_id, s.submitted_at
  from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
  where m.business_id = $1 and m.recipient_id = $2 and s.channel = 'whatsapp' and s.submitted_at is not null
  order by s.submitted_at desc limit 1`);

export const insertReply = statement<
  [
    businessId: string,
    id: string,
    recipientId: string,
    messageId: string | null,
    body: string,
    providerMessageId: string | null,
    now: Date,
  ]
>(`
  insert into whatsapp_replies (business_id, id, recipient_id, message_id, body, provider_message_id, received_at)
  values ($1, $2, $3, $4, $5, $6, $7)`);

/** Opens a window in which no further reply is acknowledged; answers nothing while one is open. */
export const openReplyWindow = statement<
  [businessId: string, numberHash: Buffer, until: Date, now: Date],
  { until: Date }
>(`
  insert into auto_reply_windows as w (business_id, number_hash, until) values ($1, $2, $3)
  on conflict (business_id, number_hash) do update set until = excluded.until where w.until <= $4
  returning until`);

/** Service mail: announces no message, is about a reply. */
export const queueServiceSend = statement<
  [
    businessId: string,
    id: string,
    recipientId: string,
    channel: 'email' | 'whatsapp',
    purpose: 'reply_forward' | 'reply_ack',
    about: string,
    now: Date,
  ]
>(`
  insert into sends (business_id, id, recipient_id, channel, purpose, state, due_at, about, created_at)
  values ($1, $2, $3, $4, $5, 'queued', $7, $6, $7)`);

/** Replies that were kept long enough, and the words of them in events, which stay as events without words. */
export const deleteRepliesBefore = statement<[before: Date, limit: number], { id: string }>(`
  with old as (
    select business_id, id from whatsapp_replies where received_at <= $1 order by received_at limit $2
    for update skip locked
  ), gone as (
    delete from whatsapp_replies w using old where w.business_id = old.business_id and w.id = old.id
    returning w.business_id, w.id, w.recipient_id
  ), silenced as (
    update events e set data = jsonb_set(e.data, '{body}', 'null')
    where (e.business_id, e.recipient_id) in (select business_id, recipient_id from gone)
      and e.type = 'whatsapp.inbound_message' and e.occurred_at <= $1 and e.data ->> 'body' is not null
  )
  select id from gone`);

export const oldestReply = statement<[], { received_at: Date | null }>(`
  select min(received_at) as received_at from whatsapp_replies`);

export const deleteReplyWindowsUntil = statement<[now: Date]>(`
  delete from auto_reply_windows where until <= $1`);
