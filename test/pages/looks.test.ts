import fastify from 'fastify';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { homeRoutes } from '../../src/pages/home/routes.ts';
import { openSite } from '../../src/pages/kit/page.tsx';
import { referenceRoutes } from '../../src/pages/reference/routes.ts';
import { joinShop, signInProfile } from '../dashboard/memberBrowser.ts';
import {
  DESKTOP_SCREEN,
  openBrowser,
  PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { faultsOnPages, type Pages, variantOf } from '../support/pageFaults.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { ALL_CHANNELS, type DemoService, startDemoService } from './playground.ts';

let playground: DemoService;
let browser: TestBrowser;
/** The reference of few operations: the rest is more of the same, and takes those who judge it half a minute. */
let few: { url: string; close(): Promise<void> };
/** Of everything captured, one on each channel. */
let captured: Record<string, string>;
let member: string;

beforeAll(async () => {
  playground = await startDemoService();
  browser = await openBrowser();
  few = await serveFew();
  const { shop, service } = playground;
  member = (await joinShop(service, shop.businessId, 'owner@acme.example', 'owner')).id;
  const shipment = { tracking_number: 'W'.repeat(64), carrier: 'W'.repeat(60), expected_on: '2026-01-01' };
  await playground.shop.pushed({ ...ALL_CHANNELS, shipment });
  await playground.shop.pushed({
    ...ALL_CHANNELS,
    subject: `A very ${'very'.repeat(60)} long subject`,
    body: 'x',
  });
  await playground.shop.pushed({ ...ALL_CHANNELS, channels: ['sms'], escalate_if_unread_after_minutes: 10 });
  captured = await eventually(async () => {
    const items = await capturedMessages(playground.url);
    const ids = Object.fromEntries(items.map(({ channel, id }) => [channel, id]));
    expect(Object.keys(ids).sort()).toEqual(['email', 'sms', 'whatsapp']);
    return ids;
  });
});
afterAll(async () => {
  await browser.close();
  await few.close();
  await playground.close();
});

async function serveFew() {
  const document = JSON.parse(await (await fetch(`${playground.url}/openapi.json`)).text());
  const kept = ['/api/v1/messages', '/api/v1/recipients/{email}/phone', '/api/v1/keys/{key_id}'];
  document.paths = Object.fromEntries(kept.map((path) => [path, document.paths[path]]));
  const app = fastify();
  const site = openSite({ publicUrl: playground.url, sandbox: true });
  homeRoutes({ site, access: { publicUrl: playground.url, key: 'of no use here' } })(app);
  referenceRoutes({ site, document })(app);
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
}

const pages = (): Pages => {
  const at = (path: string) => (page: Page) => page.goto(new URL(path, playground.url).href);
  return {
    home: at('/'),
    reference: at(`${few.url}/docs`),
    'reference, a resource': at(`${few.url}/docs/messages`),
    'reference, TypeScript': variantOf(
      'reference, a resource',
      at(`${few.url}/docs/messages?lang=typescript`),
    ),
    'reference, Python': variantOf('reference, a resource', at(`${few.url}/docs/messages?lang=python`)),
    'reference, PHP': variantOf('reference, a resource', at(`${few.url}/docs/messages?lang=php`)),
    'reference, webhooks': at(`${few.url}/docs/webhooks`),
    'reference, everything': variantOf('reference', at(`${few.url}/docs/all?lang=curl`)),
    'reference, found': at(`${few.url}/docs?q=phone`),
    'reference, nothing found': variantOf('reference, found', at(`${few.url}/docs?q=xyzzy`)),
    'reference, signed in': variantOf('reference, a resource', async (page: Page) => {
      await signInProfile(page.context(), playground.service, member);
      await page.goto(`${playground.url}/docs/credits`);
      expect(await page.getByText('The examples hold a key of').count()).toBe(1);
    }),
    sandbox: variantOf('sandbox, an email', at('/sandbox')),
    'sandbox, an email': at(`/sandbox?open=${captured.email}`),
    'sandbox, a text': variantOf('sandbox, WhatsApp', at(`/sandbox?open=${captured.sms}`)),
    'sandbox, WhatsApp': at(`/sandbox?open=${captured.whatsapp}`),
    'sandbox, nothing found': at('/sandbox?to=nobody'),
    'sandbox, refused': at('/sandbox/messages/none/email'),
    'nothing here': at('/nowhere'),
  };
};

const SLOW_MS = 180_000;

test('every page can be used by everyone, and none is wider than its screen', {
  timeout: SLOW_MS,
}, async () => {
  expect(await faultsOnPages(browser, 'pages', pages())).toEqual({});
});

test('without JavaScript nothing is missing and nothing is promised', async () => {
  const context = await browser.newProfile({ javaScriptEnabled: false, viewport: DESKTOP_SCREEN });
  const page = await context.newPage();
  await page.goto(`${playground.url}/docs`);
  expect(await page.getByRole('button').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Create a key' }).first().isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Create a key' }).first().click();
  expect(page.url()).toContain('#createKey');
  await context.close();
});

