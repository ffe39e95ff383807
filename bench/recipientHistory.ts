import type { Pool } from '../src/db/pool.ts';
import type { Clock } from '../src/kit/clock.ts';
import { newId } from '../src/kit/ids.ts';
import type { Hasher } from '../src/kit/seal.ts';

/** Inserts a recipient with this many messages, each with its sends, events, links and other rows, in bulk. */
export async function seedRecipientHistory(
  { pool, clock, hash }: { pool: Pool; clock: Clock; hash: Hasher },
  businessId: string,
  email: string,
  messages: number,
): Promise<void> {
  const now = clock.now();
  const id = newId(now);
  const endpoint = newId(now);
  const phone = '+37255550134';
  const write = (text: string, ...values: unknown[]) => pool.query(text, [businessId, ...values]);
  await write(
    `insert into recipients (business_id, id, email, phone, phone_country, sms_status, sms_status_at, created_at)
     values ($1, $2, $3, $4, 'EE', 'active', $5, $5)`,
    id,
    email,
    phone,
    now,
  );
  await write(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, disabled_at, created_at)
     values ($1, $2, 'https://example.com/', '', 'whsec_', $3, $3)`,
    endpoint,
    now,
  );
  await write(
    `insert into stops (business_id, channel, number_hash, made_by, at) values ($1, 'sms', $2, 'text', $3)`,
    hash('phone', phone),
    now,
  );
  const some = `generate_series(1, ${messages}) n`;
  await write(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at)
     select $1, 'm' || n, $2, 'Your order ' || n, repeat('It left our warehouse. ', 20), 'one_off', 'active', 'A-' || n, $3, $3
     from ${some}`,
    id,
    now,
  );
  for (const channel of ['email', 'sms']) {
    await write(
      `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, created_at, submitted_at)
       select $1, $4 || n, 'm' || n, $2, $4, 'nudge', 'delivered', $3, $3 from ${some}`,
      id,
      now,
      channel,
    );
    await write(
      `insert into send_attempts (business_id, send_id, attempt, outcome, provider, started_at, ended_at)
       select $1, $3 || n, 1, 'accepted', 'sandbox', $2, $2 from ${some}`,
      now,
      channel,
    );
    await write(
      `insert into message_events (business_id, id, message_id, send_id, type, at)
       select $1, $3 || n, 'm' || n, $3 || n, $3 || '.delivered', $2 from ${some}`,
      now,
      channel,
    );
    await write(
      `insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
       select $1, $4 || n, sha256(($4 || n)::bytea), $2, 'm' || n, $3, $3::timestamptz + interval '30 days' from ${some}`,
      id,
      now,
      channel,
    );
    await write(
      `insert into sandbox_messages (id, business_id, send_id, message_id, recipient_id, channel, recipient, text, provider_id, outcome, at)
       select $1 || $4 || n, $1, $4 || n, 'm' || n, $2, $4, $5, 'Your order is on its way.', $1 || $4 || n, 'accepted', $3 from ${some}`,
      id,
      now,
      channel,
      email,
    );
    await write(
      `insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
       select $1, $4 || n, $4 || '.delivered', $3, 'm' || n, $2, jsonb_build_object('message_id', 'm' || n, 'recipient_email',
         $5::text, 'subject', 'Your order ' || n, 'reference', 'A-' || n, 'channel', $4::text) from ${some}`,
      id,
      now,
      channel,
      email,
    );
    await write(
      `insert into webhook_deliveries (business_id, endpoint_id, event_id, state, attempts, created_at, settled_at)
       select $1, $2, $4 || n, 'delivered', 1, $3, $3 from ${some}`,
      endpoint,
      now,
      channel,
    );
  }
  await write(
    `insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
     select $1, 'push', 'key' || n, '', 201, '{"id":"m' || n || '","recipient_email":"' || $4 || '"}', $2, $3,
       $3::timestamptz + interval '1 day' from ${some}`,
    id,
    now,
    email,
  );
  await pool.query('analyze');
}
