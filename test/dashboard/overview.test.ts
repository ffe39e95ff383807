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
      `<span class="hint">${title}</span><strong><a [^>]*>([^<]*)</a></strong><span class="hint"><a [^>]*>([^<]*)</a> in 30 days`,
    ).exec(page) ?? [];
  return [today, month];
}

/** The part of a page from a heading's id on, up to the next heading. */
const panelOf = (page: string, id: string): string =>
  page.split('<section').find((part) => part.includes(`<h2 id="${id}"`)) ?? '';

/** Columns of charts: where each leads, and its name, which has the values. */
const columnsIn = (panel: string): (readonly [href: string, name: string])[] =>
  [...panel.matchAll(/<a href="([^"]*)" aria-label="([^"]*)"/g)].map(
    ([, href = '', name = '']) => [href.replaceAll('&amp;', '&'), name] as const,
  );

/** How many messages a list has. */
const listed = async (href: string): Promise<number> =>
  (await browser.get(href)).text.match(/href="[^"]*\/messages\/[0-9a-z]{24}"/g)?.length ?? 0;

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
  expect(page).toMatch(/<p class="big-figure"><a [^>]*>99<\/a><\/p>[\s\S]*for more than a year at the rate/);
});

test('the chart has a column per day, which names its values and leads to the messages it counts', async () => {
  const panel = panelOf(await read(), 'messages-chart');
  const columns = columnsIn(panel);
  expect(columns).toHaveLength(30);
  const [href = '', name = ''] = columns.at(-1) ?? [];
  const today = new Date(service.clock.now());
  const day = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(today);
  expect(name).toBe(`${today.getUTCDate()} ${day}: 2 messages, 2 delivered`);
  expect(await listed(href)).toBe(2);
  expect(columns[0]?.[1]).toMatch(/: 0 messages$/);
  const rows = panel.match(/<th scope="row">/g);
  expect(rows).toHaveLength(30);
  expect(panel).toMatch(/<td data-title="Delivered"><a href="[^"]*email=delivered">2<\/a>/);
});

test('every figure leads to the list that it counts', async () => {
  const panel = panelOf(await read(), 'figures');
  const links = [...panel.matchAll(/<a href="([^"]*)">(\d+)<\/a>/g)].map(
    ([, href = '', count]) => [href.replaceAll('&amp;', '&'), Number(count)] as const,
  );
  expect(links).toHaveLength(8);
  for (const [href, count] of links.filter(([to]) => to.includes('/messages?')))
    expect([href, await listed(href)]).toEqual([href, count]);
  expect(links.filter(([href]) => href.endsWith('/credits#ledger'))).toHaveLength(2);
  expect(panel).toContain('100% of those sent');
});

test('shares are of the day’s emails, and credits fall to the day they end', async () => {
  const page = await read();
  expect(columnsIn(panelOf(page, 'shares')).at(-1)?.[1]).toMatch(
    /: 100% delivered, 0% opened$|: 100% delivered$/,
  );
  // One a month: 99 last for years, so that the line goes on and no day is named.
  const credits = columnsIn(panelOf(page, 'credits'));
  // Of the projection those that the axis names.
  expect(credits).toHaveLength(34);
  expect(credits[29]?.[1]).toMatch(/: 99 credits$/);
  expect(page).not.toContain('At this rate the credits end');
  await spent(99);
  const short = await read();
  expect(short).toContain('At this rate the credits end on');
  expect(columnsIn(panelOf(short, 'credits')).at(-1)?.[1]).toMatch(/: 0 credits$/);
  await spent(-99);
});

/** Counts credits for texts on the newest day, as if so many more had been spent. */
const spent = (credits: number) =>
  service.pool.query(
    `update usage_counters set sms_credits = sms_credits + $2 where (business_id, day, slot) in (
       select business_id, day, slot from usage_counters where business_id = $1 order by day desc limit 1)`,
    [shop.businessId, credits],
  );

test('the 30 days before are compared with, if there was anything', async () => {
  expect(await read()).not.toContain('The 30 days before');
  await service.pool.query(
    `insert into usage_counters (business_id, day, slot, messages, email_sent, email_delivered, email_opened)
     select $1, min(day) - 35, 0, 8, 8, 6, 3 from usage_counters where business_id = $1`,
    [shop.businessId],
  );
  expect(panelOf(await read(), 'figures')).toMatch(
    /The 30 days before: <a href="[^"]*">8<\/a> messages, delivered 75% of those sent, opened 50% of those delivered, 0 SMS/,
  );
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
