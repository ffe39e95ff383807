import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test as serverTest } from 'vitest';
import { unsubscribeTokens } from '../../src/kit/idToken.ts';
import {
  DESKTOP_SCREEN,
  openBrowser,
  PHONE_SCREEN,
  SMALL_PHONE_SCREEN,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { hindrances, wider } from '../support/pageFaults.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import { type InboxRecipient, type InboxServer, startInboxServer } from './inboxServer.ts';

let shop: InboxServer;
let browser: TestBrowser;
let person: InboxRecipient;
let linked: string;
beforeAll(async () => {
  [shop, browser] = await Promise.all([startInboxServer(), openBrowser()]);
  ({ person, linked } = await everythingAtOnce());
});
afterAll(async () => {
  await browser.close();
  await shop.close();
});

/** An inbox with one of everything that is hard to show. */
async function everythingAtOnce(): Promise<{ person: InboxRecipient; linked: string }> {
  const business = await shop.business({
    name: 'Kuusk & Mänd Käsitöö- ja Raamatupood OÜ',
    colour: '#ffcc00',
  });
  const someone = await business.recipient({ phone: '+37255500134' });
  await someone.message({ subject: 'W'.repeat(300), body: 'x'.repeat(10_000), opened: true });
  await someone.message({
    subject: 'طلبك في الطريق',
    body: 'مرحبا\nhttps://track.example/٣\nHello',
    reference: 'A-7',
    opened: true,
  });
  await someone.message({ subject: '👩‍👩‍👧‍👦🎁', body: '🎉'.repeat(500), opened: true });
  await someone.message({
    subject: 'Delayed',
    reference: '#2',
    orderStatus: 'delayed',
    updatedLater: 60_000,
  });
  await someone.message({ subject: 'Cancelled', reference: '#3', orderStatus: 'cancelled' });
  await someone.message({ subject: 'Ready', reference: 'R'.repeat(64), orderStatus: 'ready_for_pickup' });
  const news = await someone.message({
    subject: 'Your parcel is on its way',
    body: `Track it: https://track.example/${'a'.repeat(200)}`,
    reference: '#1042',
    orderStatus: 'shipped',
  });
  await someone.message({
    subject: 'Old plan',
    reference: '#1042',
    status: 'obsolete',
    replacedBy: news,
    opened: true,
  });
  await someone.message({ subject: 'A mistake', reference: '#1042', status: 'retracted', opened: true });
  return { person: someone, linked: news };
}

const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = { 'a small phone': SMALL_PHONE_SCREEN, 'a phone': PHONE_SCREEN, 'a desktop': DESKTOP_SCREEN };

/** Every page there is, in an order in which a person could come by them. */
const PAGES: Record<string, (page: Page) => Promise<unknown>> = {
  'an ended link': (page) => page.goto(`${shop.url}/i/nothing`),
  'no session': (page) => page.goto(`${shop.url}/inbox`),
  unsubscribe: (page) => page.goto(`${shop.url}/unsubscribe/${unsubscribeToken()}`),
  arrival: async (page) => page.goto(`${shop.url}/i/${await person.link(linked)}`),
  inbox: async (page) => {
    await page.getByRole('button', { name: 'Open my inbox' }).click();
    await page.locator('#inbox').waitFor();
  },
  'inbox, unfolded': (page) =>
    page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`),
  choices: (page) => page.goto(`${shop.url}/inbox/choices`),
  'stop WhatsApp': (page) => page.goto(`${shop.url}/inbox/choices/stop-whatsapp`),
  'signed out': (page) => page.goto(`${shop.url}/inbox/signed-out`),
};
const unsubscribeToken = () =>
  unsubscribeTokens(SECRET_KEY).make(person.businessId, person.id, shop.hasher('email', person.email));

/** Goes through every page and answers what was found wrong on which. */
async function faultsOnEveryPage(
  options: BrowserContextOptions,
  faultsOn: (page: Page) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const context = await browser.newProfile({ ...options, reducedMotion: 'reduce' });
  // As if nobody looked: the page behind a link stays until the button is pressed.
  await context.addInitScript(
    `Object.defineProperty(Document.prototype, 'visibilityState', { get: () => 'hidden' })`,
  );
  const page = await context.newPage();
  const found: Record<string, string[]> = {};
  for (const [name, open] of Object.entries(PAGES)) {
    await open(page);
    const faults = await faultsOn(page);
    if (faults.length > 0) found[name] = faults;
  }
  await context.close();
  return found;
}

const LARGE_ENOUGH = 44;

/** What does not fit onto the screen, and what a thumb would miss. */
async function misfits(page: Page): Promise<string[]> {
  const faults = await wider(page);
  for (const target of await page
    .locator('button, summary, a.quiet, a.button, input:not([type=hidden])')
    .all()) {
    const height = (await target.boundingBox())?.height ?? 0;
    if (height < LARGE_ENOUGH) faults.push(`${height} pixels high: ${await target.textContent()}`);
  }
  return faults;
}

test.each(SCHEMES)('in %s every page can be used by everyone', async (colorScheme) => {
  expect(await faultsOnEveryPage({ colorScheme }, hindrances)).toEqual({});
});

test.each(Object.entries(WIDTHS))('on %s every page fits', async (_name, viewport) => {
  expect(await faultsOnEveryPage({ viewport, hasTouch: true }, misfits)).toEqual({});
});

test.each(SCHEMES)('a reader who likes it %s gets it so', async (colorScheme) => {
  const context = await browser.newProfile({ colorScheme });
  const page = await context.newPage();
  await page.goto(`${shop.url}/inbox`);
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(background).toBe(colorScheme === 'light' ? 'rgb(246, 245, 242)' : 'rgb(18, 19, 22)');
  await context.close();
});

test('text from right to left is read from the right, and leaves the rest alone', async () => {
  const context = await browser.newProfile({});
  const page = await context.newPage();
  await page.goto(`${shop.url}/i/${await person.link(linked)}`);
  await page.locator('#inbox').waitFor();
  const directionOf = (subject: string) =>
    page.evaluate(
      `getComputedStyle([...document.querySelectorAll('.subject')].find((one) => one.textContent === '${subject}')).direction`,
    );
  expect(await directionOf('طلبك في الطريق')).toBe('rtl');
  expect(await directionOf('Your parcel is on its way')).toBe('ltr');
  await context.close();
});

serverTest('the first picture needs no script: the style comes before it, and the script waits', async () => {
  const { body } = await shop.app.inject({ url: '/inbox' });
  expect(body.indexOf('rel="stylesheet"')).toBeLessThan(body.indexOf('<body'));
  expect(body).toMatch(/<script src="[^"]+" defer/);
});
