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
