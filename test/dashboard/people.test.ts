import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import type { RecipientView } from '../../src/contract/recipients.ts';
import {
  consoleErrorsOf,
  openBrowser,
  PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

/** Customers, replies and credits in a real browser on a phone, and in two tabs of it. */
let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let ownerId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

let people = 0;
const someone = async (): Promise<string> => {
  people += 1;
  const email = `person${people}@example.com`;
  await shop.pushed({ recipient_email: email });
  return email;
};

async function onPhone(use: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newProfile({ viewport: PHONE_SCREEN });
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  await signInProfile(context, service, ownerId);
  await page.goto(`${service.url}/dashboard/${shop.businessId}`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  try {
    await use(page, context);
    expect(complaints.filter((text) => !/40[49]|422/.test(text))).toEqual([]);
  } finally {
    await context.close();
  }
}

async function findCustomer(page: Page, email: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: email }).waitFor();
  expect(page.url()).not.toContain(email);
}

const viewOf = async (email: string): Promise<RecipientView> =>
  expectStatus(200, await shop.get(`/api/v1/recipients/${email}`));

test('support finds a customer, enters a number, stops texts and clears it again', async () => {
  const email = await someone();
  await onPhone(async (page) => {
    await findCustomer(page, email);
    await page.getByText('Enter a number …').click();
    await page.getByLabel('Mobile number').fill('12');
    await page.getByRole('button', { name: 'Save the number' }).click();
    await page.getByText('This is not a mobile number').waitFor();
    // The form is still open, with what was typed.
    expect(await page.getByLabel('Mobile number').inputValue()).toBe('12');
    await page.getByLabel('Mobile number').fill('+372 5550 4001');
    await page.getByRole('button', { name: 'Save the number' }).click();
    await page.getByText('The number was saved.').waitFor();
    await page.getByText('Number: +372 •••• 4001').waitFor();
    expect((await viewOf(email)).sms).toMatchObject({ status: 'active', source: 'admin' });
    await page.getByText('Stop SMS …').click();
    await page.getByRole('button', { name: 'Stop SMS' }).click();
    await page.getByText('SMS is stopped.').waitFor();
    await page.getByText('Clear the number …').click();
    await page.getByRole('button', { name: 'Clear the number' }).click();
    await page.getByText('The number was cleared.').waitFor();
    expect(await viewOf(email)).toMatchObject({
      phone: null,
      sms: { status: 'stopped', source: 'dashboard' },
    });
  });
});

test('the owner downloads what is held about a customer', async () => {
  const email = await someone();
  await onPhone(async (page) => {
    await findCustomer(page, email);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download everything' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^customer-[0-9a-z]+\.json$/);
  });
});

