import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  openBrowser,
  SMALL_PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { hindrances, wider } from '../support/pageFaults.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let memberId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ credits: 100 });
  memberId = (await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer')).id;
  await service.pool.query(
    `insert into usage_counters
       (business_id, day, slot, messages, email_sent, email_delivered, email_opened, email_bounced, sms_credits)
     select $1, ($2::timestamptz at time zone 'UTC')::date - n, 0, 10 + n, 9 + n, 7 + n, 5, 2, 4
     from generate_series(0, 29) n`,
    [shop.businessId, service.clock.now()],
  );
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

async function opened(options: Parameters<TestBrowser['newProfile']>[0], path = ''): Promise<Page> {
  const profile = await browser.newProfile({ reducedMotion: 'reduce', ...options });
  await signInProfile(profile, service, memberId);
  const page = await profile.newPage();
  await page.goto(`${service.url}/dashboard/${shop.businessId}${path}`);
  return page;
}

/** 150 columns, parts and numbers lead somewhere; hardly anything of a chart is said twice. */
const OVERVIEW_CHARACTERS_MAX = 85_000;

test('three charts of a month are a small page', async () => {
  const page = await opened({});
  const answer = await page.reload();
  expect((await answer?.text())?.length).toBeLessThan(OVERVIEW_CHARACTERS_MAX);
});

const tipsOn = (page: Page): Promise<string[]> => page.locator('.tip:visible').allInnerTexts();

test('Tab leads to the newest day of a chart, the arrow keys to the others, Enter to its messages', async () => {
  const page = await opened({});
  await page.locator('#messages-chart').evaluate((heading) => {
    heading.setAttribute('tabindex', '-1');
    heading.focus();
  });
  await page.keyboard.press('Tab');
  const focused = (): Promise<unknown> =>
    page.evaluate(
      `[...document.querySelector('.chart').querySelectorAll('[data-column]')].indexOf(document.activeElement)`,
    );
  expect(await focused()).toBe(29);
  expect(await page.locator('.tip:visible').locator('text').allTextContents()).toEqual([
    expect.stringMatching(/^\d+ [A-Z][a-z]{2}$/),
    '10 messages',
    '7 delivered',
    '1 under way',
    '2 bounced',
  ]);
  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toBe(28);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  expect(await focused()).toBe(0);
  expect(await page.locator('.tip:visible').locator('text').nth(2).textContent()).toBe('36 delivered');
  // One stop per chart: Tab leads on to the table below.
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  await page.keyboard.press('Shift+Tab');
  expect(await focused()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Messages' }).waitFor();
  const day = new Date(service.clock.now().getTime() - 29 * 86_400_000).toISOString().slice(0, 10);
  expect(new URL(page.url()).search).toBe(`?day=${day}`);
});

test('the pointer shows the values of a day, and a part of its bar leads to that part', async () => {
  const page = await opened({});
  const column = page.locator('.chart').first().locator('.column').nth(10);
  expect(await tipsOn(page)).toEqual([]);
  await column.locator('rect.mark').first().hover();
  expect(await page.locator('.tip:visible').count()).toBe(1);
  await column.locator('a').nth(1).click();
  await page.getByRole('heading', { name: 'Messages' }).waitFor();
  expect(new URL(page.url()).searchParams.get('email')).toBe('delivered');
});

test.each([
  ['', 'light', 'none'],
  ['', 'dark', 'none'],
  ['/credits', 'light', 'active'],
] as const)(
  'charts of the shop’s page “%s” can be read on a small phone, %s, forced colours %s',
  async (path, colorScheme, forcedColors) => {
    const page = await opened({ viewport: SMALL_PHONE_SCREEN, colorScheme, forcedColors }, path);
    await page.locator('.chart [data-column]').last().focus();
    expect([...(await hindrances(page)), ...(await wider(page))]).toEqual([]);
    // Labels of the axis do not run into each other.
    const labels = await page
      .locator('.chart-area')
      .first()
      .locator('.tick:visible')
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
      );
    expect(labels.length).toBeGreaterThanOrEqual(3);
    for (const [index, [left = 0]] of labels.slice(1).entries())
      expect(left).toBeGreaterThan(labels[index]?.[1] ?? 0);
  },
);

test('hours are those of the viewer', async () => {
  const { id } = JSON.parse(
    (await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: 'https://shop.example/hooks' } }))
      .text,
  );
  const at = new Date(service.clock.now().getTime() - 60_000);
  await service.pool.query(
    `insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, duration_ms)
     values ($1, $2, $3, 1, $4, 200, 80)`,
    [shop.businessId, id, `${at.getTime().toString(36).padStart(8, '0')}${'0'.repeat(16)}`, at],
  );
  const page = await opened({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' }, `/webhooks/${id}`);
  const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000);
  const shown = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'Asia/Tokyo',
  }).format(hour);
  await page.locator(`[data-column][aria-label="${shown}: 1 succeeded"]`).focus();
  expect(await page.locator('.tip:visible text').allTextContents()).toEqual([shown, '1 succeeded']);
});
