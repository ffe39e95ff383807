import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PHONE_SCREEN, browserTest as test } from '../support/browser.ts';
import { eventually } from '../support/waiting.ts';
import { ALL_CHANNELS, type DemoService } from './playground.ts';
import { eventsOn, lines, type SandboxVisit, said, title, visitSandbox } from './sandboxPage.ts';

let visit: SandboxVisit;
let playground: DemoService;
beforeAll(async () => {
  visit = await visitSandbox();
  ({ playground } = visit);
});
afterEach(() => visit.closeFreshBrowsers());
afterAll(() => visit.close());

let people = 0;
/** Somebody nobody has written to yet. */
const somebody = () => {
  people += 1;
  return { recipient_email: `person${people}@example.com`, recipient_phone: `+3725555${2000 + people}` };
};

test('before anything was sent the page says what to do, and the inbox explains itself', async () => {
  const { page, open } = await visit.developer();
  await open();
  expect(await page.getByRole('heading', { name: 'Nothing was sent yet' }).isVisible()).toBe(true);
  expect(await page.locator('.empty').textContent()).toContain(playground.shop.apiKey);
  const answer = await open('/sandbox/inbox');
  expect(answer?.status()).toBe(404);
  expect(await page.getByRole('heading', { name: 'Nobody has an inbox yet' }).isVisible()).toBe(true);
});

test('what is sent appears by itself, newest first, with its fate and its events', async () => {
  const { page, open, complaints } = await visit.developer();
  await open();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, subject: 'First' });
  await lines(page).filter({ hasText: 'First' }).waitFor();
  await playground.shop.pushed({ ...ann, subject: 'Second', body: 'It comes after the first.' });
  await page.locator('.lines li:first-child', { hasText: 'Second' }).waitFor();
  expect(await page.locator('.empty').count()).toBe(0);
  await page.locator('#opened-head', { hasText: 'Delivered' }).waitFor();
  await eventually(async () => expect(await eventsOn(page)).toContain('message.delivered'));
  await page.locator('.deliveries', { hasText: 'answered 204' }).first().waitFor();
  await page.frameLocator('iframe').getByText('It comes after the first.').first().waitFor();
  expect(complaints).toEqual([]);
});

test('the latest events appear by themselves, each unfolds, and the page says how a program reads them', async () => {
  const { page, open, complaints } = await visit.developer();
  await open();
  const ann = somebody();
  const { id } = await playground.shop.pushed(ann);
  const line = page.locator('.feed-events li', { hasText: ann.recipient_email }).first();
  await line.waitFor();
  expect(await line.textContent()).toContain('message.delivered');
  await line.locator('summary').click();
  expect(await line.locator('pre').textContent()).toContain(id);
  await page.getByText('Read them with a program').click();
  expect(await page.locator('.feed .code').textContent()).toContain('/api/v1/events?wait=10');
  expect(complaints).toEqual([]);
});

test('an email is shown as a client would, beside its text and headers, and its link leads into the inbox', async () => {
  const { page } = await visit.developer({});
  const ann = somebody();
  const { id } = await playground.shop.pushed({ ...ann, body: 'Come and see' });
  await visit.openNewest(page, ann.recipient_email, 'email');
  expect(await page.locator('.email pre').textContent()).toContain('Come and see');
  expect(await page.locator('.email dl').textContent()).toContain('List-Unsubscribe-Post');
  const opened = page.context().waitForEvent('page');
  await page.frameLocator('iframe').getByRole('link', { name: 'Read it in your inbox' }).click();
  const inbox = await opened;
  await inbox.waitForURL(/\/inbox\?open=/);
  expect(await inbox.getByText('Come and see').first().isVisible()).toBe(true);
  await eventually(async () => expect(await eventsOn(page)).toContain('message.opened'));
  expect((await playground.shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
    delivery: { opened: true },
  });
});

test('the timeline beside a message tells what happened to it, and goes on by itself', async () => {
  const { page } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, channels: ['whatsapp'] });
  await visit.openNewest(page, ann.recipient_email, 'email');
  const timeline = page.locator('.timeline');
  await timeline.getByText('The email was delivered.').waitFor();
  const sentences = await timeline.locator('li span').allTextContents();
  expect(sentences.slice(0, 2)).toEqual([
    'The message was pushed.',
    'No WhatsApp message: the customer has not agreed to WhatsApp messages.',
  ]);
  await fetch((await page.locator('#open-link').getAttribute('href')) ?? '', {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
  });
  await timeline.getByText('The customer opened the message.').waitFor();
});

test('one address opens the inbox of the person who was messaged last', async () => {
  const { page, open } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, subject: 'Yours' });
  await visit.arrived(ann.recipient_email, 'email');
  await open('/sandbox/inbox');
  await page.waitForURL(/\/inbox\?open=/);
  expect(await page.getByText('Yours').first().isVisible()).toBe(true);
});

