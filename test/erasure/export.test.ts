import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPepper } from '../../src/db/instanceSecrets.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { createHasher, createSealer, type Hasher } from '../../src/kit/seal.ts';
import { CLI_SECRET_KEY, openConsole, type TestConsole } from '../cli/console.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  insertMessage,
  insertRecipient,
  insertRow,
  insertSend,
  type TestRecipient,
} from '../support/rows.ts';

/** What the operator hands to somebody who asks what is known of them. */
let database: TestDatabase;
let cli: TestConsole;
let hash: Hasher;
beforeAll(async () => {
  database = await testDatabase();
  cli = openConsole(database.url);
  hash = createHasher(await loadPepper(database.pool, createSealer([CLI_SECRET_KEY])));
});
afterAll(() => database.drop());

const PHONE = '+447700900123';
const now = systemClock.now();
const put = (table: string, columns: Record<string, unknown>) => insertRow(database.pool, table, columns);

async function someoneKnown(businessId: string, email: string): Promise<TestRecipient> {
  const ann = await insertRecipient(database.pool, now, { id: businessId }, { email, phone: PHONE });
  const first = await insertMessage(database.pool, now, ann, { subject: 'First', body: 'Its body' });
  const sendId = await insertSend(database.pool, now, first, 'sms', { state: 'delivered', lease: 'a lease' });
  const own = { business_id: businessId, recipient_id: ann.id };
  await put('send_attempts', {
    business_id: businessId,
    send_id: sendId,
    attempt: 1,
    outcome: 'accepted',
    provider: 'sandbox',
    provider_id: 'sandbox-1',
    started_at: now,
    ended_at: now,
  });
  await put('message_events', {
    business_id: businessId,
    id: 'fact',
    message_id: first.id,
    type: 'sms.delivered',
    at: now,
  });
  await put('sends', {
    ...own,
    id: 'ack',
    channel: 'whatsapp',
    purpose: 'reply_ack',
    state: 'delivered',
    created_at: now,
  });
  await put('consent_log', {
    ...own,
    id: 'c',
    channel: 'whatsapp',
    action: 'granted',
    source: 'the checkout',
    at: now,
  });
  await put('whatsapp_replies', { ...own, id: 'r', body: 'A reply', received_at: now });
  const way = { ...own, token_hash: Buffer.from('secret'), created_at: now, expires_at: now };
  await put('links', { ...way, send_id: sendId });
  await put('inbox_sessions', { ...way, id: 'session' });
  await put('events', {
    ...own,
    id: 'e',
    type: 'sms.delivered',
    occurred_at: now,
    data: { recipient_email: email },
  });
  const endpoint = { business_id: businessId, id: 'w', url: 'https://shop.example' };
  await put('webhook_endpoints', { ...endpoint, secret_sealed: '', secret_masked: '', created_at: now });
  const delivery = { business_id: businessId, endpoint_id: 'w', event_id: 'e' };
  await put('webhook_deliveries', { ...delivery, state: 'delivered', created_at: now });
  await put('webhook_attempts', {
    ...delivery,
    attempt: 1,
    at: now,
    duration_ms: 1,
    response: `No ${email}`,
  });
  await put('idempotency_records', {
    ...own,
    scope: 'push',
    key: 'a key',
    fingerprint: '',
    status: 201,
    response: '{"id":"m"}',
    created_at: now,
    expires_at: now,
  });
  await put('audit_entries', {
    ...own,
    id: 'audit',
    actor: 'key:k',
    action: 'phone_set',
    subject: email,
    at: now,
  });
  await put('sandbox_messages', {
    ...own,
    id: `captured ${businessId}`,
    send_id: sendId,
    channel: 'sms',
    recipient: PHONE,
    text: 'Your order has shipped',
    provider_id: 'sandbox-1',
    outcome: 'accepted',
    at: now,
  });
  await put('suppressions', {
    business_id: businessId,
    email_hash: hash('email', email),
    reason: 'bounce',
    email,
    at: now,
  });
  const number_hash = hash('phone', PHONE);
  await put('stops', { business_id: businessId, channel: 'sms', number_hash, made_by: 'text', at: now });
  await put('messaged_numbers', {
    business_id: businessId,
    channel: 'sms',
    number_hash,
    submitted_at: now,
    until: now,
  });
  await put('auto_reply_windows', { business_id: businessId, number_hash, until: now });
  await put('whatsapp_unreachable', { business_id: businessId, number_hash, until: now });
  return ann;
}

