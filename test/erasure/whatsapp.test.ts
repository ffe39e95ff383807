import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import {
  ACCEPT_WEBHOOK,
  completeErasure,
  completeWhatsappErasure,
  type ErasureService,
  freshNumber,
  REFUSE_WEBHOOK,
  requestWhatsappErasure,
  startErasureService,
} from './erasureService.ts';

/** Sentence by sentence what the interface says of erasing WhatsApp history (2.11). */
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

const onWhatsapp = (phone: string) => ({
  recipient_phone: phone,
  channels: ['whatsapp'],
  whatsapp_opt_in: { source: 'checkout' },
  reference: 'A-1001',
  order_status: 'shipped',
});

/** A shop that announced something to Ann on WhatsApp, to which she replied so often. */
async function repliedTo(
  replies: number,
  contactEmail: string | null = null,
): Promise<{ shop: Shop; phone: string }> {
  const shop = await world.business({ whatsappMode: 'on_request', credits: 20, contactEmail });
  const phone = freshNumber();
  if (contactEmail !== null) await world.change(shop, { replyForward: 'full' });
  await shop.pushed(onWhatsapp(phone));
  await world.advance({ minutes: 1 });
  for (let number = 1; number <= replies; number += 1) await world.receiveWhatsapp(phone, `Reply ${number}`);
  return { shop, phone };
}

test('the replies are deleted, the number held against repeated acknowledgement is dropped, consent is withdrawn', async () => {
  const { shop } = await repliedTo(2);
  await world.advance({ minutes: 1 });
  const receipt = await completeWhatsappErasure(shop, ANN);
  expect(receipt).toEqual({
    replies_deleted: 2,
    webhook_payloads_scrubbed: 0,
    auto_reply_windows_dropped: 1,
    consent_withdrawn: true,
    replies_a_forward_email_may_have_carried: 0,
    forward_setting: 'off',
    first_erased_at: receipt.first_erased_at,
  });
  expect(Math.abs(new Date(receipt.first_erased_at).getTime() - (await world.now()).getTime())).toBeLessThan(
    60_000,
  );
  expect(await world.rows('select from whatsapp_replies where business_id = $1', shop.businessId)).toEqual(
    [],
  );
});

test('copies of the replies leave queued deliveries of whatsapp.inbound_message, and no other delivery', async () => {
  const { shop, phone } = await repliedTo(0);
  await world.addEndpoint(shop);
  world.answerWebhooksWith(REFUSE_WEBHOOK);
  await world.receiveWhatsapp(phone, 'My secret');
  await shop.pushed({ subject: 'Not about WhatsApp' });
  await world.advance({ seconds: 2 });
  const count = await eventually(async () => {
    const rows = await world.rows(
      `select from webhook_deliveries where business_id = $1 and state = 'pending'`,
      shop.businessId,
    );
    expect(rows).toHaveLength(2);
    return rows.length;
  });
  expect(await completeWhatsappErasure(shop, ANN)).toMatchObject({
    replies_deleted: 1,
    webhook_payloads_scrubbed: 1,
  });
  const kept = (await world.responsesTo(shop)).flatMap(({ type, response }) =>
    response === null ? [] : type,
  );
  expect(kept).toEqual(['message.delivered']);
  world.answerWebhooksWith(ACCEPT_WEBHOOK);
  const before = world.eventsSentTo(shop).length;
  await world.advance({ hours: 20 });
  const told = world.eventsSentTo(shop).slice(before);
  expect(told).toHaveLength(count);
  const byType = new Map(told.map(({ type, data }) => [type, data]));
  expect(byType.get('whatsapp.inbound_message')).toMatchObject({
    recipient_email: null,
    recipient_phone: null,
    body: null,
  });
  expect(byType.get('message.delivered')).toMatchObject({
    recipient_email: ANN,
    subject: 'Not about WhatsApp',
  });
});

test('consent is withdrawn for good: nothing is sent, and agreeing again is not recorded', async () => {
  const { shop, phone } = await repliedTo(0);
  await completeWhatsappErasure(shop, ANN);
  expect(await shop.pushed(onWhatsapp(phone))).toMatchObject({
    whatsapp: { queued: false, skipped_reason: 'stopped' },
    whatsapp_opt_in: { recorded: false, status: 'stopped', skipped_reason: 'opted_out' },
  });
  // Also with another number, and for the next holder of the number.
  expectStatus(200, await shop.put(`/api/v1/recipients/${ANN}/phone`, { phone: freshNumber() }));
  expect(await shop.pushed({ ...onWhatsapp(phone), recipient_email: 'else@example.com' })).toMatchObject({
    whatsapp: { skipped_reason: 'stopped' },
  });
  expect(await shop.pushed({ ...onWhatsapp(freshNumber()) })).toMatchObject({
    whatsapp: { skipped_reason: 'stopped' },
  });
});

