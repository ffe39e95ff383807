import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let memberId: string;
let viewerId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({}, { publicHost: 'localhost' }), openBrowser()]);
  shop = await service.business({ name: 'Acme Books' });
  memberId = (await joinShop(service, shop.businessId, 'member@shop.example', 'member')).id;
  viewerId = (await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer')).id;
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const url = (path = ''): string =>
  `${service.url.replace('127.0.0.1', 'localhost')}/dashboard/${shop.businessId}/settings/texts${path}`;

async function open(who: string, path = '', options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, ...options });
  const page = await context.newPage();
  await signInProfile(context, service, who, new URL(url()).origin);
  await page.goto(url(path));
  return page;
}

test('a member finds a text, sees what it renders while typing, saves it, and goes back to ours', async () => {
  const page = await open(memberId);
  const errors = consoleErrorsOf(page);
  await page.getByLabel('Language').selectOption('et');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('link', { name: 'Out for delivery' }).click();
  await page.getByRole('heading', { name: 'Out for delivery, Estonian' }).waitFor();
  const preview = page.locator('#preview');
  await preview.getByText('Teie tellimus 1001 on kulleri käes', { exact: true }).waitFor();
  await preview.getByText('Acme Books').waitFor();

  const body = page.getByLabel('Message', { exact: true });
  await body.fill(
    'Tere, {{ customer.first_name }}!\n<b>{{ shop.name | upcase }}</b>\n{{ shipment.tracking_url }}',
  );
  await preview.getByText('Tere, Mari!').waitFor();
  // HTML stays text, and an address becomes a link.
  await preview.getByText('<b>ACME BOOKS</b>').waitFor();
  await preview.getByRole('link', { name: 'https://carrier.example/CC123456789EE' }).waitFor();

  await body.fill('Tere!\n{{ order.colour }}');
  await preview.getByText('Message, line 2: unknown variable order.colour.').waitFor();
  await preview.getByText('{{ order.colour }}', { exact: true }).waitFor();

  await body.fill('Tere!\n{{ order.number }} on varsti kohal.');
  await preview.getByText('1001 on varsti kohal.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It holds for the messages from now on.').waitFor();
  await page.getByRole('main').getByText('member@shop.example').waitFor();
  expect(await body.inputValue()).toBe('Tere!\n{{ order.number }} on varsti kohal.');

  await page.getByRole('link', { name: 'Wording', exact: true }).click();
  await page.getByRole('row', { name: /Out for delivery.*Yours.*member@shop\.example/ }).waitFor();
  expect(await page.getByRole('row', { name: /Waypost’s/ }).count()).toBe(9);
  await page.getByRole('link', { name: 'Out for delivery' }).click();
  await page.getByRole('link', { name: 'Use Waypost’s words again …' }).click();
  await page.getByRole('button', { name: 'Use Waypost’s words' }).click();
  await page.getByText('Waypost’s own words are used again.').waitFor();
  expect(await body.inputValue()).toMatch(/^Tere\{% if customer\.first_name %\}/);
  expect(errors).toEqual([]);
  await page.goto(url().replace('/texts', '/audit'));
  await page.getByRole('row', { name: /Went back to Waypost’s wording/ }).waitFor();
  await page.getByText('Out for delivery, Estonian').first().waitFor();
  await page.context().close();
});

test('without JavaScript a button shows the preview, and a fault keeps what was typed', async () => {
  const page = await open(memberId, '/shipped/de', { javaScriptEnabled: false });
  const body = page.getByLabel('Message', { exact: true });
  await body.fill('Hallo {{ customer.first_name }}');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('#preview').getByText('Hallo Mari').waitFor();
  await body.fill('Hallo\n\n{% include "secrets" %}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Message, line 3: unknown tag include.').waitFor();
  expect(await body.inputValue()).toBe('Hallo\n\n{% include "secrets" %}');
  await page.goto(url('/shipped/de'));
  await page.getByText('Never').waitFor();
  await page.context().close();
});

test('a viewer reads a text and what it renders, and has nothing to type into', async () => {
  const page = await open(viewerId, '/delivered/fr');
  await page.getByText('a été livrée', { exact: false }).first().waitFor();
  await page.getByText('An owner or a member of the shop can change it.').waitFor();
  expect(await page.locator('main form, main textarea').count()).toBe(0);
  await page.context().close();
});

test('an owner ticks which tracking events write, by keyboard alone', async () => {
  const owner = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  const page = await open(owner);
  const errors = consoleErrorsOf(page);
  const box = (label: string) => page.getByRole('checkbox', { name: label });
  await page.getByRole('link', { name: 'a milestone' }).press('Enter');
  await box('In transit').focus();
  await page.keyboard.press('Space');
  await box('SMS').press('Space');
  await box('Delayed').press('Space');
  await page.getByLabel(/Wait before SMS/).fill('45');
  await page.keyboard.press('Enter');
  await page.getByText('Saved. It holds for the tracking events from now on.').waitFor();
  const ticked = async (label: string): Promise<boolean> => box(label).isChecked();
  expect(await Promise.all(['In transit', 'SMS', 'Delivered', 'Delayed'].map(ticked))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(errors).toEqual([]);
  await page.goto(url().replace('/texts', '/audit'));
  await page.getByText('Unread minutes before the paid messages of tracking: none → 45').waitFor();
  await page.context().close();
});
