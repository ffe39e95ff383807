import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counters } from '../../src/usage/counters.ts';
import { countsByDay } from '../../src/usage/read.ts';
import { recountByDay } from '../../src/usage/rebuild.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, validationErrorsOf } from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';
import { countedUsage, openFromEmail, textStop } from './happenings.ts';

let service: TestService;
const shops: Shop[] = [];

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function shopWith(credits = 20): Promise<Shop> {
  const shop = await service.business({ credits });
  shops.push(shop);
  return shop;
}

const SMS = { ...FULL_PUSH, channels: ['sms'] };
const WHATSAPP = { ...FULL_PUSH, channels: ['whatsapp'] };
const NO_EMAIL = { sent: 0, delivered: 0, opened: 0, bounced: 0, complained: 0, failed: 0, not_sent: 0 };
const NO_SMS = { sent: 0, delivered: 0, failed: 0, rejected: 0, skipped: 0, credits: 0 };
const NO_WHATSAPP = { ...NO_SMS, read: 0 };
const NONE_AVOIDED = { opened_first: 0, whatsapp_sufficed: 0, retracted: 0, credits: 0 };
const EMPTY = {
  messages: 0,
  email: NO_EMAIL,
  sms: NO_SMS,
  whatsapp: NO_WHATSAPP,
  avoided: NONE_AVOIDED,
  median_minutes_to_open: null,
};

/** By the service's clock, which the tests move. */
const now = (): Promise<Date> => service.advance({});
const today = async (): Promise<string> => (await now()).toISOString().slice(0, 10);
const inHours = async (hours: number): Promise<string> =>
  new Date((await now()).getTime() + hours * 3_600_000).toISOString();
const total = async (shop: Shop) => (await countedUsage(shop)).total;

