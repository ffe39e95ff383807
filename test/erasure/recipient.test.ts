import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { PushResult } from '../../src/contract/push.ts';
import { expectStatus, ORDER_UPDATE, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import {
  ACCEPT_WEBHOOK,
  completeErasure,
  EMPTY_REPORT,
  type ErasureService,
  freshNumber,
  REFUSE_WEBHOOK,
  requestErasure,
  startErasureService,
} from './erasureService.ts';

/** Sentence by sentence what the interface says of erasing a recipient (2.11). */
let world: ErasureService;
beforeAll(async () => {
  world = await startErasureService();
});
afterEach(() => world.answerWebhooksWith(ACCEPT_WEBHOOK));
afterAll(async () => {
  await world.close();
  expect(world.loggedErrors()).toEqual([]);
});

const ANN = 'ann@example.com';
const PAID = { smsMode: 'on_request', whatsappMode: 'on_request', credits: 50 } as const;

const onBoth = (phone: string) => ({
  recipient_phone: phone,
  channels: ['sms', 'whatsapp'],
  whatsapp_opt_in: { source: 'checkout' },
  reference: 'A-1001',
  order_status: 'shipped',
});

async function listed(shop: Shop): Promise<unknown[]> {
  const { items } = expectStatus<{ items: unknown[] }>(200, await shop.get('/api/v1/messages'));
  return items;
}

test('the messages, their history, their sends, links and replies are deleted and counted', async () => {
  const shop = await world.business(PAID);
  const phone = freshNumber();
  const key = randomUUID();
  const pushed = await shop.pushed(onBoth(phone), key);
  await shop.pushed({ subject: 'A second one' });
  await world.advance({ minutes: 1 });
  await world.receiveWhatsapp(phone, 'Is it blue?');
  await world.advance({ minutes: 1 });
  expectStatus(
    200,
    await shop.call('PUT', `/api/v1/recipients/${ANN}/phone`, { body: { phone: freshNumber() } }),
  );

  expect(await completeErasure(shop, ANN)).toEqual({
    ...EMPTY_REPORT,
    messages_deleted: 2,
    // Two emails, a text and a WhatsApp message were delivered.
    // Four events, and the order that was theirs alone.
    message_events_deleted: 5,
    // The acknowledgement of the reply is a WhatsApp message too.
    channel_sends_deleted: 3,
    message_links_deleted: 4,
    whatsapp_replies_deleted: 1,
    idempotency_records_deleted: 2,
    audit_entries_pseudonymised: 1,
    subscription_deleted: true,
  });
  expect(await listed(shop)).toEqual([]);
  expect((await shop.get(`/api/v1/messages/${pushed.id}`)).status).toBe(404);
  expect((await shop.get(`/api/v1/recipients/${ANN}/sms`)).status).toBe(404);
  for (const table of ['sends', 'send_attempts', 'consent_log', 'inbox_sessions', 'sandbox_messages']) {
    expect(await world.rows(`select from ${table} where business_id = $1`, shop.businessId), table).toEqual(
      [],
    );
  }
});

test('sends still waiting are cancelled, and what was set aside for them is free again', async () => {
  const shop = await world.business({ ...PAID, credits: 2 });
  const email = `waiting${randomUUID()}@example.com`;
  const phone = freshNumber();
  const later = new Date((await world.now()).getTime() + 3_600_000).toISOString();
  await shop.pushed({ ...onBoth(phone), recipient_email: email, send_at: later });
  await shop.pushed({
    ...onBoth(phone),
    recipient_email: email,
    escalate_if_unread_after_minutes: 30,
    send_at: later,
  });
  const [before] = await world.rows(
    'select reserved from credit_accounts where business_id = $1',
    shop.businessId,
  );
  expect(before).toEqual({ reserved: 2 });

  const report = await completeErasure(shop, email);
  // Two emails; a text and a WhatsApp message queued for later, and both held for an unread message.
  expect(report).toMatchObject({ queued_jobs_cancelled: 6, channel_sends_deleted: 4 });
  await world.advance({ hours: 2 });
  expect(await capturedMessages(world.url, { to: email })).toEqual([]);
  expect(await capturedMessages(world.url, { to: phone })).toEqual([]);
  const [account] = await world.rows(
    'select balance, reserved from credit_accounts where business_id = $1',
    shop.businessId,
  );
  expect(account).toEqual({ balance: 2, reserved: 0 });
});

test('a text that was tried, reached nobody and waits to be tried again is given back', async () => {
  const shop = await world.business({ ...PAID, credits: 5 });
  await shop.pushed({ recipient_phone: '+447700909007', channels: ['sms'] });
  await world.advance({ seconds: 10 });
  expect(await shop.get('/api/v1/credits')).toMatchObject({ body: { balance: 4 } });

  await completeErasure(shop, ANN);
  expect(await shop.get('/api/v1/credits')).toMatchObject({ body: { balance: 5 } });
  const [{ sum } = { sum: null }] = await world.rows<{ sum: number | null }>(
    'select sum(amount)::int as sum from credit_ledger where business_id = $1',
    shop.businessId,
  );
  expect(sum).toBe(5);
});

test('what was charged stays charged: the ledger still sums up to the balance', async () => {
  const shop = await world.business({ ...PAID, credits: 5 });
  await shop.pushed(onBoth(freshNumber()));
  await world.advance({ minutes: 1 });
  await completeErasure(shop, ANN);
  expect(await shop.get('/api/v1/credits')).toMatchObject({ body: { balance: 3 } });
  const [ledger] = await world.rows(
    'select sum(amount)::int as sum from credit_ledger where business_id = $1',
    shop.businessId,
  );
  expect(ledger).toEqual({ sum: 3 });
});

test('queued webhook deliveries still arrive, without the person', async () => {
  const shop = await world.business(PAID);
  await world.addEndpoint(shop);
  world.answerWebhooksWith(REFUSE_WEBHOOK);
  const phone = freshNumber();
  const pushed = await shop.pushed(onBoth(phone));
  await world.advance({ seconds: 3 });
  await world.receiveWhatsapp(phone, 'Is it blue?');
  const waiting = await eventually(async () => {
    const rows = await world.rows<{ event_id: string }>(
      `select event_id from webhook_deliveries where business_id = $1 and state = 'pending' and attempts > 0`,
      shop.businessId,
    );
    expect(rows).toHaveLength(4);
    return rows.map(({ event_id }) => event_id);
  });

  const kept = async () => (await world.responsesTo(shop)).flatMap(({ response }) => response ?? []);
  expect((await kept()).every((response) => response.includes(ANN))).toBe(true);
  expect(await kept()).toHaveLength(4);

  expect(await completeErasure(shop, ANN)).toMatchObject({ webhook_payloads_scrubbed: 4 });
  expect(await kept()).toEqual([]);
  world.answerWebhooksWith(ACCEPT_WEBHOOK);
  const before = world.eventsSentTo(shop).length;
  await world.advance({ hours: 20 });
  const told = world.eventsSentTo(shop).slice(before);
  expect(told.map(({ id }) => id).sort()).toEqual(waiting.sort());
  const byType = new Map(told.map(({ type, data }) => [type, data]));
  expect(byType.get('message.delivered')).toEqual({
    message_id: pushed.id,
    recipient_email: null,
    subject: null,
    reference: 'A-1001',
    channel: 'email',
  });
  expect(byType.get('sms.delivered')).toMatchObject({
    recipient_email: null,
    recipient_phone: null,
    channel: 'sms',
  });
  expect(byType.get('whatsapp.inbound_message')).toMatchObject({
    recipient_email: null,
    recipient_phone: null,
    body: null,
  });
});

test('a stored response about the person is forgotten: the same key is a new request', async () => {
  const shop = await world.business();
  const key = randomUUID();
  const first = await shop.pushed({}, key);
  await shop.post(`/api/v1/messages/${first.id}/retract`, 'a retraction');
  expect(await completeErasure(shop, ANN)).toMatchObject({ idempotency_records_deleted: 2 });
  const again = await shop.push({}, key);
  expect(again.status).toBe(201);
  expect(again.headers.get('idempotent-replayed')).toBeNull();
  expect(Object(again.body).id).not.toBe(first.id);
  expect((await shop.post(`/api/v1/messages/${first.id}/retract`, 'a retraction')).status).toBe(404);
});

test('a stored batch response keeps its other items to the byte, and says nothing of the person', async () => {
  const shop = await world.business();
  const items = [
    { recipient_email: 'before@example.com', subject: 'Ünïcode "quoted" \\ \u2028', reference: 'B-1' },
    {
      recipient_email: 'Ann@Example.com',
      subject: 'Ann’s secret',
      reference: 'A-1',
      order_status: 'a secret too',
    },
    { recipient_email: 'nobody' },
    { recipient_email: 'after@example.com', subject: '{"recipient_email":"ann@example.com"}' },
    { recipient_email: ANN, subject: 'Again' },
  ];
  const first = await shop.batch(items, 'batch');
  expect(await completeErasure(shop, ANN)).toMatchObject({
    messages_deleted: 2,
    idempotency_records_deleted: 2,
  });

  const replay = await shop.batch(items, 'batch');
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  const was: { items: { result: PushResult | null }[] } = JSON.parse(first.text);
  const is: typeof was = JSON.parse(replay.text);
  for (const index of [1, 4]) {
    const result = was.items[index]?.result;
    expect(is.items[index]).toEqual({
      ...was.items[index],
      result: { ...result, recipient_email: null, subject: '', reference: null, order_status: null },
    });
  }
  // Everything but those fields is the text that was first answered.
  const scrubbed = first.text
    .replaceAll('"recipient_email":"ann@example.com"', '"recipient_email":null')
    .replace('"subject":"Ann’s secret"', '"subject":""')
    .replace('"subject":"Again"', '"subject":""')
    .replace('"reference":"A-1"', '"reference":null')
    .replace('"order_status":"a secret too"', '"order_status":null');
  expect(replay.text).toBe(scrubbed);
});

test('a batch is scrubbed too where its item had been pushed alone before', async () => {
  const shop = await world.business();
  const item = { ...ORDER_UPDATE, subject: 'Pushed alone first' };
  await shop.pushed(item, 'K#1');
  await shop.batch([{ recipient_email: 'else@example.com' }, item], 'K');
  await completeErasure(shop, ANN);
  const replay = await shop.batch([{ recipient_email: 'else@example.com' }, item], 'K');
  expect(replay.text).not.toContain('Pushed alone first');
  expect(replay.text).toContain('else@example.com');
});

test('a batch is scrubbed too where the key of such an item has been used for somebody else since', async () => {
  const shop = await world.business();
  const item = { ...ORDER_UPDATE, subject: 'Pushed alone first' };
  const items = [{ recipient_email: 'else@example.com' }, item];
  await shop.pushed(item, 'K#1');
  await world.advance({ hours: 23 });
  await shop.batch(items, 'K');
  await world.advance({ hours: 2 });
  await shop.pushed({ recipient_email: 'bob@example.com', subject: 'A day later' }, 'K#1');
  expect(await completeErasure(shop, ANN)).toMatchObject({ idempotency_records_deleted: 0 });
  const replay = await shop.batch(items, 'K');
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(replay.text).not.toContain('Pushed alone first');
  expect(replay.text).not.toContain(ANN);
  expect(await completeErasure(shop, 'bob@example.com')).toMatchObject({ idempotency_records_deleted: 1 });
});

test('bounces, complaints and an unsubscribe are kept and stay in force', async () => {
  const shop = await world.business();
  await shop.pushed({ recipient_email: 'bounce@example.com' });
  await shop.pushed({ recipient_email: 'complain@example.com' });
  await world.advance({ minutes: 1 });
  for (const email of ['bounce@example.com', 'complain@example.com']) {
    expect(await completeErasure(shop, email)).toMatchObject({ suppressions_kept: 1, messages_deleted: 1 });
    expect(await shop.pushed({ recipient_email: email })).toMatchObject({
      created: true,
      email: { sending: false, skipped_reason: 'suppressed' },
    });
  }
});

test('a later push to an erased address that had unsubscribed is stored and stays silent on every channel', async () => {
  const shop = await world.business({ ...PAID, smsMode: 'on', whatsappMode: 'on' });
  const email = `gone${randomUUID()}@example.com`;
  await shop.pushed({ recipient_email: email });
  await world.advance({ minutes: 1 });
  const [mail] = await capturedMessages(world.url, { to: email });
  const unsubscribe = /<(.+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  const done = await fetch(unsubscribe, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(done.status).toBe(200);
  expect(await completeErasure(shop, email)).toMatchObject({ suppressions_kept: 1 });

  const phone = freshNumber();
  const pushed = await shop.pushed({ ...onBoth(phone), recipient_email: email });
  expect(pushed).toMatchObject({
    created: true,
    email: { sending: false, skipped_reason: 'unsubscribed' },
    sms: { queued: false, skipped_reason: 'unsubscribed' },
    whatsapp: { queued: false, skipped_reason: 'unsubscribed' },
  });
  await world.advance({ hours: 1 });
  expect(await capturedMessages(world.url, { to: email })).toEqual([]);
  expect(await capturedMessages(world.url, { to: phone })).toEqual([]);
  expect((await shop.get(`/api/v1/messages/${pushed.id}`)).status).toBe(200);
});

test('an unsubscription that only the person’s own record knew of is kept, too', async () => {
  const shop = await world.business();
  await shop.pushed();
  await world.rows('update recipients set unsubscribed_at = now() where business_id = $1', shop.businessId);
  expect(await completeErasure(shop, ANN)).toMatchObject({ suppressions_kept: 1 });
  expect(await shop.pushed()).toMatchObject({ email: { sending: false, skipped_reason: 'unsubscribed' } });
});

test('opt-outs are kept for the number, also for its next holder', async () => {
  const shop = await world.business(PAID);
  const phone = freshNumber();
  await shop.pushed(onBoth(phone));
  await world.advance({ minutes: 1 });
  await world.receiveSms(phone, 'STOP');
  await world.receiveWhatsapp(phone, 'STOP');
  expect(await completeErasure(shop, ANN)).toMatchObject({ stops_kept: 2 });
  expect(await shop.pushed({ ...onBoth(phone), recipient_email: 'else@example.com' })).toMatchObject({
    sms: { skipped_reason: 'stopped' },
    whatsapp: { skipped_reason: 'stopped' },
    whatsapp_opt_in: { recorded: false, status: 'stopped', skipped_reason: 'opted_out' },
  });
});

test('who was stopped on an earlier number leaves the stop on the number they had last', async () => {
  const shop = await world.business(PAID);
  const [old, last] = [freshNumber(), freshNumber()];
  await shop.pushed({ ...onBoth(old) });
  await world.advance({ minutes: 1 });
  await world.receiveSms(old, 'STOP');
  expectStatus(200, await shop.put(`/api/v1/recipients/${ANN}/phone`, { phone: last }));
  expect(await completeErasure(shop, ANN)).toMatchObject({ stops_kept: 1 });
  expect(await shop.pushed({ ...onBoth(last) })).toMatchObject({ sms: { skipped_reason: 'stopped' } });
});

test('a later push starts a new recipient, to whom nothing of before applies but what was kept', async () => {
  const shop = await world.business(PAID);
  const phone = freshNumber();
  const before = await shop.pushed({ ...onBoth(phone), kind: 'updateable' });
  await world.advance({ minutes: 1 });
  await completeErasure(shop, ANN);
  const after = await shop.pushed({
    channels: ['sms', 'whatsapp'],
    kind: 'updateable',
    reference: 'A-2',
    order_status: 'shipped',
  });
  expect(after).toMatchObject({
    created: true,
    email: { sending: true },
    sms: { skipped_reason: 'no_phone' },
    whatsapp: { skipped_reason: 'no_phone' },
  });
  expect(after.id).not.toBe(before.id);
  expect(await listed(shop)).toHaveLength(1);
});

test('erasing again, or an address never messaged, answers zeros, the kept counts too', async () => {
  const shop = await world.business();
  await shop.pushed({ recipient_email: 'bounce+zeros@example.com' });
  await world.advance({ minutes: 1 });
  expect(await completeErasure(shop, 'bounce+zeros@example.com')).toMatchObject({ suppressions_kept: 1 });
  expect(await completeErasure(shop, 'bounce+zeros@example.com')).toEqual(EMPTY_REPORT);
  expect(await completeErasure(shop, 'never@example.com')).toEqual(EMPTY_REPORT);
});

test('an address that an operator suppressed without it ever being messaged is forgotten as well', async () => {
  const shop = await world.business();
  await world.pool.query(
    `insert into suppressions (business_id, email_hash, reason, email, at) values ($1, $2, 'operator', $3, now())`,
    [shop.businessId, world.hash('email', 'listed@example.com'), 'listed@example.com'],
  );
  expect(await completeErasure(shop, 'listed@example.com')).toEqual(EMPTY_REPORT);
  expect(
    await world.rows('select reason, email from suppressions where business_id = $1', shop.businessId),
  ).toEqual([{ reason: 'operator', email: null }]);
});

test('other businesses’ records are untouched and never mentioned', async () => {
  const [one, other] = [await world.business(PAID), await world.business(PAID)];
  const phone = freshNumber();
  for (const shop of [one, other]) await shop.pushed(onBoth(phone));
  await world.advance({ minutes: 1 });
  const [before] = await listed(other);
  const report = await completeErasure(one, ANN);
  expect(report).toMatchObject({ messages_deleted: 1, channel_sends_deleted: 2 });
  expect(await listed(other)).toEqual([before]);
  expect(await shopRecords(other)).toEqual({
    recipients: 1,
    sends: 3,
    links: 3,
    sandbox_messages: 3,
    events: 4,
  });
});

async function shopRecords({ businessId }: Shop): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['recipients', 'sends', 'links', 'sandbox_messages', 'events']) {
    const personal = table === 'events' ? `and data ->> 'recipient_email' is not null` : '';
    counts[table] = (
      await world.rows(`select from ${table} where business_id = $1 ${personal}`, businessId)
    ).length;
  }
  return counts;
}

test('the links into the inbox and its sessions end with it', async () => {
  const shop = await world.business();
  const email = `inbox${randomUUID()}@example.com`;
  await shop.pushed({ recipient_email: email });
  await world.advance({ minutes: 1 });
  const [mail] = await capturedMessages(world.url, { to: email });
  const link = /https?:\/\/\S+\/i\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  const arrived = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', origin: world.url },
  });
  expect(arrived.status).toBe(303);
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const inbox = new URL(arrived.headers.get('location') ?? '', world.url).href;
  expect((await fetch(inbox, { headers: { cookie } })).status).toBe(200);

  expect(await completeErasure(shop, email)).toMatchObject({ message_links_deleted: 1 });
  expect((await fetch(inbox, { headers: { cookie }, redirect: 'manual' })).status).not.toBe(200);
  expect((await fetch(link)).status).toBe(404);
});