test('what was done in one tab is not done twice in another, which says so', async () => {
  const email = await someone();
  await onPhone(async (page, context) => {
    await findCustomer(page, email);
    const other = await context.newPage();
    await other.goto(page.url());
    const stopIn = async (tab: Page) => {
      await tab.getByText('Stop WhatsApp …').click();
      await tab.getByRole('button', { name: 'Stop WhatsApp' }).click();
    };
    await stopIn(page);
    await page.getByText('WhatsApp is stopped.').waitFor();
    await stopIn(other);
    await other.getByText('Nothing was changed: WhatsApp was stopped before.').waitFor();
    expect((await viewOf(email)).consents).toHaveLength(1);

    const erase = await page.getByRole('link', { name: 'Erase this customer …' }).getAttribute('href');
    await Promise.all([page.goto(service.url + erase), other.goto(service.url + erase)]);
    await page.getByLabel('Type the customer’s address').fill('wrong@example.com');
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('Nothing was erased.').waitFor();
    await page.getByLabel('Type the customer’s address').fill(email);
    await page.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('The customer was erased').waitFor();
    await other.getByLabel('Type the customer’s address').fill(email);
    await other.getByRole('button', { name: 'Erase for good' }).click();
    await other.getByRole('heading', { name: 'This customer is not here' }).waitFor();
    expect((await shop.get(`/api/v1/recipients/${email}`)).status).toBe(404);
  });
  const { rows } = await service.pool.query(
    `select count(*)::int as n from audit_entries where business_id = $1 and action = 'recipient.erased'`,
    [shop.businessId],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test('a reply is read from the navigation, in two tabs', async () => {
  const phone = '+37255504002';
  const { id } = await shop.pushed({
    recipient_email: 'writes@example.com',
    recipient_phone: phone,
    subject: 'Your order is on its way',
    reference: '#1001',
    order_status: 'shipped',
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
  });
  await eventually(async () => {
    const { text } = await shop.get(`/api/v1/messages/${id}`);
    expect(JSON.parse(text).delivery.whatsapp?.status).toBe('delivered');
  });
  await fetch(`${service.url}/sandbox/whatsapp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: phone, body: 'Which door?\nThe green one?', business_id: shop.businessId }),
  });
  await onPhone(async (page, context) => {
    await page.getByRole('link', { name: 'Replies 1 unread' }).click();
    await page.getByText('Which door?').waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await page.getByText('Marked as read.').waitFor();
    expect(await page.locator('.tab-count').count()).toBe(0);
    await other.getByRole('button', { name: 'Mark all as read' }).click();
    await other.getByText('Nothing was changed: they were marked as read before.').waitFor();
    await other.getByRole('link', { name: 'Your order is on its way' }).click();
    await other.getByRole('heading', { name: 'Your order is on its way' }).waitFor();
  });
});

test('an owner reads the credits and changes the threshold, in two tabs', async () => {
  await onPhone(async (page, context) => {
    await page.getByRole('link', { name: 'Credits', exact: true }).click();
    const other = await context.newPage();
    await other.goto(page.url());
    const change = async (tab: Page) => {
      await tab.getByLabel('Low-balance threshold').fill('33');
      await tab.getByRole('button', { name: 'Change the threshold' }).click();
    };
    await change(page);
    await page.getByText('The threshold was changed.').waitFor();
    await change(other);
    await other.getByText('Nothing was changed: this was the threshold already.').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download all as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`credits-${shop.businessId}.csv`);
  });
  expect(JSON.parse((await shop.get('/api/v1/credits')).text).threshold).toBe(33);
});

test('what is typed is suggested, and the keyboard leads there and away again', async () => {
  const email = await someone();
  await onPhone(async (page) => {
    const box = page.getByLabel('Search the shop');
    const suggestions = page.locator('#suggestions a');
    await page.keyboard.press('/');
    await page.keyboard.type(email.slice(0, -4));
    await suggestions.first().waitFor();
    expect(await page.locator('#suggested').textContent()).toContain('Suggestions: 1.');
    await page.keyboard.press('ArrowDown');
    await page.locator('#suggestions a:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('#search:focus').waitFor();
    await page.keyboard.press('Escape');
    expect(await suggestions.count()).toBe(0);
    expect(await box.inputValue()).toBe(email.slice(0, -4));
    // Another letter asks again, and a click beside it closes it.
    await page.keyboard.type('.');
    await suggestions.first().waitFor();
    await page.getByRole('heading', { name: 'Overview' }).click();
    expect(await suggestions.count()).toBe(0);
    await box.fill(email);
    await suggestions.first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: email }).waitFor();
    expect(page.url()).not.toContain(email);
  });
});

test('an answer that comes when nobody waits for it any more shows nothing', async () => {
  await onPhone(async (page) => {
    let answer = () => {};
    await page.route('**/search/suggestions', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    const asked = page.waitForRequest('**/search/suggestions');
    await page.keyboard.press('/');
    await page.keyboard.type('person');
    await asked;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    answer();
    await page.waitForTimeout(500);
    expect(await page.locator('#suggestions a').count()).toBe(0);
  });
});
