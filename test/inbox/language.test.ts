import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trackingStatuses } from '../../src/contract/orders.ts';
import { unsubscribeTokens } from '../../src/kit/idToken.ts';
import { LANGUAGES, type Language } from '../../src/language/languages.ts';
import { en } from '../../src/language/messages/en.ts';
import { wordsIn } from '../../src/language/words.ts';
import { browserTest, openBrowser, SMALL_PHONE_SCREEN, type TestBrowser } from '../support/browser.ts';
import { decoded } from '../support/markup.ts';
import { hindrances, wider } from '../support/pageFaults.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { type InboxRecipient, type InboxServer, signInToInbox, startInboxServer } from './inboxServer.ts';

let shop: InboxServer;
beforeAll(async () => {
  shop = await startInboxServer();
});
afterAll(() => shop.close());

const unsubscribePath = (person: InboxRecipient): string =>
  `/unsubscribe/${unsubscribeTokens(SECRET_KEY).make(person.businessId, person.id, shop.hasher('email', person.email))}`;

/** Somebody with one of everything that the inbox says. */
async function somebody(language: string | undefined, ofShop = 'en'): Promise<InboxRecipient> {
  const business = await shop.business({ name: 'Acme', language: ofShop });
  const person = await business.recipient({ phone: '+37255500134', ...(language && { language }) });
  await person.message({
    subject: 'Changed',
    reference: '#1',
    orderStatus: 'confirmed',
    opened: true,
    updatedLater: 60_000,
  });
  const news = await person.message({ subject: 'Hello', reference: '#1', orderStatus: 'ready_for_pickup' });
  await person.message({ subject: 'Old', status: 'obsolete', replacedBy: news, opened: true });
  await person.message({ subject: 'Wrong', status: 'retracted', opened: true });
  await person.message({ subject: 'Gone', orderStatus: 'cancelled', reference: '#2' });
  const minutesAgo = (minutes: number) => new Date(shop.now().getTime() - minutes * 60_000);
  for (const trackingNumber of ['A', 'B'])
    await person.shipment('#2', {
      trackingNumber,
      carrier: 'Omniva',
      trackingUrl: 'https://track.example/A',
      expectedOn: shop.now().toISOString().slice(0, 10),
      events: trackingStatuses.map((status, n) => ({
        status,
        at: minutesAgo(60 + (status === 'returned' ? 90 : n)),
      })),
    });
  return person;
}

/** Every page of a person, before and after signing in. */
async function pagesOf(person: InboxRecipient): Promise<Record<string, string>> {
  const token = await person.link(null);
  const get = async (url: string) => (await shop.app.inject({ url })).body;
  const pages: Record<string, string> = {
    arrival: await get(`/i/${token}`),
    'arrival of news': await get(`/i/${await person.link(await person.message())}`),
    unsubscribe: await get(unsubscribePath(person)),
  };
  const session = await signInToInbox(shop, token);
  for (const path of ['', '/choices', '/choices/stop-whatsapp', '/choices/unsubscribe', '/messages/x'])
    pages[path] = (await session.get(`/inbox${path}`)).body;
  await session.submit('/inbox/choices/stop-texts');
  pages['texts stopped'] = (await session.get('/inbox/choices')).body;
  await session.submit('/inbox/choices/stop-whatsapp');
  pages['WhatsApp stopped'] = (await session.get('/inbox/choices')).body;
  pages['a form of another session'] = (await session.submit('/inbox/sign-out', { csrf: 'wrong' })).body;
  pages.unsubscribed = (
    await shop.app.inject({
      method: 'POST',
      url: unsubscribePath(person),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'confirm=yes',
    })
  ).body;
  pages['choices, unsubscribed'] = (await session.get('/inbox/choices')).body;
  pages['inbox, unsubscribed'] = (await session.get('/inbox')).body;
  return pages;
}