describe('what is counted', () => {
  test('a new business has used nothing', async () => {
    expect(await total(await shopWith())).toEqual({ period: null, ...EMPTY });
  });

  test('messages that were created, alone or in a batch, and not those that were updated', async () => {
    const shop = await shopWith();
    await shop.pushed({ kind: 'updateable', notify: false });
    await shop.pushed({ kind: 'updateable', notify: false });
    await shop.batch([{ notify: false }, { notify: false }, { subject: '' }]);
    await shop.pushed({ notify: false }, 'one-key');
    await shop.pushed({ notify: false }, 'one-key');
    expect(await total(shop)).toMatchObject({ ...EMPTY, messages: 4 });
  });

  test('emails by what became of them', async () => {
    const shop = await shopWith();
    for (const name of ['ann', 'bounce', 'complain', 'refuse', 'unknown', 'silent', 'flaky', 'down'])
      await shop.pushed({ recipient_email: `${name}@example.com` });
    await service.advance({ hours: 1 });
    expect((await total(shop)).email).toEqual({
      ...NO_EMAIL,
      // The provider refused one and never got another.
      sent: 6,
      delivered: 3,
      bounced: 1,
      complained: 1,
      failed: 3,
    });
  });

  test('emails that were decided against, at the push or later', async () => {
    const shop = await shopWith();
    const { id } = await shop.pushed({ send_at: await inHours(1) });
    await shop.post(`/api/v1/messages/${id}/retract`);
    await shop.pushed({ subject: 'Later', kind: 'updateable', send_at: await inHours(1) });
    await shop.pushed({ subject: 'Later', kind: 'updateable', send_at: await inHours(1), notify: true });
    const { id: old } = await shop.pushed({ send_at: await inHours(1) });
    await shop.pushed({ obsoletes: [old], notify: false });
    await service.change(shop, { paused: true });
    await shop.pushed();
    await service.advance({ hours: 2 });
    // Retracted, obsolete, skipped when due, skipped at the push; the superseded one was replaced.
    expect((await total(shop)).email).toEqual({ ...NO_EMAIL, not_sent: 4 });
  });

  test('texts by what became of them, and their credits less refunds', async () => {
    const shop = await shopWith();
    for (const [place, digits] of ['0134', '9001', '9002', '9003', '9004', '9007'].entries())
      await shop.pushed({
        ...SMS,
        recipient_email: `silent+${place}@example.com`,
        recipient_phone: `+3725555${digits}`,
      });
    await service.advance({ hours: 1 });
    expect((await total(shop)).sms).toEqual({
      ...NO_SMS,
      sent: 4,
      delivered: 1,
      failed: 2,
      rejected: 2,
      credits: 4,
    });
  });

  test('WhatsApp messages, with those that were read', async () => {
    const shop = await shopWith();
    for (const [place, digits] of ['0134', '9005', '9008'].entries())
      await shop.pushed({
        ...WHATSAPP,
        recipient_email: `silent+${place}@example.com`,
        recipient_phone: `+3725555${digits}`,
      });
    await service.advance({ hours: 1 });
    expect((await total(shop)).whatsapp).toEqual({
      ...NO_WHATSAPP,
      sent: 2,
      delivered: 2,
      read: 1,
      rejected: 1,
      credits: 2,
    });
  });

  test('paid messages that were decided against: at the push, by a resend, at the deadline, by a STOP, by a retraction', async () => {
    const shop = await shopWith(0);
    const { id } = await shop.pushed({ ...SMS, channels: ['sms', 'whatsapp'] });
    await shop.post(`/api/v1/messages/${id}/sms`);
    await shop.pushed({ ...SMS, escalate_if_unread_after_minutes: 5 });
    await service.advance({ minutes: 10 });
    expect(await total(shop)).toMatchObject({ sms: { skipped: 3 }, whatsapp: { skipped: 1 } });

    await service.pool.query('update credit_accounts set balance = 9 where business_id = $1', [
      shop.businessId,
    ]);
    const { id: scheduled } = await shop.pushed({ ...SMS, send_at: await inHours(1) });
    await shop.post(`/api/v1/messages/${scheduled}/retract`);
    await shop.pushed({ ...SMS, escalate_if_unread_after_minutes: 60 });
    await textStop(service, shop, FULL_PUSH.recipient_phone);
    expect(await total(shop)).toMatchObject({ sms: { ...NO_SMS, skipped: 5 }, avoided: NONE_AVOIDED });
  });

  test('paid messages that never had to go, one per send, and what they would have cost', async () => {
    const shop = await shopWith();
    const armed = { ...SMS, escalate_if_unread_after_minutes: 60 };
    const { id: opened } = await shop.pushed({ ...armed, recipient_email: 'one@example.com' });
    await service.advance({ minutes: 5 });
    await openFromEmail(service, opened);
    const two = { ...armed, recipient_email: 'two@example.com', recipient_phone: '+37255550135' };
    const { id: retracted } = await shop.pushed(two);
    await shop.post(`/api/v1/messages/${retracted}/retract`);
    const { id: replaced } = await shop.pushed(two);
    await shop.pushed({ recipient_email: 'two@example.com', obsoletes: [replaced], notify: false });
    await shop.pushed({
      ...WHATSAPP,
      recipient_email: 'three@example.com',
      recipient_phone: '+37255550136',
      sms_if_whatsapp_fails: true,
    });
    await service.advance({ hours: 2 });
    expect(await total(shop)).toMatchObject({
      sms: NO_SMS,
      whatsapp: { sent: 1, delivered: 1, skipped: 0, credits: 1 },
      avoided: { opened_first: 1, whatsapp_sufficed: 1, retracted: 2, credits: 4 },
    });
  });

  test('openings, and the median of the minutes from the push to the first one, within 10 %', async () => {
    const shop = await shopWith();
    const waits = [10, 3, 400, 45, 30];
    for (const minutes of waits) {
      const { id } = await shop.pushed({ recipient_email: `open+${minutes}@example.com` });
      await service.advance({ minutes });
      await openFromEmail(service, id);
      await openFromEmail(service, id);
    }
    const { email, median_minutes_to_open } = await total(shop);
    expect(email.opened).toBe(5);
    expect(median_minutes_to_open).toBeGreaterThan(27);
    expect(median_minutes_to_open).toBeLessThan(33);
  });

  test('each fact on the day it happens, by the service’s clock: a text today, its refund tomorrow', async () => {
    const shop = await shopWith();
    // To five minutes before midnight.
    const at = await now();
    const minutes = 24 * 60 - 5 - at.getUTCHours() * 60 - at.getUTCMinutes();
    await service.advance({ minutes: minutes > 0 ? minutes : minutes + 24 * 60 });
    const day = await today();
    await shop.pushed({ ...SMS, recipient_phone: '+37255559007' });
    await service.advance({ minutes: 10 });
    const next = await today();
    expect(next > day).toBe(true);
    const { items } = await countedUsage(shop, `?from=${day}&to=${next}`);
    expect(items.map(({ period, messages, sms }) => [period, messages, sms.rejected, sms.credits])).toEqual([
      [day, 1, 0, 1],
      [next, 0, 1, -1],
    ]);
  });
});

