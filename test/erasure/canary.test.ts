import { afterAll, beforeAll, expect, test } from 'vitest';
import { maskPhone } from '../../src/kit/phoneNumber.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import {
  ACCEPT_WEBHOOK,
  completeErasure,
  completeWhatsappErasure,
  type ErasureService,
  freshNumber,
  REFUSE_WEBHOOK,
  startErasureService,
} from './erasureService.ts';
import { type Canary, tracesIn, tracesInDatabase } from './traces.ts';

/** Everything that can be known of a person, left wherever the product leaves it; then they are erased. */
let world: ErasureService;
let shop: Shop;
beforeAll(async () => {
  world = await startErasureService();
  shop = await world.business({
    smsMode: 'on_request',
    whatsappMode: 'on_request',
    credits: 50,
    contactEmail: 'owner@acme.example',
  });
  await world.change(shop, { replyForward: 'full' });
  await world.addEndpoint(shop);
});
afterAll(() => world.close());

const EMAIL = 'canary.zebrafish@example.com';
const WRITTEN = 'Canary.Zebrafish@Example.com';
const SUBJECT = 'Parcel for the Zebrafish family';
const BODY = 'Left behind the Walrus statue, code Capybara';
const REPLY = 'Please call the Ocelot instead';
const SOURCE = 'signed at the Narwhal desk';
const PHONE = freshNumber();
const CANARIES: Canary[] = [
  { name: 'address', text: WRITTEN },
  { name: 'number', text: PHONE.slice(1) },
  { name: 'masked number', text: maskPhone(PHONE) },
  { name: 'subject', text: SUBJECT },
  { name: 'body', text: BODY },
  { name: 'reply', text: REPLY },
  { name: 'source of consent', text: SOURCE },
];

const about = {
  recipient_email: WRITTEN,
  subject: SUBJECT,
  body: BODY,
  recipient_phone: PHONE,
  channels: ['sms', 'whatsapp'],
  whatsapp_opt_in: { source: SOURCE },
  reference: 'A-1001',
  order_status: 'shipped',
};

const batch = [
  { recipient_email: 'bystander@example.com' },
  about,
  { recipient_email: WRITTEN, subject: SUBJECT },
  { recipient_email: WRITTEN, subject: SUBJECT, body: BODY, send_at: BODY, reference: EMAIL },
];

const ours = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

async function leaveTraces(): Promise<void> {
  const first = await shop.pushed(about, 'single');
  await shop.pushed({ ...about, kind: 'updateable' }, 'updateable');
  await shop.pushed({ ...about, kind: 'updateable', body: `${BODY}!`, notify: true }, 'rewritten');
  expectStatus(200, await shop.batch(batch, 'batch'));
  const soon = new Date((await world.now()).getTime() + 7_200_000).toISOString();
  await shop.pushed({ ...about, send_at: soon }, 'scheduled');
  await shop.pushed({ ...about, escalate_if_unread_after_minutes: 60 }, 'armed');
  await world.advance({ minutes: 2 });

  // The person comes, reads, asks for another link, replies, and stops what they can.
  const [mail] = await capturedMessages(world.url, { to: EMAIL, channel: 'email' });
  const link = /https?:\/\/\S+\/i\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  await fetch(link);
  const arrived = await fetch(link, { method: 'POST', redirect: 'manual', headers: ours });
  expect(arrived.status).toBe(303);
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const inbox = await fetch(`${world.url}/inbox`, { headers: { cookie } });
  expect(await inbox.text()).toContain(SUBJECT);
  const body = new URLSearchParams({ link: link.split('/').at(-1) ?? '', email: EMAIL }).toString();
  expect((await fetch(`${world.url}/inbox/new-link`, { method: 'POST', headers: ours, body })).status).toBe(
    200,
  );
  await world.receiveWhatsapp(PHONE, REPLY);
  await world.advance({ minutes: 2 });
  await completeWhatsappErasure(shop, EMAIL, 'whatsapp');
  await world.receiveWhatsapp(PHONE, REPLY);
  await world.receiveSms(PHONE, 'STOP');

  // The merchant uses every operation that takes the address, some of them wrongly.
  const path = `/api/v1/recipients/${encodeURIComponent(WRITTEN)}`;
  await shop.get(`${path}/sms`);
  await shop.put(`${path}/phone`, { phone: PHONE });
  await shop.put(`${path}/phone`, { phone: BODY });
  await shop.get(`/api/v1/messages?recipient_email=${encodeURIComponent(WRITTEN)}`);
  await shop.push({ ...about, recipient_phone: BODY, subject: null }, 'refused');
  await shop.post(`/api/v1/messages/${first.id}/retract`, 'retracted');
  await shop.post(`/api/v1/messages/${first.id}/sms`, 'resent');
  await shop.post(`/api/v1/messages/${first.id}/whatsapp`, 'resent');

  // And the address turns out not to work, and has had enough.
  const [last] = await capturedMessages(world.url, { to: EMAIL, channel: 'email' });
  const report = { provider_id: last?.provider_id, status: 'bounced' };
  await fetch(`${world.url}/sandbox/reports`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
  });
  const unsubscribe = /<(.+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  expect(
    (await fetch(unsubscribe, { method: 'POST', headers: ours, body: 'List-Unsubscribe=One-Click' })).status,
  ).toBe(200);
  await world.advance({ minutes: 30 });
}