test('a call can be copied as it is shown', async () => {
  const context = await browser.newProfile({
    viewport: DESKTOP_SCREEN,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(`${playground.url}/`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const text = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(text).toMatch(/^curl -s http/);
  expect(text).toContain(playground.shop.apiKey);
  await context.close();
});

test('on a phone the contents unfold, lead somewhere, and fold again', async () => {
  const context = await browser.newProfile({ viewport: PHONE_SCREEN });
  const page = await context.newPage();
  await page.goto(`${playground.url}/docs/webhooks`);
  const link = page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Retries' });
  expect(await link.isVisible()).toBe(false);
  await page.getByText('Contents', { exact: true }).click();
  await link.click();
  await link.waitFor({ state: 'hidden' });
  expect(await page.getByRole('heading', { name: 'Retries' }).boundingBox()).toMatchObject({
    y: expect.closeTo(150, -2),
  });
  await context.close();
});

test('an address from when the reference was one page leads to where its part is now', async () => {
  const page = await (await browser.newProfile({ viewport: DESKTOP_SCREEN })).newPage();
  for (const [old, now] of [
    ['#pushMessage', '/docs/messages#pushMessage'],
    ['#pushMessage.body.subject', '/docs/messages#pushMessage.body.subject'],
    ['#webhooks.envelope', '/docs/webhooks#webhooks.envelope'],
    ['#event-message.bounced', '/docs/webhooks#event-message.bounced'],
    ['#api-keys', '/docs/api-keys#api-keys'],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`${playground.url}/docs${old}`);
    await page.waitForURL(`${playground.url}${now}`);
    const [, id = ''] = now.split('#');
    expect(await page.locator(`[id="${id}"]`).isVisible()).toBe(true);
  }
  await page.goto(`${playground.url}/docs#error-common.not_found`);
  expect(page.url()).toBe(`${playground.url}/docs#error-common.not_found`);
});

test('by the keyboard alone a reader searches, follows a result, and chooses a language', async () => {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, javaScriptEnabled: true });
  const page = await context.newPage();
  await page.goto(`${playground.url}/docs`);
  await page.keyboard.press('/');
  await page.keyboard.type('retract/');
  expect(await page.getByRole('searchbox').inputValue()).toBe('retract/');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?q=retract$/);
  expect(await page.getByRole('searchbox').inputValue()).toBe('retract');
  await page.getByRole('main').getByRole('link').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/messages#retractMessage$/);
  const python = page.locator('[id="retractMessage.call"]').getByRole('link', { name: 'Python' });
  await python.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?lang=python#retractMessage\.call$/);
  await page.goto(`${playground.url}/docs/credits`);
  expect(await page.getByText('from waypost import Waypost').isVisible()).toBe(true);
  await context.close();
});

test('search and languages need no script', async () => {
  const context = await browser.newProfile({ javaScriptEnabled: false, viewport: DESKTOP_SCREEN });
  const page = await context.newPage();
  await page.goto(`${playground.url}/docs/messages`);
  await page.getByRole('searchbox').fill('erase');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('main').getByRole('link', { name: 'Erase a recipient' }).click();
  expect(page.url()).toContain('/docs/recipients#eraseRecipient');
  await page.locator('[id="eraseRecipient.call"]').getByRole('link', { name: 'TypeScript' }).click();
  expect(await page.locator('[id="eraseRecipient.call"]').innerText()).toContain('waypost.recipients.erase');
  await context.close();
});

test('print leaves navigation out, and shows what is folded', async () => {
  const page = await (await browser.newProfile({ viewport: DESKTOP_SCREEN })).newPage();
  await page.goto(`${few.url}/docs/all`);
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  expect(await page.getByText('Contents', { exact: true }).isVisible()).toBe(false);
  expect(await page.getByText('TypeScript').first().isVisible()).toBe(false);
  expect(await page.getByText('Fields of the answer').first().isVisible()).toBe(true);
  expect(await page.locator('.answer .fields > li').first().isVisible()).toBe(true);
});