describe('the range', () => {
  test('is the last 30 days by default, oldest first, also those without anything', async () => {
    const shop = await shopWith();
    const { items } = await countedUsage(shop);
    const last = await today();
    expect(items).toHaveLength(30);
    expect(items.at(-1)).toEqual({ period: last, ...EMPTY });
    expect(items.map(({ period }) => period)).toEqual(items.map(({ period }) => period).toSorted());
    const first = new Date(new Date(last).getTime() - 29 * 86_400_000).toISOString().slice(0, 10);
    expect(items[0]?.period).toBe(first);
  });

  test('ends today when only its start is given, and starts 29 days before its end', async () => {
    const shop = await shopWith();
    const last = await today();
    expect((await countedUsage(shop, `?from=${last}`)).items.map(({ period }) => period)).toEqual([last]);
    const { items } = await countedUsage(shop, '?to=2026-03-30');
    expect([items[0]?.period, items.at(-1)?.period]).toEqual(['2026-03-01', '2026-03-30']);
  });

  test('includes both of its days', async () => {
    const shop = await shopWith();
    await shop.pushed({ notify: false });
    const day = await today();
    expect((await countedUsage(shop, `?from=${day}&to=${day}`)).total.messages).toBe(1);
  });

  test('can be told by month', async () => {
    const shop = await shopWith();
    const { items } = await countedUsage(shop, '?from=2025-12-31&to=2026-02-01&interval=month');
    expect(items.map(({ period }) => period)).toEqual(['2025-12', '2026-01', '2026-02']);
  });

  test('of 400 days is fine, and of 401 is refused', async () => {
    const shop = await shopWith();
    expect((await countedUsage(shop, '?from=2025-01-01&to=2026-02-05')).items).toHaveLength(401);
    expect(validationErrorsOf(await shop.get('/api/v1/usage?from=2025-01-01&to=2026-02-06'))).toMatchObject([
      { type: 'value_error', loc: ['query', 'to'] },
    ]);
  });

  test.each([
    ['from=2026-02-02&to=2026-02-01', 'from', 'value_error'],
    ['from=2026-02-30', 'from', 'value_error'],
    ['to=20260201', 'to', 'value_error'],
    ['to=2026-02-01T00:00:00Z', 'to', 'value_error'],
    ['to=0000-01-01', 'to', 'value_error'],
    ['interval=week', 'interval', 'enum'],
  ])('%s is refused', async (query, field, type) => {
    const shop = await service.business();
    expect(validationErrorsOf(await shop.get(`/api/v1/usage?${query}`))).toMatchObject([
      { type, loc: ['query', field] },
    ]);
  });

  test('can start at the first day there is', async () => {
    const shop = await service.business();
    expect((await countedUsage(shop, '?to=0001-01-02')).items).toHaveLength(2);
    expect((await countedUsage(shop, '?from=9999-12-31&to=9999-12-31')).items).toHaveLength(1);
  });
});

describe('whose it is', () => {
  test('one business does not see another’s', async () => {
    const [shop, other] = [await shopWith(), await shopWith()];
    await shop.pushed({ notify: false });
    expect((await total(other)).messages).toBe(0);
  });

  test('the counters survive the erasure of the customer; a refund for what still waited is counted', async () => {
    const shop = await service.business({ credits: 5 });
    await shop.pushed({ ...SMS, recipient_phone: '+37255559007' });
    await service.advance({ seconds: 5 });
    expect(await total(shop)).toMatchObject({ messages: 1, sms: { credits: 1 } });
    expectStatus(200, await shop.post('/api/v1/recipients/ann@example.com/erase'));
    expect(await total(shop)).toMatchObject({
      messages: 1,
      email: { sent: 1, delivered: 1 },
      sms: { ...NO_SMS, credits: 0 },
    });
    expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 5 });
  });
});

test('the counters of every business in these tests equal a recount of its tables', async () => {
  expect(shops.length).toBeGreaterThan(10);
  for (const { businessId } of shops) {
    const range = [businessId, '2020-01-01', '2100-01-01'] as const;
    const [counted, recounted] = [
      await countsByDay(service.pool, ...range),
      await recountByDay(service.pool, ...range),
    ];
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(recounted));
  }
  // And none of the counters was zero throughout.
  const { rows } = await service.pool.query<Record<string, number>>(
    `select ${counters.map((counter) => `sum(abs(${counter}))::int as ${counter}`).join(', ')} from usage_counters`,
  );
  expect(counters.filter((counter) => rows[0]?.[counter] === 0)).toEqual(['whatsapp_failed']);
});
