import { createServer, type ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
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
import { joinAsOperator, joinShop, type MemberBrowser, signedIn, signInProfile } from './memberBrowser.ts';

/** Pages that somebody leaves open, each watched while something happens elsewhere. */
let service: TestService;
let browser: TestBrowser;
let hook: string;
let answer = (response: ServerResponse): void => void response.end();
const server = createServer((request, response) => {
  request.resume().on('end', () => answer(response));
});

beforeAll(async () => {
  const port = await listenOnFreePort(server);
  hook = `http://127.0.0.1:${port}/hook`;
  [service, browser] = await Promise.all([
    startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
  await service.close();
});

interface OpenPage {
  page: Page;
  /** That nothing went wrong, and that it was never loaded anew. */
  close(): Promise<void>;
}

async function openPage(memberId: string, path: string): Promise<OpenPage> {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN });
  await signInProfile(context, service, memberId);
  const page = await context.newPage();
  const complaints = consoleErrorsOf(page);
  await page.clock.install();
  await page.goto(service.url + path);
  await page.evaluate('window.stillTheSame = true');
  return {
    page,
    async close() {
      expect(await page.evaluate('window.stillTheSame')).toBe(true);
      expect(complaints).toEqual([]);
      await context.close();
    },
  };
}

async function newShop(): Promise<{ shop: Shop; memberId: string }> {
  const shop = await service.business({ name: 'Acme Books', credits: 10 });
  const { id } = await joinShop(service, shop.businessId, 'owner@shop.example', 'owner');
  return { shop, memberId: id };
}

async function addEndpoint(shop: Shop): Promise<string> {
  const added = await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: hook } });
  return expectStatus<{ id: string }>(201, added).id;
}

test('the overview shows figures and what needs attention by itself, and its charts half a minute later', async () => {
  const { shop, memberId } = await newShop();
  await shop.pushed({ subject: 'The first' });
  const { page, close } = await openPage(memberId, `/dashboard/${shop.businessId}`);
  const figure = page.locator('.figures li').first();
  const messages = figure.locator('strong a');
  const today = page.locator('#charts [data-column]').nth(29);
  expect(await messages.textContent()).toBe('1');
  await messages.focus();
  await shop.pushed({ subject: 'The second' });
  await figure.locator('strong').getByText('2', { exact: true }).waitFor();
  expect(await page.locator(':focus').textContent()).toBe('2');
  expect(await today.getAttribute('aria-label')).toMatch(/1 message\b/);
  await page.clock.fastForward('00:31');
  await page.locator('#charts [data-column][aria-label*="2 messages"]').waitFor();
  await service.pool.query('update businesses set paused = true where id = $1', [shop.businessId]);
  await page.getByRole('link', { name: /Sending is paused/ }).waitFor();
  await close();
});

test('the list of endpoints, one of them and the overview say by themselves that it fails', async () => {
  const { shop, memberId } = await newShop();
  answer = (response) => void response.writeHead(500).end('out of order');
  const id = await addEndpoint(shop);
  const overview = await openPage(memberId, `/dashboard/${shop.businessId}`);
  const list = await openPage(memberId, `/dashboard/${shop.businessId}/webhooks`);
  const endpoint = await openPage(memberId, `/dashboard/${shop.businessId}/webhooks/${id}`);
  expect(await endpoint.page.locator('#endpoint-reasons').isVisible()).toBe(false);
  await list.page.getByLabel('Description').fill('What somebody types');
  for (const recipient of ['a', 'b', 'c']) {
    await shop.pushed({ recipient_email: `${recipient}@example.com` });
    await service.advance({ seconds: 2 });
  }
  await endpoint.page.locator('#endpoint-reasons').getByText('The server answered 500').waitFor();
  await endpoint.page.locator('#endpoint-state').getByText('Failing').waitFor();
  await endpoint.page.locator('#endpoint-day').getByText('0%', { exact: true }).waitFor();
  await endpoint.page.locator('#found').getByText(/500/).first().waitFor();
  await endpoint.page.clock.fastForward('00:31');
  await endpoint.page.getByRole('heading', { name: 'Attempts per hour' }).waitFor();
  await list.page.locator('#endpoints-now').getByText('Failing').waitFor();
  expect(await list.page.getByLabel('Description').inputValue()).toBe('What somebody types');
  await overview.page.getByRole('link', { name: /is failing/ }).waitFor();
  for (const { close } of [endpoint, list, overview]) await close();
});

test('a replay shows its progress until the last one arrived', async () => {
  const { shop, memberId } = await newShop();
  answer = (response) => void response.end();
  const id = await addEndpoint(shop);
  await shop.pushed();
  await service.advance({ seconds: 2 });
  const path = `/dashboard/${shop.businessId}/webhooks/${id}`;
  const { page, close } = await openPage(memberId, path);
  await page.locator('#found').getByText('Delivered').first().waitFor();
  expect(await page.getByText('Sent again').count()).toBe(0);

  const held: ServerResponse[] = [];
  answer = (response) => void held.push(response);
  const member: MemberBrowser = await signedIn(service, memberId);
  const counted = (await member.get(`${path}/replay?since=2020-01-01T00:00&only=all`)).text;
  const hidden = [...counted.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name ?? '', value ?? '']));
  expect((await member.post(`${path}/replay`, fields)).location).toMatch(/flash=replayed&n=\d/);
  await page.getByRole('heading', { name: 'Sent again' }).waitFor();
  await page
    .locator('#replays')
    .getByText(/^0 of \d sent again/)
    .waitFor();
  await page.locator('#replays').getByText('Under way').waitFor();

  answer = (response) => void response.end();
  for (const response of held) response.end();
  await service.advance({ seconds: 2 });
  await page.locator('#replays').getByText('All arrived').waitFor();
  expect(
    await page
      .locator('#replays')
      .getByText(/^(\d) of \1 sent again/)
      .count(),
  ).toBe(1);
  await close();
});

test('the operator’s outbox shows by itself what waits', async () => {
  const { shop } = await newShop();
  const { id } = await joinAsOperator(service, 'operator@waypost.example');
  const { page, close } = await openPage(id, '/dashboard/operator/outbox');
  const states = page.locator('#waiting').getByRole('table').first();
  expect(await states.getByText('Held').count()).toBe(0);
  const later = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
  await shop.pushed({ recipient_email: 'later@example.com', send_at: later });
  await page
    .locator('#waiting')
    .getByText(/^(Queued|Held)/)
    .first()
    .waitFor();
  expect(await page.locator('.figures').first().locator('strong').first().textContent()).toBe('1');
  await close();
});
