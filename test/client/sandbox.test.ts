import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { clientOf } from './clientOf.ts';

/** What a merchant's CI does: push, move the clock, answer as the customer, and look at what the customer got. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const PUSH = {
  recipient_email: 'ann@example.com',
  recipient_phone: '+37255512345',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning.',
  reference: '#1001',
  order_status: 'shipped',
};

test('a text goes two hours later if the message stays unread, and a STOP ends texts', async () => {
  const shop = await service.business({ credits: 10 });
  const { messages, sandbox, credits, recipients } = clientOf(shop);
  const texts = () => sandbox.outbox({ channel: 'sms', to: PUSH.recipient_phone });
  const unread = { channels: ['sms' as const], escalate_if_unread_after_minutes: 120 };
  const { id } = await messages.push({ ...PUSH, ...unread });
  await sandbox.advance({ minutes: 119 });
  expect(await texts()).toEqual([]);
  await sandbox.advance({ minutes: 2 });
  const [text] = await texts();
  expect(text).toMatchObject({ channel: 'sms', message_id: id, business_id: shop.businessId });
  expect(text?.text).toContain('#1001');
  expect((await credits.get()).balance).toBe(9);
  await sandbox.inboundSms({ from: PUSH.recipient_phone, body: 'STOP', business_id: shop.businessId });
  expect((await recipients.get(PUSH.recipient_email)).sms.status).toBe('stopped');
  const again = await messages.push({ ...PUSH, channels: ['sms'] });
  expect(again.sms).toMatchObject({ queued: false, skipped_reason: 'stopped' });
});

test('a business of the test’s own, whose customer opens the message in time', async () => {
  const { url } = service;
  const anybody = clientOf({ url, apiKey: 'way_live_none' });
  const { business_id, api_key: apiKey } = await anybody.sandbox.createBusiness({ credits: 3 });
  const { messages, sandbox, credits } = clientOf({ url, apiKey });
  expect((await credits.get()).balance).toBe(3);
  const unread = { channels: ['sms' as const], escalate_if_unread_after_minutes: 120 };
  const { id } = await messages.push({ ...PUSH, recipient_phone: '+37255512399', ...unread });
  const other = await messages.push({ ...PUSH, subject: 'Another one' });
  await sandbox.settle();
  const sent = await sandbox.outbox({ message_id: id });
  expect(sent).toMatchObject([{ channel: 'email', message_id: id, business_id }]);
  expect(await sandbox.open(id)).toEqual({ opened: true });
  expect((await messages.get(id)).delivery.opened).toBe(true);
  await sandbox.advance({ hours: 3 });
  expect(await sandbox.outbox({ message_id: id, channel: 'sms' })).toEqual([]);
  expect((await messages.get(other.id)).delivery.opened).toBe(false);
  expect((await credits.get()).balance).toBe(3);
  await expect(sandbox.open('nothing')).rejects.toThrow('message_id: Value error, no message has this id');
});

test('settle resolves once what is under way is done', async () => {
  const { messages, sandbox } = clientOf(await service.business());
  const pushed = await Promise.all(
    [...Array(20).keys()].map((n) =>
      messages.push({ recipient_email: `p${n}@example.com`, subject: 'Hello', body: 'There' }),
    ),
  );
  await sandbox.settle();
  for (const { id } of pushed) expect(await sandbox.outbox({ message_id: id })).toHaveLength(1);
});

test('a provider’s report and a WhatsApp reply reach the shop', async () => {
  const shop = await service.business({ credits: 10 });
  const { messages, sandbox, events } = clientOf(shop);
  const person = { recipient_email: 'silent+1@example.com', recipient_phone: '+37255512346' };
  const { id } = await messages.push({
    ...PUSH,
    ...person,
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
  });
  await sandbox.advance({ seconds: 10 });
  const [mail] = await sandbox.outbox({ channel: 'email', to: person.recipient_email });
  const report = { provider_id: mail?.provider_id ?? '', status: 'bounced' as const };
  expect(await sandbox.report(report)).toEqual({ ...report, known: true });
  expect((await messages.get(id)).delivery.bounced).toBe(true);
  await sandbox.inboundWhatsapp({
    from: person.recipient_phone,
    body: 'Thank you!',
    business_id: shop.businessId,
  });
  const types = [];
  for await (const event of events.list({ message_id: id })) types.push(event.type);
  expect(types).toEqual(expect.arrayContaining(['message.bounced', 'whatsapp.delivered']));
});

test('the clock is told, and can be moved to a time', async () => {
  const { sandbox } = clientOf(await service.business());
  const { now } = await sandbox.clock();
  const to = new Date(Date.parse(now) + 90_061_000);
  expect(Date.parse((await sandbox.advanceTo(to)).now)).toBeGreaterThanOrEqual(to.getTime());
  expect((await sandbox.clock()).offset_seconds).toBeGreaterThan(90_000);
  await expect(sandbox.advanceTo(now)).rejects.toThrow('to: Value error, the clock cannot go back');
});
