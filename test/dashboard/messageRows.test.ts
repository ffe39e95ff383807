import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { later, MINUTE } from '../../src/kit/clock.ts';
import { FULL_PUSH } from '../interface/channelOutcomes.ts';
import { openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { wider } from '../support/pageFaults.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

const LONG = 'Your order of Käsitöö- ja raamatupood, with the wool scarf and two candles, is on its way';
const LONG_ADDRESS = 'helena.von.der.heide-lindenstrauss@kaugel-maal.example.com';

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ credits: 10 });
  const all = { ...FULL_PUSH, subject: LONG, channels: ['sms', 'whatsapp'] };
  const { recipient_phone: _, whatsapp_opt_in: __, ...unreachable } = all;
  await shop.pushed({ ...all, recipient_email: 'bounce@example.com', recipient_phone: '+37255509007' });
  await shop.pushed({ ...unreachable, recipient_email: LONG_ADDRESS });
  await shop.pushed({
    ...all,
    channels: ['sms'],
    escalate_if_unread_after_minutes: 60,
    send_at: later(service.clock.now(), 30 * MINUTE).toISOString(),
  });
  await shop.pushed({ recipient_email: 'well@example.com', subject: 'All is well' });
  await service.advance({ seconds: 2 });
  const profile = await browser.newProfile();
  const { id } = await joinShop(service, shop.businessId, 'support@shop.example', 'viewer');
  await signInProfile(profile, service, id);
  page = await profile.newPage();
  await page.goto(`${service.url}/dashboard/${shop.businessId}/messages`);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const LINE = 24;
const PADDING = 16;
const linesOfRows = async (): Promise<number[]> => {
  const rows = page.locator('.list-table tbody tr');
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  return heights.map((height) => Math.round((height - PADDING) / LINE));
};

test.each([
  [1440, 1],
  [768, 1],
  [320, 2],
])('at %i pixels a message has so many lines, whatever became of it: %i', async (width, lines) => {
  await page.setViewportSize({ width, height: 900 });
  expect(await linesOfRows()).toEqual([lines, lines, lines, lines]);
  expect(await wider(page)).toEqual([]);
});

test('of a channel that is well the name is seen, and the rest is there to be read out', async () => {
  const marks = (subject: string) => page.locator('tr', { hasText: subject }).locator('.badge');
  const well = marks('All is well');
  await expect.poll(() => well.allTextContents()).toEqual(['Email delivered']);
  expect(await well.getAttribute('title')).toBe('Email delivered');
  const seen = await well.evaluate((badge) => badge.querySelector('.visually-hidden')?.textContent);
  expect(seen).toBe(' delivered');
  const failed = marks('bounce@example.com').filter({ hasText: 'Email bounced' });
  expect(await failed.locator('.visually-hidden').count()).toBe(0);
});
