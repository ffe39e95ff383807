import { statement } from '../db/statement.ts';

const WHATSAPP_SENDS = `from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
      where m.business_id = $1 and m.recipient_id = $2 and s.channel = 'whatsapp'`;

/**
 * When a business last submitted a WhatsApp message to this number, and which message of this recipient that announced; no
 * row when it never did. A message that is under way, whose answer was lost, or from before `messaged_numbers` was kept is
 * not noted there; it went to the present number if consent has stood since, for a change of number ends consent.
 */
export const lastSubmitted = statement<
  [businessId: string, recipientId: string, numberHash: Buffer],
  { message_id: string | null; submitted_at: Date }
>(`
  with last as (
    select greatest(
      (select submitted_at from messaged_numbers
        where business_id = $1 and channel = 'whatsapp' and number_hash = $3),
      (select max(s.submitted_at) ${WHATSAPP_SENDS} and s.state <> 'rejected' and s.submitted_at > (
        select whatsapp_status_at from recipients
        where business_id = $1 and id = $2 and whatsapp_status = 'active'))) as submitted_at
  )
  select last.submitted_at, (
    select s.message_id ${WHATSAPP_SENDS} and s.submitted_at = last.submitted_at
      order by s.id desc limit 1) as message_id
  from last where last.submitted_at is not null`);

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