/** Every line that was logged, as it would be written. */
const logLines = (): string =>
  world.logged
    .map((line) => JSON.stringify(line, (_, value) => (value instanceof Error ? value.message : value)))
    .join('\n');

test('after an erasure no column of any table, no log line and no stored response holds the person', async () => {
  world.answerWebhooksWith(REFUSE_WEBHOOK);
  await leaveTraces();
  const before = await tracesInDatabase(world.pool, CANARIES);
  // The scan sees what is there: all of it, in all the places that hold it.
  expect(before).toEqual([
    'audit_entries.subject: address',
    'consent_log.source: source of consent',
    'events.data: address',
    'events.data: masked number',
    'events.data: reply',
    'events.data: subject',
    'idempotency_records.response: address',
    'idempotency_records.response: subject',
    'messages.body: body',
    'messages.subject: subject',
    'order_recipients.email: address',
    'recipients.email: address',
    'recipients.phone: number',
    'sandbox_messages.html: body',
    'sandbox_messages.html: reply',
    'sandbox_messages.html: subject',
    'sandbox_messages.recipient: address',
    'sandbox_messages.recipient: number',
    'sandbox_messages.subject: subject',
    'sandbox_messages.text: body',
    'sandbox_messages.text: reply',
    'suppressions.email: address',
    'webhook_attempts.response: address',
    'webhook_attempts.response: masked number',
    'webhook_attempts.response: reply',
    'webhook_attempts.response: subject',
    'whatsapp_replies.body: reply',
  ]);

  const report = await completeErasure(shop, WRITTEN, 'erase');
  expect(report).toMatchObject({
    messages_deleted: 6,
    suppressions_kept: 2,
    stops_kept: 2,
    subscription_deleted: true,
  });
  // There was something of everything but waiting sends, which the unsubscription had ended.
  const nothingOf = Object.entries(report).filter(([, count]) => !count);
  expect(nothingOf).toEqual([['queued_jobs_cancelled', 0]]);
  expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);

  // What was under way, queued or is asked for again brings nothing back.
  const heard = world.eventsSentTo(shop).length;
  world.answerWebhooksWith(ACCEPT_WEBHOOK);
  await world.advance({ hours: 23 });
  expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);
  const told = world.eventsSentTo(shop).slice(heard);
  expect(told.length).toBeGreaterThan(5);
  expect(tracesIn(JSON.stringify(told), CANARIES)).toEqual([]);
  const replay = await shop.batch(batch, 'batch');
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(tracesIn(replay.text, CANARIES)).toEqual([]);
  expect(replay.text).toContain('bystander@example.com');
  for (const page of ['/sandbox/outbox.json', '/sandbox', '/metrics', '/readyz']) {
    expect(tracesIn(await (await fetch(world.url + page)).text(), CANARIES), page).toEqual([]);
  }
  expect(tracesIn((await shop.get('/api/v1/messages')).text, CANARIES)).toEqual([]);
  expect(tracesIn(logLines(), CANARIES)).toEqual([]);
  expect(world.loggedErrors()).toEqual([]);
});