test('the audit still tells what was done, and no longer to whom', async () => {
  const shop = await world.business();
  await shop.pushed();
  expectStatus(200, await shop.put(`/api/v1/recipients/${ANN}/phone`, { phone: freshNumber() }));
  expect(await completeErasure(shop, ANN)).toMatchObject({ audit_entries_pseudonymised: 1 });
  const entries = await world.rows<{ action: string; subject: string }>(
    `select action, subject from audit_entries where business_id = $1 and recipient_id is not null order by id`,
    shop.businessId,
  );
  const pseudonym = `erased:${world.hash('email', ANN).toString('hex')}`;
  expect(entries).toEqual([
    { action: 'phone_set', subject: pseudonym },
    { action: 'recipient.erased', subject: pseudonym },
  ]);
});

test('the same key replays the original counts, and erases nobody else', async () => {
  const shop = await world.business();
  await shop.pushed();
  const first = await requestErasure(shop, ANN, 'erase');
  await shop.pushed();
  const replay = await requestErasure(shop, ' ANN@example.com', 'erase');
  expect(replay.text).toBe(first.text);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await listed(shop)).toHaveLength(1);
  expect(await requestErasure(shop, 'bob@example.com', 'erase')).toMatchObject({
    status: 409,
    body: { error_code: 'idempotency.key_reused' },
  });
});

test('an address that is none, or no key, is refused before anything runs', async () => {
  const shop = await world.business();
  expect((await requestErasure(shop, 'not an address')).status).toBe(422);
  expect((await shop.call('POST', `/api/v1/recipients/${ANN}/erase`)).status).toBe(422);
});
