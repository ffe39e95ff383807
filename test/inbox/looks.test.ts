import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test as serverTest } from 'vitest';
import { DAY, HOUR } from '../../src/kit/clock.ts';
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
import { shortOrLong } from '../support/shortOrLong.ts';
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
    supportEmail: `${'w'.repeat(60)}@${'w'.repeat(60)}.example`,
    shopUrl: `https://${'w'.repeat(60)}.example/${'w'.repeat(100)}`,
  });
  const someone = await business.recipient({ phone: '+37255500134' });
  await someone.message({ subject: 'W'.repeat(300), body: 'x'.repeat(10_000), opened: true });
  await someone.message({
    subject: 'طلبك في الطريق',
    body: 'مرحبا\nhttps://track.example/٣ help@shop.example +372 5555 0134 +4 4.(2 0 7 9 4 6 0 9 5 8\nHello',
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
  await someone.message({
    subject: 'We could not hand it over',
    reference: '#4',
    orderStatus: 'delivery_attempted',
  });
  await someone.message({ subject: 'Out today', reference: '#5', orderStatus: 'out_for_delivery' });
  const now = shop.now().getTime();
  await someone.shipment('#5', {
    carrier: 'W'.repeat(60),
    trackingNumber: 'W'.repeat(64),
    trackingUrl: 'https://track.example/5',
    expectedOn: new Date(now + DAY).toISOString().slice(0, 10),
    expectedUntil: new Date(now + 90 * DAY).toISOString().slice(0, 10),
    events: Array.from({ length: 40 }, (_, n) => ({
      status: 'in_transit',
      at: new Date(now - n * HOUR),
      location: 'W'.repeat(200),
      description: n % 2 === 0 ? 'وصلت الشحنة' : 'W'.repeat(500),
    })),
  });
  await someone.shipment('#5', { trackingNumber: '2', events: [{ status: 'returned', at: new Date(now) }] });
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
const WIDTHS = { 'a phone': PHONE_SCREEN, 'a small phone': SMALL_PHONE_SCREEN, 'a desktop': DESKTOP_SCREEN };
/** Judging a page takes longest: the short tests judge each in one of the colours, in turn. */
const JUDGES_ALL = shortOrLong(0, 1) === 1;

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

/** What is wrong with a page, by the sentence that it contradicts. */
type Faults = Record<string, Record<string, string[]>>;

/** Goes through every page once, looks at each in both colours and on every screen, and answers what was found wrong. */
async function faultsOnEveryPage(): Promise<Faults> {
  const context = await browser.newProfile({ hasTouch: true, reducedMotion: 'reduce' });
  // As if nobody looked: the page behind a link stays until the button is pressed.
  await context.addInitScript(
    `Object.defineProperty(Document.prototype, 'visibilityState', { get: () => 'hidden' })`,
  );
  const page = await context.newPage();
  const found: Faults = {};
  const note = (look: string, name: string, faults: string[]) => {
    found[look] = { ...found[look], ...(faults.length > 0 && { [name]: faults }) };
  };
  for (const [ordinal, [name, open]] of Object.entries(PAGES).entries()) {
    await open(page);
    for (const [n, colorScheme] of SCHEMES.entries()) {
      if (!JUDGES_ALL && n !== ordinal % SCHEMES.length) continue;
      await page.emulateMedia({ colorScheme });
      note(colorScheme, name, await hindrances(page));
    }
    for (const [screen, viewport] of Object.entries(WIDTHS)) {
      await page.setViewportSize(viewport);
      note(screen, name, await misfits(page));
    }
    await page.setViewportSize(PHONE_SCREEN);
  }
  await context.close();
  return found;
}

const LARGE_ENOUGH = 44;

/** What does not fit onto the screen, and what a thumb would miss. */
async function misfits(page: Page): Promise<string[]> {
  const tooLow: string[] = await page.evaluate(
    `[...document.querySelectorAll('button, summary, a.quiet, a.button, input:not([type=hidden])')]
      .map((target) => [target.getBoundingClientRect().height, target.textContent])
      .filter(([height]) => height < ${LARGE_ENOUGH})
      .map(([height, text]) => height + ' pixels high: ' + text)`,
  );
  return [...(await wider(page)), ...tooLow];
}

let walk: Promise<Faults> | undefined;
/** What was found on one walk for all tests: coming to a page costs more than looking at it once more. */
const faultsFor = async (look: string) => {
  walk ??= faultsOnEveryPage();
  return (await walk)[look];
};

test.each(SCHEMES)('in %s every page can be used by everyone', async (colorScheme) => {
  expect(await faultsFor(colorScheme)).toEqual({});
});

test.each(Object.keys(WIDTHS))('on %s every page fits', async (screen) => {
  expect(await faultsFor(screen)).toEqual({});
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
