import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSender } from '../../src/businesses/sql.ts';
import type { UsageReport } from '../../src/contract/usage.ts';
import { transaction } from '../../src/db/transaction.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  browser = await signedIn(
    service,
    (await joinShop(service, shop.businessId, 'owner@shop.example', 'viewer')).id,
  );
});
afterAll(() => service.close());

const read = async (at: Shop = shop): Promise<string> =>
  (await browser.get(`/dashboard/${at.businessId}`)).text;

/** The figure of a title: today's and that of 30 days. */
function figure(page: string, title: string): [string | undefined, string | undefined] {
  const [, today, month] =
    new RegExp(
      `<span class="hint">${title}</span><strong>([^<]*)</strong><span class="hint">([^<]*) in 30 days`,
    ).exec(page) ?? [];
  return [today, month];
}

/** The state of each first step: the name, the key, the message, the webhook, texts. */
const stepsOn = (page: string): string[] =>
  [...page.matchAll(/<span class="badge (?:good|waiting)">(Done|Open)<\/span>/g)].map(
    ([, state = '']) => state,
  );

test('a new shop is shown its first push, and told that nothing listens', async () => {
  const page = await read();
  expect(page).toContain('First steps');
  expect(page).toContain('Push your first message');
  expect(page).toContain('curl -s');
  expect(page).toContain('Customers see your shop as “Acme Books”.');
  expect(stepsOn(page)).toEqual(['Done', 'Done', 'Open', 'Open', 'Done']);
  expect(page).toContain('No webhook yet');
  expect(page).toContain('None were spent in the last 30 days.');
});

test('the figures are those of the usage call', async () => {
  await shop.pushed({ recipient_phone: PHONE_NUMBER, channels: ['sms'] });
  await shop.pushed({ recipient_email: 'two@example.com' });
  const usage = await eventually(async () => {
    const report = expectStatus<UsageReport>(200, await shop.get('/api/v1/usage'));
    expect(report.total).toMatchObject({ email: { delivered: 2 }, sms: { delivered: 1, credits: 1 } });
    return report;
  });
  const page = await read();
  expect(page).not.toContain('Push your first message');
  expect(figure(page, 'Messages')).toEqual(['2', String(usage.total.messages)]);
  expect(figure(page, 'Emails delivered')).toEqual(['2', '2']);
  expect(figure(page, 'SMS and WhatsApp sent')).toEqual(['1', '1']);
  expect(page).toMatch(/<p class="big-figure">99<\/p>[\s\S]*for more than a year at the rate/);
});

test('the chart has a bar per day, and its table the same numbers', async () => {
  const page = await read();
  expect(page.match(/<rect /g)).toHaveLength(30);
  expect(page.match(/<th scope="row">/g)).toHaveLength(30);
  const usage = expectStatus<UsageReport>(200, await shop.get('/api/v1/usage'));
  const { period, messages } = usage.items.at(-1) ?? { period: '', messages: 0 };
  expect(page).toMatch(new RegExp(`<th scope="row"><span>${period}</span></th><td [^>]*>${messages}</td>`));
});

test('the first steps go on until each is taken', async () => {
  expect(stepsOn(await read())).toEqual(['Done', 'Done', 'Done', 'Open', 'Done']);
  expect(await read()).not.toContain('curl -s');
  const endpoint = { url: 'https://shop.example/hooks' };
  expectStatus(
    201,
    await shop.call('POST', '/api/v1/webhook-endpoints', { body: endpoint, idempotencyKey: 'hooks' }),
  );
  const page = await read();
  expect(stepsOn(page)).toEqual([]);
  expect(page).not.toContain('No webhook yet');
});

test('an endpoint that fails or is off, low credits, a plan past due and a sender whose mail fails need attention', async () => {
  const endpoint = (change: string) =>
    service.pool.query(`update webhook_endpoints set ${change} where business_id = $1`, [shop.businessId]);
  await endpoint('consecutive_failures = 4');
  expect(await read()).toContain(
    'The webhook endpoint at shop.example is failing. The last 4 events could not be delivered',
  );
  await endpoint('disabled_at = now()');
  expect(await read()).toContain('The webhook endpoint at shop.example is switched off');
  await service.change(shop, { lowBalanceThreshold: 99, plan: 'past_due' });
  await transaction(service.pool, (tx) => setSender(tx, shop.businessId, 'email', 'hello@acme.example'));
  await service.pool.query(
    `update usage_counters set email_failed = 5 where (business_id, day, slot) in (
       select business_id, day, slot from usage_counters where business_id = $1 order by day desc limit 1)`,
    [shop.businessId],
  );
  const page = await read();
  for (const says of [
    'The plan is past due.',
    'Credits are low: 99 left.',
    'Most emails from hello@acme.example fail: the sender is probably not verified.',
  ])
    expect(page).toContain(says);
  await service.pool.query(
    `update usage_counters set email_bounced = 20, email_sent = email_sent + 20 where (business_id, day, slot) in (
       select business_id, day, slot from usage_counters where business_id = $1 order by day desc limit 1)`,
    [shop.businessId],
  );
  expect(await read()).toContain('More emails bounce than before');
});

test('what needs attention is said first', async () => {
  await service.change(shop, { paused: true });
  const page = await read();
  expect(page.indexOf('Sending is paused')).toBeGreaterThan(0);
  expect(page.indexOf('Sending is paused')).toBeLessThan(page.indexOf('Today and the last 30 days'));
  await service.change(shop, { paused: false });
  expect(await read()).not.toContain('Sending is paused');
});