test('everything held about a recipient is written as one document', async () => {
  const { id } = await cli.business();
  const ann = await someoneKnown(id, 'ann@example.com');
  const held = await cli.json('recipient', 'export', id, 'Ann@Example.com');
  const at = now.toISOString();
  expect(held).toMatchObject({
    business_id: id,
    business: 'Shop',
    email: 'ann@example.com',
    recipient: { id: ann.id, email: 'ann@example.com', phone: PHONE, sms_status: 'active' },
    messages: [
      {
        subject: 'First',
        body: 'Its body',
        sends: [{ channel: 'sms', state: 'delivered', attempted: [{ provider_id: 'sandbox-1' }] }],
        history: [{ type: 'sms.delivered' }],
      },
    ],
    service_mail: [{ purpose: 'reply_ack' }],
    consent_log: [{ action: 'granted', source: 'the checkout' }],
    whatsapp_replies: [{ body: 'A reply' }],
    links: [{ send_id: expect.any(String) }],
    inbox_sessions: [{ id: 'session' }],
    webhook_events: [
      {
        type: 'sms.delivered',
        data: { recipient_email: 'ann@example.com' },
        responses: ['No ann@example.com'],
      },
    ],
    stored_responses: [{ key: 'a key', response: '{"id":"m"}' }],
    audit_entries: [{ action: 'phone_set', subject: 'ann@example.com' }],
    sandbox_messages: [{ recipient: PHONE, text: 'Your order has shipped' }],
    suppressions: [{ reason: 'bounce', email: 'ann@example.com' }],
    stops: [{ channel: 'sms', made_by: 'text' }],
    messaged_numbers: [{ channel: 'sms', submitted_at: expect.any(String), until: expect.any(String) }],
    auto_reply_window_until: at,
    not_on_whatsapp_until: at,
  });
  expect(JSON.stringify(held)).not.toMatch(/token_hash|number_hash|email_hash|fingerprint|lease/);
  expect(JSON.parse(await cli.text('recipient', 'export', id, 'ann@example.com'))).toEqual({
    ...held,
    exported_at: expect.any(String),
  });
});

test('many messages are all there, in order', async () => {
  const { id } = await cli.business();
  const ann = await insertRecipient(database.pool, now, { id });
  await database.pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select $1, lpad(n::text, 6, '0'), $2, 'Order ' || n, 'Body', 'one_off', 'active', now(), now() from generate_series(1, 2500) n`,
    [id, ann.id],
  );
  const { messages } = await cli.json('recipient', 'export', id, ann.email);
  const subjects = Array.isArray(messages) ? messages.map(({ subject }) => subject) : [];
  expect(subjects).toEqual(Array.from({ length: 2_500 }, (_, index) => `Order ${index + 1}`));
});

test('another business’s records of the same person are not part of it', async () => {
  const [one, other] = [await cli.business(), await cli.business()];
  await someoneKnown(one.id, 'both@example.com');
  await insertRecipient(database.pool, now, other, { email: 'both@example.com' });
  const held = await cli.json('recipient', 'export', other.id, 'both@example.com');
  expect(held).toMatchObject({ messages: [], suppressions: [], stops: [], whatsapp_replies: [] });
  expect(JSON.stringify(held)).not.toContain(one.id);
});

test('of somebody who was erased, what was kept is shown; of a stranger there is nothing', async () => {
  const { id } = await cli.business();
  await put('suppressions', {
    business_id: id,
    email_hash: hash('email', 'gone@example.com'),
    reason: 'unsubscribe',
    email: null,
    at: now,
  });
  expect(await cli.json('recipient', 'export', id, 'gone@example.com')).toMatchObject({
    recipient: null,
    suppressions: [{ reason: 'unsubscribe', email: null }],
  });
  expect(await cli.mistake('recipient', 'export', id, 'never@example.com')).toBe(
    'Nothing is stored about never@example.com for this business.',
  );
});
