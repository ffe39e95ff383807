import { newId } from '../src/kit/ids.ts';
import type { PushDeps } from './pushInProcess.ts';

const PHONE = '+37255550134';

/** Inserts a recipient with this many messages, each with its sends, events, links and other rows, in bulk. */
export async function seedRecipientHistory(
  { pool, clock, hash }: PushDeps,
  businessId: string,
  email: string,
  messages: number,
): Promise<void> {
  const now = clock.now();
  const history = {
    business: `'${businessId}'`,
    recipient: `'${newId(now)}'`,
    endpoint: `'${newId(now)}'`,
    email: `'${email}'`,
    phoneHash: `'\\x${hash('phone', PHONE).toString('hex')}'`,
    now: `timestamptz '${now.toISOString()}'`,
    each: `generate_series(1, ${messages}) n`,
  };
  await pool.query(oneOfEach(history));
  for (const channel of ['email', 'sms']) await pool.query(rowsOfChannel(history, channel));
  await pool.query('analyze');
}

/** What the rows have in common, in SQL. */
type History = Record<'business' | 'recipient' | 'endpoint' | 'email' | 'phoneHash' | 'now' | 'each', string>;

const oneOfEach = ({ business, recipient, endpoint, email, phoneHash, now, each }: History): string => `
  insert into recipients (business_id, id, email, phone, phone_country, sms_status, sms_status_at, created_at)
  values (${business}, ${recipient}, ${email}, '${PHONE}', 'EE', 'active', ${now}, ${now});

  insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, disabled_at, created_at)
  values (${business}, ${endpoint}, 'https://example.com/', '', 'whsec_', ${now}, ${now});

  insert into stops (business_id, channel, number_hash, made_by, at) values (${business}, 'sms', ${phoneHash}, 'text', ${now});

  insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at)
  select ${business}, 'm' || n, ${recipient}, 'Your order ' || n, repeat('It left our warehouse. ', 20), 'one_off', 'active',
    'A-' || n, ${now}, ${now} from ${each};

  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select ${business}, 'push', 'key' || n, '', 201, '{"id":"m' || n || '","recipient_email":"' || ${email} || '"}', ${recipient},
    ${now}, ${now} + interval '1 day' from ${each}`;

const rowsOfChannel = (
  { business, recipient, endpoint, email, now, each }: History,
  channel: string,
  id = `'${channel}' || n`,
): string => `
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, created_at, submitted_at)
  select ${business}, ${id}, 'm' || n, ${recipient}, '${channel}', 'nudge', 'delivered', ${now}, ${now} from ${each};

  insert into send_attempts (business_id, send_id, attempt, outcome, provider, started_at, ended_at)
  select ${business}, ${id}, 1, 'accepted', 'sandbox', ${now}, ${now} from ${each};

  insert into message_events (business_id, id, message_id, send_id, type, at)
  select ${business}, ${id}, 'm' || n, ${id}, '${channel}.delivered', ${now} from ${each};

  insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
  select ${business}, ${id}, sha256((${id})::bytea), ${recipient}, 'm' || n, ${now}, ${now} + interval '30 days' from ${each};

  insert into sandbox_messages (id, business_id, send_id, message_id, recipient_id, channel, recipient, text, provider_id, outcome, at)
  select ${business} || ${id}, ${business}, ${id}, 'm' || n, ${recipient}, '${channel}', ${email}, 'Your order is on its way.',
    ${business} || ${id}, 'accepted', ${now} from ${each};

  insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
  select ${business}, ${id}, '${channel}.delivered', ${now}, 'm' || n, ${recipient}, jsonb_build_object('message_id', 'm' || n,
    'recipient_email', ${email}, 'subject', 'Your order ' || n, 'reference', 'A-' || n, 'channel', '${channel}') from ${each};

  insert into webhook_deliveries (business_id, endpoint_id, event_id, state, attempts, created_at, settled_at)
  select ${business}, ${endpoint}, ${id}, 'delivered', 1, ${now}, ${now} from ${each}`;
