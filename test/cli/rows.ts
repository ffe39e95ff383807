import type { Pool } from '../../src/db/pool.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';

/** Rows as pushes leave them, for commands that act on them. */
export async function addRecipient(
  pool: Pool,
  businessId: string,
  email: string,
  phone: string | null,
): Promise<string> {
  const id = newId(systemClock.now());
  await pool.query(
    `insert into recipients (business_id, id, email, phone, phone_country, sms_status, whatsapp_status, created_at)
     values ($1, $2, $3, $4::text, case when $4::text is null then null else 'EE' end,
       case when $4::text is null then 'none' else 'active' end, 'active', now())`,
    [businessId, id, email, phone],
  );
  return id;
}

export interface PendingSend {
  channel: 'email' | 'sms' | 'whatsapp';
  state: 'held' | 'queued' | 'submitting' | 'accepted';
  /** Set aside for it. */
  credits?: number;
  fallbackOf?: string;
  dueAt?: Date;
}

/** A message to the recipient with a send that waits, and its credits set aside. */
export async function addSend(
  pool: Pool,
  businessId: string,
  recipientId: string,
  send: PendingSend,
): Promise<string> {
  const now = systemClock.now();
  const [messageId, sendId] = [newId(now), newId(now)];
  const { channel, state, credits = 0, fallbackOf = null, dueAt = now } = send;
  await pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     values ($1, $2, $3, 'Order', 'Shipped', 'one_off', 'active', $4, $4)`,
    [businessId, messageId, recipientId, now],
  );
  await pool.query(
    `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, credits, reserved,
       fallback_of, created_at)
     values ($1, $2, $3, $4, $5, 'nudge', $6, $7, $8, $8 > 0, $9, $10)`,
    [businessId, sendId, messageId, recipientId, channel, state, dueAt, credits, fallbackOf, now],
  );
  await pool.query('update credit_accounts set reserved = reserved + $2 where business_id = $1', [
    businessId,
    credits,
  ]);
  return sendId;
}
