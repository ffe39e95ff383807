import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageReport } from '../../src/contract/usage.ts';
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

test('a new shop is shown its first push, and told that nothing listens', async () => {
  const page = await read();
  expect(page).toContain('Push your first message');
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
  expect(figure(page, 'Texts and WhatsApp sent')).toEqual(['1', '1']);
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

test('what needs attention is said first', async () => {
  await service.change(shop, { paused: true });
  const page = await read();
  expect(page.indexOf('Sending is paused')).toBeGreaterThan(0);
  expect(page.indexOf('Sending is paused')).toBeLessThan(page.indexOf('Today and the last 30 days'));
  await service.change(shop, { paused: false });
  expect(await read()).not.toContain('Sending is paused');
});
