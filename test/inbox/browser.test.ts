import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { consoleErrorsOf, openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { type InboxRecipient, type InboxServer, startInboxServer } from './inboxServer.ts';

let shop: InboxServer;
let browser: TestBrowser;
beforeAll(async () => {
  [shop, browser] = await Promise.all([startInboxServer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await shop.close();
});

const newPerson = async (phone?: string): Promise<InboxRecipient> =>
  (await shop.business()).recipient(phone ? { phone } : {});
const eventsOf = (person: InboxRecipient) =>
  shop.rows(`select type, message_id from events where recipient_id = $1`, person.id);
const sessionsOf = (person: InboxRecipient) =>
  shop.rows(`select id from inbox_sessions where recipient_id = $1`, person.id);

/** Opens a page in a fresh browser, gives it to the test, and closes it whatever happens. */
async function inBrowser(
  options: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
  mayComplain = /^$/,
): Promise<void> {
  const context = await browser.newProfile(options);
  try {
    const page = await context.newPage();
    const complaints = consoleErrorsOf(page);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(shop.url)) elsewhere.push(request.url());
    });
    await use(page);
    expect(complaints.filter((complaint) => !mayComplain.test(complaint))).toEqual([]);
    expect(elsewhere).toEqual([]);
  } finally {
    await context.close();
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** As in a tab that nobody sees; `show` brings it to the front. */
async function hide(page: Page): Promise<{ show(): Promise<void> }> {
  await page.addInitScript({
    content: `
      let state = 'hidden';
      Object.defineProperty(Document.prototype, 'visibilityState', { get: () => state });
      Object.defineProperty(Document.prototype, 'hidden', { get: () => state === 'hidden' });
      document.addEventListener('show', () => {
        state = 'visible';
        document.dispatchEvent(new Event('visibilitychange'));
      });`,
  });
  return {
    async show() {
      await page.evaluate(`void document.dispatchEvent(new Event('show'))`);
    },
  };
}

describe('coming in', () => {
  test('a link opens the inbox by itself, at its message, and is gone from the address bar and the history', async () => {
    const person = await newPerson();
    const message = await person.message({ body: 'It left us today.' });
    const token = await person.link(message);
    await inBrowser({}, async (page) => {
      await page.goto('about:blank');
      await page.goto(`${shop.url}/i/${token}`);
      await page.waitForURL(`${shop.url}/inbox?open=${message}#at-${message}`);
      expect(await page.getByText('It left us today.').isVisible()).toBe(true);
      await page.goBack();
      expect(page.url()).not.toContain(token);
    });
    expect(await eventsOf(person)).toEqual([{ type: 'message.opened', message_id: message }]);
  });

  test('a tab that nobody sees runs the script and opens nothing, until somebody looks', async () => {
    const person = await newPerson();
    const token = await person.link(await person.message());
    await inBrowser({}, async (page) => {
      const tab = await hide(page);
      await page.goto(`${shop.url}/i/${token}`);
      await pause(3_000);
      expect(page.url()).toContain(token);
      expect(await sessionsOf(person)).toEqual([]);
      expect(await eventsOf(person)).toEqual([]);
      await tab.show();
      await page.locator('#inbox').waitFor();
      expect(await eventsOf(person)).toHaveLength(1);
    });
  });

  test('a page that was shown for less than a second opens nothing', async () => {
    const person = await newPerson();
    const token = await person.link(await person.message());
    await inBrowser({}, async (page) => {
      // A busy machine may take a second to close the page: here the page's time goes ten times as slowly.
      await page.addInitScript({
        content: 'const real = setTimeout; window.setTimeout = (run, ms) => real(run, 10 * ms);',
      });
      await page.goto(`${shop.url}/i/${token}`);
      await pause(3_000);
    });
    await pause(1_500);
    expect(await sessionsOf(person)).toEqual([]);
  });

  test('events that a script makes up do not count as touching', async () => {
    const person = await newPerson();
    const token = await person.link(await person.message());
    await inBrowser({}, async (page) => {
      await hide(page);
      await page.goto(`${shop.url}/i/${token}`);
      await page.evaluate(
        `for (const type of ['pointerdown', 'keydown', 'scroll', 'wheel']) dispatchEvent(new Event(type))`,
      );
      await pause(500);
    });
    expect(await sessionsOf(person)).toEqual([]);
  });

  test('pressing the button goes in at once, and once', async () => {
    const person = await newPerson();
    const token = await person.link(await person.message());
    await inBrowser({}, async (page) => {
      // No timer runs out: else a page on a busy machine goes in by itself before the button is pressed, and takes it away.
      await page.addInitScript({ content: 'window.setTimeout = () => 0;' });
      await page.goto(`${shop.url}/i/${token}`);
      await page.getByRole('button', { name: 'Open my inbox' }).click();
      await page.locator('#inbox').waitFor();
    });
    expect(await sessionsOf(person)).toHaveLength(1);
  });
});

describe('without JavaScript', () => {
  test('a person comes in by the button, opens another message, turns pages, decides and signs out', async () => {
    const person = await newPerson('+37255500134');
    const old = await person.message({ subject: 'Oldest of all', body: 'The oldest text' });
    for (let count = 0; count < 20; count += 1)
      await person.message({ subject: `Newer ${count}`, opened: true });
    const linked = await person.message({ subject: 'The linked one', body: 'The linked text' });
    const token = await person.link(linked);
    await inBrowser({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${shop.url}/i/${token}`);
      await pause(1_500);
      expect(await sessionsOf(person)).toEqual([]);
      await page.getByRole('button', { name: 'Open my inbox' }).click();
      await page.getByText('The linked text').waitFor();
      expect(await page.locator('time').first().textContent()).toContain('UTC');

      await page.getByRole('link', { name: 'Older messages' }).click();
      await page.getByRole('button', { name: /Oldest of all/ }).click();
      await page.getByText('The oldest text').waitFor();
      expect(new URL(page.url()).searchParams.get('open')).toBe(old);

      await page.getByText('Newer 19').click();
      expect(await page.getByText('It left us today.').first().isVisible()).toBe(true);

      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Stop SMS' }).click();
      await page.getByRole('button', { name: 'Get SMS again' }).click();
      await page.getByRole('link', { name: 'Stop WhatsApp…' }).click();
      await page.getByRole('button', { name: 'Stop WhatsApp for good' }).click();
      await page.getByRole('link', { name: 'Unsubscribe…' }).click();
      await page.getByRole('button', { name: 'Unsubscribe for good' }).click();
      await page.getByText('You have unsubscribed, for good').waitFor();

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    });
    expect(await sessionsOf(person)).toEqual([]);
    expect(new Set((await eventsOf(person)).map((event) => event.message_id))).toEqual(
      new Set([old, linked]),
    );
    expect(
      await shop.rows(
        `select sms_status, whatsapp_status, unsubscribed_at is not null as unsubscribed from recipients where id = $1`,
        person.id,
      ),
    ).toEqual([{ sms_status: 'active', whatsapp_status: 'stopped', unsubscribed: true }]);
  });
});

/** Signed in, with the inbox on the screen. */
async function inInbox(page: Page, person: InboxRecipient, messageId: string | null = null): Promise<void> {
  await page.goto(`${shop.url}/i/${await person.link(messageId)}`);
  await page.locator('#inbox').waitFor();
  // The page's script runs when all of it is there.
  await page.waitForLoadState();
}

describe('reading', () => {
  test('a message opens in place, by touch and by keyboard, and is told of once', async () => {
    const person = await newPerson();
    const first = await person.message({ subject: 'By keyboard', body: 'The first text' });
    const second = await person.message({ subject: 'By touch', body: 'The second text' });
    await inBrowser({ hasTouch: true }, async (page) => {
      await inInbox(page, person);
      await page.evaluate(`document.body.dataset.same = 'page'`);
      await page.getByRole('button', { name: /By touch/ }).tap();
      await page.getByText('The second text').waitFor();
      await page.getByRole('button', { name: /By keyboard/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('The first text').waitFor();
      expect(await page.evaluate(`document.activeElement.tagName`)).toBe('SUMMARY');
      await page.keyboard.press('Enter');
      await page.getByText('The first text').waitFor({ state: 'hidden' });
      expect(await page.evaluate(`document.body.dataset.same`)).toBe('page');
      expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    });
    expect((await eventsOf(person)).map((event) => event.message_id)).toEqual([second, first]);
  });

  test.each([
    ['en', 'Mar 5, 2025, 7:30 AM'],
    ['de', '5. März 2025, 7:30'],
  ])('dates are those of the reader’s own zone, in the language of the page: %s', async (language, shown) => {
    const person = await (await shop.business()).recipient({ language });
    const message = await person.message();
    await shop.rows(
      `update messages set created_at = '2025-03-04T22:30Z', updated_at = '2025-03-04T22:30Z' where id = $1`,
      message,
    );
    await inBrowser({ locale: 'fr-FR', timezoneId: 'Asia/Tokyo' }, async (page) => {
      await inInbox(page, person, message);
      expect(await page.locator('#inbox time').first().textContent()).toBe(shown);
    });
  });

  test('whatever a merchant writes, nothing of it runs', async () => {
    const payload = `<script>document.title='ran'</script><img src=x onerror="document.title='ran'"> javascript:document.title='ran' https://a.example/"onclick="document.title='ran'`;
    const business = await shop.business({ name: `<b onclick=alert(1)>Shop</b>` });
    const person = await business.recipient();
    const message = await person.message({ subject: payload, body: payload, reference: '#1/../x' });
    await inBrowser({}, async (page) => {
      page.on('dialog', () => expect.unreachable('a script of the merchant ran'));
      await inInbox(page, person, message);
      expect(await page.locator('.body').textContent()).toBe(payload);
      expect(await page.locator('.body img, .body script, .subject script').count()).toBe(0);
      const link = page.locator('.body a');
      expect(await link.getAttribute('href')).toBe('https://a.example/');
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
      expect(await page.title()).toBe('Inbox · <b onclick=alert(1)>Shop</b>');
    });
  });
});

describe('live', () => {
  test('a new message appears by itself, is announced, and leaves what is being read alone', async () => {
    const person = await newPerson();
    const message = await person.message({
      subject: 'Being read',
      body: 'A long text',
      reference: '#1',
      orderStatus: 'confirmed',
    });
    await inBrowser({}, async (page) => {
      await inInbox(page, person, message);
      await page.locator('summary').focus();
      await page.evaluate(`document.body.dataset.same = 'page'`);
      await person.message({ subject: 'It has shipped', reference: '#1', orderStatus: 'shipped' });
      await page.getByRole('button', { name: /It has shipped/ }).waitFor();
      expect(await page.locator('.subject').allTextContents()).toEqual(['It has shipped', 'Being read']);
      expect(await page.getByText('Your order has shipped.').isVisible()).toBe(true);
      expect(await page.getByRole('status').textContent()).toBe('New: It has shipped');
      expect(await page.getByText('A long text').isVisible()).toBe(true);
      expect(await page.evaluate(`document.activeElement.textContent`)).toContain('Being read');
      expect(await page.evaluate(`document.body.dataset.same`)).toBe('page');
    });
    expect(await eventsOf(person)).toHaveLength(1);
  });

  test('a message that changes, is retracted or replaced changes on the page', async () => {
    const person = await newPerson();
    const message = await person.message({ subject: 'Wednesday', body: 'We come on Wednesday.' });
    await inBrowser({}, async (page) => {
      await inInbox(page, person, message);
      await shop.rows(
        `update messages set body = 'We come on Thursday.', updated_at = created_at + interval '1 hour' where id = $1`,
        message,
      );
      await page.getByText('We come on Thursday.').waitFor();
      expect(await page.getByText('Updated').first().isVisible()).toBe(true);
      await shop.rows(
        `update messages set status = 'retracted', retracted_at = now() where id = $1`,
        message,
      );
      await page.getByText('Retracted', { exact: true }).waitFor();
      expect(await page.getByText('We come on Thursday.').isVisible()).toBe(true);
    });
  });

  test('signing out elsewhere, or an erasure, ends the page', async () => {
    const person = await newPerson();
    await inBrowser(
      {},
      async (page) => {
        await inInbox(page, person);
        await shop.rows(`delete from inbox_sessions where recipient_id = $1`, person.id);
        await page.getByText('Your inbox opens with a link').waitFor();
      },
      /status of 403/,
    );
  });
});