const wordsOn = (html: string): string => decoded(html.replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ');

describe('the inbox, the choices and the unsubscribe pages', () => {
  test.each(LANGUAGES)('are in %s for a person who reads it, with no word of another', async (language) => {
    const words = wordsIn(language);
    const pages = await pagesOf(await somebody(language));
    // Pages about nobody in particular follow the browser.
    delete pages['/messages/x'];
    for (const [name, html] of Object.entries(pages)) {
      expect([name, /<html lang="([^"]+)"/.exec(html)?.[1]]).toEqual([name, language]);
      expect([name, wordsOn(html)]).not.toEqual([name, expect.stringMatching(/[{}]|undefined|\[object/)]);
      if (language !== 'en')
        for (const english of Object.values(en))
          if (typeof english === 'string' && /^[A-Z].{15,}$/.test(english) && !english.includes('{'))
            expect([name, wordsOn(html)]).not.toEqual([name, expect.stringContaining(english)]);
    }
    const inbox = wordsOn(pages[''] ?? '');
    expect(inbox).toContain(words.sentence(words.ofOrder('order.ready_for_pickup', null)));
    expect(inbox).toContain(words.text('status.cancelled'));
    expect(inbox).toContain('Hello');
    expect(wordsOn(pages['texts stopped'] ?? '')).toContain(words.text('choices.texts.stopped_here'));
    expect(wordsOn(pages.unsubscribe ?? '')).toContain(words.text('confirm.unsubscribe.button'));
    expect(wordsOn(pages.unsubscribed ?? '')).toContain(words.text('unsubscribed.title'));
  });

  test.each<[string | undefined, string, Language]>([
    [undefined, 'et', 'et'],
    ['tlh', 'et', 'et'],
    ['nn-NO', 'et', 'nb'],
    ['de-AT', 'et', 'de'],
    [undefined, 'en', 'en'],
  ])('a person with the tag %s, of a shop with %s, reads %s', async (tag, ofShop, language) => {
    const pages = await pagesOf(await somebody(tag, ofShop));
    expect(pages['']).toContain(`<html lang="${language}"`);
    expect(pages.unsubscribe).toContain(`<html lang="${language}"`);
  });

  test('dates are in the language', async () => {
    const { '': inbox = '' } = await pagesOf(await somebody('fi'));
    const shown = [...inbox.matchAll(/<time datetime="([^"]+)">([^<]+)</g)];
    expect(shown.length).toBeGreaterThan(3);
    for (const [, at = '', text] of shown) expect(text).toBe(wordsIn('fi').moment(new Date(at)));
  });

  test('an opened message that a script asks for is in it, too', async () => {
    const person = await somebody('sv');
    const id = await person.message({ subject: 'News', orderStatus: 'shipped' });
    const session = await signInToInbox(shop, await person.link(null));
    const { body } = await session.submit(`/inbox/messages/${id}/open`, { part: 'message' });
    expect(body).toContain('Skickad');
  });

  test('an expired session still knows its person', async () => {
    const person = await somebody('lv');
    const session = await signInToInbox(shop, await person.link(null));
    await shop.rows(`update inbox_sessions set expires_at = created_at where recipient_id = $1`, person.id);
    expect((await session.get('/inbox')).body).toContain('<html lang="lv"');
  });

  test('an erased person’s unsubscribe link is in the shop’s language', async () => {
    const person = await somebody('fi', 'pl');
    await shop.rows(`delete from messages where recipient_id = $1`, person.id);
    await shop.rows(`delete from recipients where id = $1`, person.id);
    const { body } = await shop.app.inject({ url: unsubscribePath(person) });
    expect(body).toContain('<html lang="pl"');
  });
});

describe('a page about nobody', () => {
  const asked = async (url: string, language: string) =>
    (await shop.app.inject({ url, headers: { 'accept-language': language } })).body;

  test.each(['/i/nothing', '/inbox', '/inbox/signed-out', '/inbox/unknown', '/unsubscribe/x'])(
    '%s is in the browser’s language',
    async (path) => {
      expect(await asked(path, 'ja, et-EE;q=0.9, en;q=0.8')).toContain('<html lang="et"');
      expect(await asked(path, 'ja')).toContain('<html lang="en"');
    },
  );

  test('a dead link says the same of somebody’s expired link as of none, in plural forms of the language', async () => {
    const person = await somebody('fi', 'fi');
    const pages = await Promise.all(
      [await person.link(null, { expired: true }), 'x'.repeat(22)].map(async (token) =>
        (await asked(`/i/${token}`, 'lt')).replaceAll(token, ''),
      ),
    );
    expect(pages[0]).toBe(pages[1]);
    expect(pages[0]).toContain('Nuorodos galioja 30 dienų.');
  });
});

/* In real browsers: what is longest must fit the smallest phone, and everyone must be able to use it. */
describe('long languages on a small phone', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const LONGEST = ['fi', 'de', 'lt', 'fr'] as const;
  /** They share every template, and judging takes longest: in the short tests the first language is judged for all. */
  const JUDGED: readonly string[] = LONGEST.slice(0, shortOrLong(1, LONGEST.length));

  browserTest.each(LONGEST)('%s fits, and everyone can use it', async (language) => {
    const person = await somebody(language);
    const context = await browser.newProfile({
      viewport: { ...SMALL_PHONE_SCREEN, width: 320 },
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    const page = await context.newPage();
    const found: Record<string, string[]> = {};
    const look = async (name: string) => {
      const hindered = JUDGED.includes(language) ? await hindrances(page) : [];
      const faults = [...(await wider(page)), ...hindered];
      if (faults.length > 0) found[name] = faults;
    };
    await page.goto(`${shop.url}${unsubscribePath(person)}`);
    await look('unsubscribe');
    await page.goto(`${shop.url}/i/${await person.link(null)}`);
    await page.locator('#inbox').waitFor();
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    await look('inbox');
    // The script writes dates in the page's language, not in the browser's.
    const months = await page.locator('time').allTextContents();
    const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' });
    expect(months.join(' ')).toContain(format.format(shop.now()));
    for (const path of ['/choices', '/choices/stop-whatsapp', '/choices/unsubscribe']) {
      await page.goto(`${shop.url}/inbox${path}`);
      await look(path);
    }
    await context.close();
    expect(found).toEqual({});
  });

  browserTest('dates are in the page’s language as the reader’s country writes it', async () => {
    const person = await somebody('en');
    const context = await browser.newProfile({ locale: 'de-DE', timezoneId: 'UTC' });
    const page = await context.newPage();
    await page.goto(`${shop.url}/i/${await person.link(null)}`);
    await page.locator('#inbox').waitFor();
    // The page's script runs when all of it is there.
    await page.waitForLoadState();
    const english = new Intl.DateTimeFormat('en', { month: 'short' }).format(shop.now());
    expect(await page.locator('time').first().textContent()).toContain(english);
    expect(await page.locator('time').first().getAttribute('lang')).toBe('en');
    await context.close();
  });

  browserTest('news that arrives while the page is open is announced in its language', async () => {
    const person = await somebody('de');
    const context = await browser.newProfile({});
    const page = await context.newPage();
    await page.goto(`${shop.url}/i/${await person.link(null)}`);
    await page.locator('#inbox').waitFor();
    await person.message({ subject: 'Just in' });
    await page.locator('.announcement', { hasText: 'Neu: Just in' }).waitFor();
    await context.close();
  });
});
