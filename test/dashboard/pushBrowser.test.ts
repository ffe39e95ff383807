import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let memberId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ name: 'Acme Books', credits: 10 });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
  await shop.pushed({ recipient_email: 'mari@example.com', reference: '#7', subject: 'We have your order' });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

async function openPage(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, ...options });
  await signInProfile(context, service, memberId);
  const page = await context.newPage();
  await page.goto(`${service.url}/dashboard/${shop.businessId}${path}`);
  return page;
}

async function write(page: Page): Promise<void> {
  await page.getByLabel('Subject').fill('It is late');
  await page.getByLabel('Message', { exact: true }).fill('We are sorry.');
}

/** Enough of a part to read, somewhere on the screen. */
async function isInView(page: Page, part: string): Promise<boolean> {
  const box = await page.locator(part).boundingBox();
  return box !== null && box.y + box.height > 100 && box.y < DESKTOP_SCREEN.height - 100;
}

test('from a customer’s page to a push: filled in, seen as the customer sees it, in the member’s zone', async () => {
  const zone = { timezoneId: 'Asia/Tokyo', locale: 'en-GB' };
  const page = await openPage('/recipients', zone);
  const complaints = consoleErrorsOf(page);
  await page.getByRole('link', { name: 'mari@example.com' }).click();
  await page.getByRole('link', { name: 'Push a message' }).click();
  expect(await page.getByLabel('Customer’s address').inputValue()).toBe('mari@example.com');
  expect(page.url()).not.toContain('mari');
  await write(page);
  const mail = page.frameLocator('iframe[title="The email"]');
  await mail.getByText('We are sorry.').first().waitFor();
  await page.frameLocator('iframe[title="The inbox"]').getByText('We are sorry.').waitFor();
  await page.getByText('More', { exact: true }).click();
  // In Tokyo the day begins nine hours earlier.
  const day = new Date(service.clock.now().getTime() + 48 * 3_600_000).toISOString().slice(0, 10);
  await page.getByLabel('Hold the nudge until (Asia/Tokyo)').fill(`${day}T06:47`);
  await page
    .locator('#preview')
    .getByText(/Goes out .*06:47/)
    .first()
    .waitFor();
  // The preview stays beside the end of the form.
  await page.getByRole('button', { name: 'Push it now' }).scrollIntoViewIfNeeded();
  expect(await isInView(page, '#preview')).toBe(true);
  await page.getByRole('button', { name: 'Push it now' }).click();
  await page.getByText('The message is in the customer’s inbox.', { exact: false }).waitFor();
  const { rows } = await service.pool.query<{ at: Date }>(
    `select scheduled_for as at from messages where business_id = $1 and subject = 'It is late'`,
    [shop.businessId],
  );
  expect(rows[0]?.at.toISOString()).toMatch(/T21:47:00/);
  expect(complaints.filter((text) => !/^htmx:(afterRequest|sendAbort)/.test(text))).toEqual([]);
  await page.context().close();
});

test('an order’s page fills in its customer and its number', async () => {
  const page = await openPage('/orders?reference=%237');
  await page.getByRole('link', { name: 'Push a message' }).click();
  expect(await page.getByLabel('Customer’s address').inputValue()).toBe('mari@example.com');
  expect(await page.getByLabel('Order number').inputValue()).toBe('#7');
  await page.context().close();
});

test('customers are suggested while somebody types their address', async () => {
  const page = await openPage('/push');
  const field = page.getByLabel('Customer’s address');
  await field.pressSequentially('Ma');
  const options = page.locator('#recipient_email-suggestions option');
  await eventually(async () => expect(await options.count()).toBe(1));
  expect(await options.getAttribute('value')).toBe('mari@example.com');
  expect(await field.getAttribute('list')).toBe('recipient_email-suggestions');
  // What was typed stays, and the suggestions come nowhere else.
  expect(await field.inputValue()).toBe('Ma');
  expect(await page.getByText('mari@example.com').count()).toBe(0);
  await page.context().close();
});

test('on a phone and without script the button leads to the preview', async () => {
  const page = await openPage('/push', { viewport: PHONE_SCREEN, javaScriptEnabled: false });
  await page.getByLabel('Customer’s address').fill('mari@example.com');
  await write(page);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.waitForURL('**/push/preview#preview');
  const mail = page.frameLocator('iframe[title="The email"]');
  await mail.getByText('We are sorry.').first().waitFor();
  const top = (await page.locator('#preview').boundingBox())?.y ?? Number.NaN;
  expect(Math.abs(top)).toBeLessThan(150);
  expect(await page.getByLabel('Hold the nudge until (UTC)').count()).toBe(1);
  await page.context().close();
});