test('on the phone the person texts STOP and START, and it counts', async () => {
  const { page } = await visit.developer();
  const ann = somebody();
  const push = { ...ann, channels: ['sms'] };
  await playground.shop.pushed(push);
  await visit.openNewest(page, ann.recipient_phone, 'sms');
  await page.getByRole('button', { name: 'Reply STOP' }).click();
  await page.locator('.bubble-out', { hasText: 'STOP' }).waitFor();
  await page.locator('.standing', { hasText: 'This customer answered STOP' }).waitFor();
  expect((await playground.shop.pushed(push)).sms?.skipped_reason).toBe('stopped');

  await page.getByLabel('Reply as this customer').fill('START');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.bubble-out', { hasText: 'START' }).waitFor();
  await eventually(async () => expect(await page.getByLabel('Reply as this customer').inputValue()).toBe(''));
  expect((await playground.shop.pushed(push)).sms?.queued).toBe(true);
});

test('a reply on WhatsApp joins the conversation, is acknowledged, and is told to the merchant', async () => {
  const { page } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ALL_CHANNELS, ...ann, channels: ['whatsapp'] });
  await visit.openNewest(page, ann.recipient_phone, 'whatsapp');
  expect(await page.locator('.source').textContent()).toContain('waypost_order_shipped_v1');
  await page.getByLabel('Reply as this customer').fill('Thank you 🎉');
  await page.getByLabel('Reply as this customer').press('Enter');
  await page.locator('.bubble-out', { hasText: 'Thank you 🎉' }).waitFor();
  await page.locator('.bubble-in', { hasText: 'has received your message' }).waitFor();
  await eventually(async () => expect(await eventsOn(page)).toContain('whatsapp.inbound_message'));
});

test('a provider’s report can be played, and what follows is seen', async () => {
  const { page } = await visit.developer();
  await playground.shop.pushed({ recipient_email: 'silent+page@example.com' });
  await visit.openNewest(page, 'silent+page@example.com', 'email');
  await page.locator('#opened-head', { hasText: 'Accepted' }).waitFor();
  await page.getByRole('button', { name: 'bounced' }).click();
  await page.locator('#opened-head', { hasText: 'Bounced' }).waitFor();
  await said(page).filter({ hasText: 'report was recorded' }).waitFor();
  await eventually(async () => expect(await eventsOn(page)).toContain('message.bounced'));
});

test('the clock goes to whatever is due next: the text that waited for the message to be read', async () => {
  const { page, open } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, channels: ['sms'], escalate_if_unread_after_minutes: 30 });
  await visit.openNewest(page, ann.recipient_email, 'email');
  await page.locator('.sends', { hasText: 'Goes out only if the message is still unread' }).waitFor();
  // Until the mail is reported delivered, that report is what is due next.
  await page.locator('.upcoming summary', { hasText: 'if the message is still unread' }).waitFor();
  expect(await page.locator('#clock-ahead').textContent()).toContain('in step');
  await page.getByRole('button', { name: 'To the next thing that is due' }).click();
  await page.locator('#clock-ahead', { hasText: 'ahead of the real time' }).waitFor();
  expect(await title(page).textContent()).toContain(ann.recipient_email);
  await page.locator('.sends', { hasText: '1 credit spent' }).waitFor();
  await open(`/sandbox?to=${encodeURIComponent(ann.recipient_phone)}`);
  expect(await title(page).textContent()).toContain('SMS to');

  await page.getByRole('button', { name: '+1 day' }).click();
  await page.locator('#clock-ahead', { hasText: '1 d' }).waitFor();
});

test('the list is narrowed by channel and by any part of an address or number', async () => {
  const { page, open } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, channels: ['sms'] });
  await visit.arrived(ann.recipient_phone, 'sms');
  await open();
  await page.getByLabel('Address or number').fill(ann.recipient_phone.slice(-4));
  await page.getByRole('button', { name: 'Find' }).click();
  await eventually(async () => expect(await lines(page).count()).toBe(1));
  await page.getByRole('navigation', { name: 'Channel' }).getByRole('link', { name: 'Email' }).click();
  await page.getByText('Nothing was sent that fits.').waitFor();
  await page.getByRole('navigation', { name: 'Channel' }).getByRole('link', { name: 'All' }).click();
  await lines(page).first().waitFor();
  await page.goBack();
  await page.getByText('Nothing was sent that fits.').waitFor();
});

test('a message that was chosen stays open while the clock moves and others are sent', async () => {
  const { page, open } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, subject: 'Chosen' });
  await visit.arrived(ann.recipient_email, 'email');
  await playground.shop.pushed({ ...somebody(), subject: 'Newer' });
  await open();
  // A click is lost on a line that is exchanged for one with another fate.
  for (const subject of ['Chosen', 'Newer'])
    await lines(page).filter({ hasText: subject }).filter({ hasText: 'Delivered' }).waitFor();
  await lines(page).filter({ hasText: 'Chosen' }).getByRole('link').click();
  await page.locator('#opened-title', { hasText: ann.recipient_email }).waitFor();
  await page.getByRole('button', { name: '+5 minutes' }).click();
  await page.locator('#said', { hasText: 'The clock was moved' }).waitFor();
  await playground.shop.pushed({ ...somebody(), subject: 'Newest' });
  await lines(page).filter({ hasText: 'Newest' }).waitFor();
  expect(await title(page).textContent()).toContain(ann.recipient_email);
});

