import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** What happens to recipients outside of the interface: they stop, unsubscribe, bounce, or are not on WhatsApp. */

export async function recordUnsubscribe(
  { pool, hash }: TestService,
  { businessId }: Shop,
  email: string,
): Promise<void> {
  await suppress(pool, businessId, hash('email', email), 'unsubscribe');
}

export async function recordBounce(
  { pool, hash }: TestService,
  { businessId }: Shop,
  email: string,
): Promise<void> {
  await suppress(pool, businessId, hash('email', email), 'bounce');
}

const suppress = (pool: TestService['pool'], businessId: string, emailHash: Buffer, reason: string) =>
  pool.query('insert into suppressions (business_id, email_hash, reason, at) values ($1, $2, $3, now())', [
    businessId,
    emailHash,
    reason,
  ]);

/** Another business proved the address undeliverable. */
export async function recordBounceElsewhere({ pool, hash }: TestService, email: string): Promise<void> {
  await pool.query('insert into platform_suppressions (email_hash, at) values ($1, now())', [
    hash('email', email),
  ]);
}

export async function insertStop(
  { pool, hash }: TestService,
  { businessId }: Shop,
  channel: 'sms' | 'whatsapp',
  number: string,
): Promise<void> {
  await pool.query(
    `insert into stops (business_id, channel, number_hash, made_by, at) values ($1, $2, $3, 'text', now())`,
    [businessId, channel, hash('phone', number)],
  );
  const columns =
    channel === 'sms' ? `sms_status = 'stopped', sms_stopped_by = 'text'` : `whatsapp_status = 'stopped'`;
  await pool.query(`update recipients set ${columns} where business_id = $1 and phone = $2`, [
    businessId,
    number,
  ]);
}

export async function recordNotOnWhatsapp(
  { pool, hash }: TestService,
  { businessId }: Shop,
  number: string,
): Promise<void> {
  await pool.query(
    `insert into whatsapp_unreachable (business_id, number_hash, until) values ($1, $2, now() + interval '30 days')`,
    [businessId, hash('phone', number)],
  );
}

/** The provider took what was queued on this channel for the message, just now. */
export async function recordSubmitted(
  { pool }: TestService,
  messageId: string,
  channel: 'email' | 'sms' | 'whatsapp',
): Promise<void> {
  await pool.query(
    `update sends set state = 'accepted', reserved = false, due_at = null, submitted_at = now() where message_id = $1 and channel = $2`,
    [messageId, channel],
  );
}

export interface CreditBalance {
  balance: number;
  reserved: number;
}

export async function creditBalanceOf({ pool }: TestService, { businessId }: Shop): Promise<CreditBalance> {
  const { rows } = await pool.query<CreditBalance>(
    'select balance, reserved from credit_accounts where business_id = $1',
    [businessId],
  );
  return rows[0] ?? { balance: 0, reserved: 0 };
}
