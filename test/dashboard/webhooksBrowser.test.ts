import { createServer, type ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeLink } from '../../src/members/signIn.ts';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { joinShop } from './memberBrowser.ts';

/** An owner's way with an endpoint, in a real browser: add, test, choose events, an outage, replay, rotate, delete. */
let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let url: string;
let answer = (response: ServerResponse): void => void response.end();
const received: string[] = [];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received.push(String(request.headers['x-service-delivery']));
    answer(response);
  });
});

beforeAll(async () => {
  const port = await listenOnFreePort(server);
  url = `http://127.0.0.1:${port}/hook`;
  [service, browser] = await Promise.all([
    startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` }),
    openBrowser(),
  ]);
  shop = await service.business({ name: 'Acme Books' });
});
afterAll(async () => {
  await browser.close();
  server.close();
  await service.close();
});

interface Endpoint {
  id: string;
  url: string;
  event_types: string[];
  disabled: boolean;
  secret: string;
}
const endpoints = async (): Promise<Endpoint[]> =>
  expectStatus<{ items: Endpoint[] }>(200, await shop.get('/api/v1/webhook-endpoints')).items;

async function signInAsOwner(page: Page): Promise<void> {
  const { id } = await joinShop(service, shop.businessId, 'owner@shop.example', 'owner');
  const token = await writeLink(service.pool, id, null, service.clock.now());
  await page.goto(`${service.url}/dashboard/sign-in/${token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${service.url}/dashboard/${shop.businessId}`);
}

test('an owner adds an endpoint, sees it fail, puts it right and cleans up', async () => {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN });
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  await signInAsOwner(page);
  await page.getByRole('link', { name: /No webhook yet/ }).click();
  await page.getByLabel('URL').fill(url);
  await page.getByLabel('Description').fill('Shop backend');
  await page.getByRole('button', { name: 'Add the endpoint' }).click();
  await page.getByRole('heading', { name: 'The endpoint was added' }).waitFor();
  const secret = (await page.locator('.code code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_[0-9a-z]{40}$/);
  expect(page.url()).not.toContain('whsec');
  await page.getByRole('button', { name: 'I have saved it: send a test' }).click();
  await says(/The test arrived: your server answered 200/);
  expect(received).toHaveLength(1);

  await page.getByText('Choose its events …').click();
  await page.getByLabel('message.delivered').check();
  await page.getByLabel('message.bounced').check();
  await page.getByRole('button', { name: 'Save the events' }).click();
  await says('The events were changed.');
  expect((await endpoints())[0]?.event_types).toEqual(['message.delivered', 'message.bounced']);

  answer = (response) => void response.writeHead(502).end();
  await shop.pushed();
  await service.advance({ seconds: 2 });
  await page.getByRole('link', { name: 'Webhooks' }).first().click();
  await says(/The server answered 502/);
  await page.getByRole('link', { name: url }).first().click();
  await page.getByRole('link', { name: 'message.delivered' }).click();
  await says(/a gateway without its program behind it/);
  answer = (response) => void response.end();
  await page.getByRole('button', { name: 'Send it now' }).click();
  await says('It is queued and goes out now.');
  await service.advance({ seconds: 2 });
  await page.reload();
  await says(/Arrived: your server answered 200/);

  await page.getByRole('link', { name: url }).first().click();
  await page.getByText('Switch it off …').click();
  await page.getByRole('button', { name: 'Switch it off' }).click();
  await says('It was switched off by hand and gets no events.');
  expect((await endpoints())[0]?.disabled).toBe(true);
  await shop.pushed({ recipient_email: 'missed@example.com' });
  await service.advance({ seconds: 2 });
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await says('The endpoint is on again');
  received.length = 0;
  await page.getByRole('link', { name: 'Send a time window again …' }).click();
  await page.getByRole('link', { name: 'The last hour' }).click();
  await page.getByRole('button', { name: 'Send 1 event' }).click();
  await says('1 event was queued');
  await service.advance({ seconds: 2 });
  expect(received).toHaveLength(1);

  await page.getByRole('link', { name: 'New secret …' }).click();
  await page.getByLabel('When the new secret begins to sign').selectOption({ label: 'In a day' });
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByRole('heading', { name: 'The new secret' }).waitFor();
  await says('both must be accepted');
  const next = (await page.locator('.code code').textContent()) ?? '';
  expect((await endpoints())[0]?.secret).toBe(`whsec_…${next.slice(-4)}`);
  await page.getByRole('link', { name: 'I have saved it: to the endpoint' }).click();

  await page.getByRole('link', { name: 'Delete …' }).click();
  await page.getByRole('button', { name: 'Delete the endpoint' }).click();
  await says('The endpoint was deleted.');
  expect(await endpoints()).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