test('a WhatsApp message that waits is not sent any more, and costs nothing', async () => {
  const { shop, phone } = await repliedTo(0);
  const before = await shop.get('/api/v1/credits');
  const at = new Date((await world.now()).getTime() + 3_600_000).toISOString();
  const pushed = await shop.pushed({ ...onWhatsapp(phone), send_at: at });
  expect(pushed).toMatchObject({ whatsapp: { queued: true } });
  await completeWhatsappErasure(shop, ANN);
  await world.advance({ hours: 2 });
  expect(await shop.get(`/api/v1/messages/${pushed.id}`)).toMatchObject({
    body: { delivery: { delivered: true, whatsapp: { status: 'skipped', skipped_reason: 'stopped' } } },
  });
  expect((await shop.get('/api/v1/credits')).body).toEqual(before.body);
});

test('the number, the messages sent and the delivery log are kept', async () => {
  const { shop, phone } = await repliedTo(1);
  await completeWhatsappErasure(shop, ANN);
  expect(await shop.get(`/api/v1/recipients/${ANN}/sms`)).toMatchObject({
    status: 200,
    body: { phone: expect.stringContaining(phone.slice(-4)), sms_status: 'active' },
  });
  const { items } = expectStatus<{ items: { delivery: unknown }[] }>(200, await shop.get('/api/v1/messages'));
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ delivery: { delivered: true, whatsapp: { status: 'delivered' } } });
});

test('the receipt admits which replies a forward email may have carried, and how they are forwarded', async () => {
  const { shop } = await repliedTo(2, 'owner@acme.example');
  await world.advance({ minutes: 1 });
  expect(await completeWhatsappErasure(shop, ANN)).toMatchObject({
    replies_deleted: 2,
    replies_a_forward_email_may_have_carried: 2,
    forward_setting: 'full',
  });
  // What the sandbox captured instead of mailing it goes, too.
  expect(
    await world.rows(
      `select from sandbox_messages where business_id = $1 and recipient = 'owner@acme.example'`,
      shop.businessId,
    ),
  ).toEqual([]);
});

test('a reply that was yet to be forwarded is not, once it is erased', async () => {
  const { shop } = await repliedTo(0, 'owner@acme.example');
  const at = new Date((await world.now()).getTime() + 3_600_000);
  await world.rows(
    `insert into whatsapp_replies (business_id, id, recipient_id, body, received_at)
     select business_id, 'reply', id, 'Forward me not', $2 from recipients where business_id = $1`,
    shop.businessId,
    at,
  );
  await world.rows(
    `insert into sends (business_id, id, recipient_id, channel, purpose, state, due_at, about, created_at)
     select business_id, 'forward', id, 'email', 'reply_forward', 'queued', $2::timestamptz, 'reply', $2::timestamptz from recipients where business_id = $1`,
    shop.businessId,
    at,
  );
  expect(await completeWhatsappErasure(shop, ANN)).toMatchObject({
    replies_deleted: 1,
    replies_a_forward_email_may_have_carried: 0,
  });
  await world.advance({ hours: 2 });
  const mails = `select from sandbox_messages where business_id = $1 and recipient = 'owner@acme.example'`;
  expect(await world.rows(mails, shop.businessId)).toEqual([]);
});

test('a retry replays the original counts; a new key says when it was first erased', async () => {
  const { shop, phone } = await repliedTo(1);
  const first = await requestWhatsappErasure(shop, ANN, 'erase');
  await world.advance({ hours: 1 });
  await world.receiveWhatsapp(phone, 'Written later');
  const replay = await requestWhatsappErasure(shop, ANN, 'erase');
  expect(replay.text).toBe(first.text);
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  const again = await completeWhatsappErasure(shop, ANN);
  expect(again).toMatchObject({ replies_deleted: 1, consent_withdrawn: false });
  expect(again.first_erased_at).toBe(Object(first.body).first_erased_at);
});

test('an address that is no recipient’s is refused and leaves the key unspent', async () => {
  const shop = await world.business();
  expect(await requestWhatsappErasure(shop, ANN, 'erase')).toMatchObject({
    status: 404,
    body: { error_code: 'recipient.not_found' },
  });
  await shop.pushed();
  expect((await requestWhatsappErasure(shop, ANN, 'erase')).headers.get('idempotent-replayed')).toBeNull();
});

test('another business’s recipient looks like nobody’s, and keeps what they wrote there', async () => {
  const { shop } = await repliedTo(1);
  const other = await world.business();
  expect((await requestWhatsappErasure(other, ANN)).status).toBe(404);
  expect(
    await world.rows('select from whatsapp_replies where business_id = $1', shop.businessId),
  ).toHaveLength(1);
});

test('the withdrawal outlives the person: it is kept when they are erased altogether', async () => {
  const { shop, phone } = await repliedTo(1);
  await completeWhatsappErasure(shop, ANN);
  expect(await completeErasure(shop, ANN)).toMatchObject({ stops_kept: 1, whatsapp_replies_deleted: 0 });
  expect(await shop.pushed(onWhatsapp(phone))).toMatchObject({ whatsapp: { skipped_reason: 'stopped' } });
});
