import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  SMALL_PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { wider } from '../support/pageFaults.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { wooOrder } from './connectionRows.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

/** An owner connects a store that behaves as WooCommerce does, watches it, and switches it to live. */
let service: TestService;
let browser: TestBrowser;
let shop: Shop;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ name: 'Acme Books' });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** What the owner has copied into the store's settings. */
interface Store {
  address: string;
  secret: string;
}

const ping = ({ address }: Store): Promise<Response> =>
  fetch(address, { method: 'POST', body: new URLSearchParams({ webhook_id: '7' }) });

async function tellOf({ address, secret }: Store, number: string, status: string): Promise<void> {
  const seconds = (date: Date): string => date.toISOString().slice(0, 19);
  const now = seconds(service.clock.now());
  const dates = { date_created_gmt: now, date_modified_gmt: now, date_paid_gmt: now };
  const body = wooOrder(number, status, dates);
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const headers = { 'x-wc-webhook-topic': 'order.updated', 'x-wc-webhook-signature': signature };
  const { status: answer } = await fetch(address, { method: 'POST', body, headers });
  expect(answer).toBe(200);
}

async function signIn(viewport: { width: number; height: number }): Promise<Page> {
  const email = `owner${viewport.width}@shop.example`;
  const { id } = await joinShop(service, shop.businessId, email, 'owner');
  const context = await browser.newProfile({ viewport });
  await signInProfile(context, service, id);
  const page = await context.newPage();
  await page.goto(`${service.url}/dashboard/${shop.businessId}`);
  return page;
}

const copied = async (page: Page, label: string): Promise<string> =>
  (await page.locator('figure', { hasText: label }).first().locator('code').textContent()) ?? '';

const messages = async (): Promise<{ reference: string; subject: string }[]> =>
  JSON.parse((await shop.get('/api/v1/messages')).text).items;

test('an owner connects a store, sees it arrive by itself, reads an example and switches to live', async () => {
  const page = await signIn(DESKTOP_SCREEN);
  const complaints = consoleErrorsOf(page);
  await page.getByRole('link', { name: 'Connections', exact: true }).click();
  await page.getByRole('link', { name: 'Connect WooCommerce' }).click();
  await page.getByLabel('Name').fill('The shop');
  await page.getByRole('button', { name: 'Go on to the steps' }).click();
  await page.getByText('Waiting for the first call from WooCommerce').waitFor();
  const store = { address: await copied(page, 'Delivery URL'), secret: await copied(page, 'Secret') };
  expect(page.url()).not.toContain(store.secret);

  expect((await ping(store)).status).toBe(200);
  await page.getByText('WooCommerce has found us.').waitFor();
  // The steps, with the secret, are still there to go on with.
  expect(await copied(page, 'Secret')).toBe(store.secret);
  await page.getByRole('link', { name: 'See what it would send' }).click();
  await page.getByText('0 of 10 examples').waitFor();

  await tellOf(store, '1001', 'processing');
  await page.getByText('1 of 10 examples').waitFor();
  const example = page.locator('.example').first();
  await example.getByText('Order 1001').first().waitFor();
  await example.getByText('mari@example.com').waitFor();
  expect(await messages()).toEqual([]);

  await page.getByRole('link', { name: 'Switch to live …' }).click();
  await page.getByText('What was watched is never sent later').waitFor();
  await page.getByRole('button', { name: 'Switch to live' }).click();
  await page.getByText('It is live: what the store tells from now on is sent.').waitFor();
  await tellOf(store, '1002', 'processing');
  await page.getByRole('row', { name: /1002/ }).getByRole('link', { name: 'The message' }).waitFor();
  await eventually(async () =>
    expect((await messages()).map(({ reference }) => reference)).toEqual(['1002']),
  );
  await page.getByRole('row', { name: /1002/ }).getByRole('link', { name: 'The message' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(page.url()).toContain('/messages/');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('on the smallest phone no page of a connection scrolls sideways, and what is copied is whole', async () => {
  const page = await signIn(SMALL_PHONE_SCREEN);
  const list = `${service.url}/dashboard/${shop.businessId}/connections`;
  await page.goto(`${list}/new/woocommerce`);
  await page.getByLabel('Name').fill('W'.repeat(60));
  await page.getByRole('button', { name: 'Go on to the steps' }).click();
  const store = { address: await copied(page, 'Delivery URL'), secret: await copied(page, 'Secret') };
  expect(await wider(page)).toEqual([]);
  await ping(store);
  await tellOf(store, '9'.repeat(30), 'processing');
  await page.getByText('WooCommerce has found us.').waitFor();
  const one = `${list}/${new URL(store.address).pathname.split('/').at(-1)}`;
  for (const path of [
    list,
    `${list}/new`,
    one,
    `${one}/statuses`,
    `${one}/log`,
    `${one}/setup`,
    `${one}/settings`,
  ]) {
    await page.goto(path);
    expect(await wider(page), path).toEqual([]);
  }
  await page.context().close();
});

test('without JavaScript the page of a new connection turns green when it is loaded again', async () => {
  const { id } = await joinShop(service, shop.businessId, 'plain@shop.example', 'owner');
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, javaScriptEnabled: false });
  await signInProfile(context, service, id);
  const page = await context.newPage();
  await page.goto(`${service.url}/dashboard/${shop.businessId}/connections/new/woocommerce`);
  await page.getByRole('button', { name: 'Go on to the steps' }).click();
  const store = { address: await copied(page, 'Delivery URL'), secret: await copied(page, 'Secret') };
  await ping(store);
  await page.getByRole('link', { name: 'Steps' }).click();
  await page.getByText('WooCommerce has found us.').waitFor();
  await context.close();
});