test('an answer that comes late does not bring back what the reader has left', async () => {
  const { page, open } = await visit.developer({});
  const [ann, bob] = [somebody(), somebody()];
  await playground.shop.pushed(ann);
  await visit.arrived(ann.recipient_email, 'email');
  await open();
  await lines(page).filter({ hasText: ann.recipient_email }).filter({ hasText: 'Delivered' }).waitFor();
  const late: (() => Promise<void>)[] = [];
  await page.route(`${playground.url}/sandbox`, async (route) => {
    const response = await route.fetch();
    late.push(() => route.fulfill({ response }));
  });
  await playground.shop.pushed(bob);
  // The page asks for the news, and its answer, which opens the newest message, is on its way.
  await eventually(() => expect(late).not.toEqual([]));
  await lines(page).filter({ hasText: ann.recipient_email }).getByRole('link').click();
  await lines(page).filter({ hasText: bob.recipient_email }).waitFor();
  const titles = page.evaluate(`new Promise((resolve) => {
    const seen = new Set();
    const look = () => seen.add(document.getElementById('opened-title').textContent);
    new MutationObserver(look).observe(document.getElementById('panes'), { childList: true, subtree: true });
    setTimeout(() => { look(); resolve([...seen].join()); }, 1_000);
  })`);
  for (const answer of late) await answer();
  expect(await titles).toContain(ann.recipient_email);
  expect(await titles).not.toContain(bob.recipient_email);
});

test('the scenarios push through the interface, and the first result is on the page', async () => {
  const { page, open } = await visit.developer();
  await open();
  for (const name of [
    'An order with a parcel',
    'An email and an SMS',
    'WhatsApp, else an SMS',
    'An address that bounces',
  ]) {
    await page.getByRole('button', { name }).click();
    await eventually(async () =>
      expect(await said(page).textContent()).toMatch(/Pushed|New: to|new, the last to/),
    );
  }
  await lines(page).filter({ hasText: 'bounce@example.com' }).first().waitFor();
  await lines(page).filter({ hasText: '+447700909004' }).first().waitFor();
});

test('a reply half written is not lost when something else is sent', async () => {
  const { page, open } = await visit.developer();
  const ann = somebody();
  await playground.shop.pushed({ ...ann, channels: ['sms'] });
  await visit.arrived(ann.recipient_phone, 'sms');
  await open(`/sandbox?to=${encodeURIComponent(ann.recipient_phone)}`);
  await page.getByLabel('Reply as this customer').fill('Half wri');
  await playground.shop.pushed({ ...ann, channels: ['sms'] });
  await eventually(async () => expect(await lines(page).count()).toBe(2));
  expect(await page.getByLabel('Reply as this customer').inputValue()).toBe('Half wri');
});

test('without JavaScript everything works by forms and links', async () => {
  const { page, open } = await visit.developer({ javaScriptEnabled: false });
  const ann = somebody();
  await playground.shop.pushed({ ...ann, channels: ['sms'] });
  await visit.openNewest(page, ann.recipient_phone, 'sms');
  await page.getByRole('button', { name: 'Reply STOP' }).click();
  expect(await said(page).textContent()).toBe('The SMS was received.');
  expect(await page.locator('.standing').textContent()).toContain('answered STOP');
  await page.getByRole('button', { name: 'failed' }).click();
  expect(await said(page).textContent()).toContain('report was recorded');
  await page.getByRole('button', { name: '+5 minutes' }).click();
  expect(await said(page).textContent()).toContain('The clock was moved');
  expect(await title(page).textContent()).toContain(ann.recipient_phone);
  await open();
  await page.getByRole('button', { name: 'An email', exact: true }).click();
  expect(await said(page).textContent()).toContain('Pushed');
});

test('on a phone one sees the list, then a message, and comes back', async () => {
  const { page, open } = await visit.developer({ viewport: PHONE_SCREEN });
  const ann = somebody();
  await playground.shop.pushed({ ...ann, subject: 'On a phone' });
  await visit.arrived(ann.recipient_email, 'email');
  await open();
  expect(await title(page).isVisible()).toBe(false);
  await lines(page).filter({ hasText: 'On a phone' }).filter({ hasText: 'Delivered' }).waitFor();
  await lines(page).filter({ hasText: 'On a phone' }).getByRole('link').click();
  await title(page).waitFor();
  expect(await lines(page).first().isVisible()).toBe(false);
  await page.getByRole('link', { name: 'All that was sent' }).click();
  await lines(page).first().waitFor();
  expect(await title(page).isVisible()).toBe(false);
});
