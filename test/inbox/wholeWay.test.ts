import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test as serverTest } from 'vitest';
import { LINK_LIFETIME_MS } from '../../src/config/limits.ts';
import { DAY, later, systemClock } from '../../src/kit/clock.ts';
import { joinShop, mailedLink } from '../dashboard/memberBrowser.ts';
import { openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** The inbox as a part of the whole service: what a merchant pushes, what the person does, what follows from it. */
let service: TestService;
let browser: TestBrowser;
let people = 0;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** Someone new, with an address and a number of their own. */
function someone(): { recipient_email: string; recipient_phone: string } {
  people += 1;
  return { recipient_email: `person${people}@example.com`, recipient_phone: `+3725550${1000 + people}` };
}
const newShop = (): Promise<Shop> => service.business({ credits: 10 });
const mailTo = (to: string) =>
  eventually(async () => {
    const [mail] = await capturedMessages(service.url, { channel: 'email', to });
    if (!mail) throw new Error('no mail yet');
    return mail;
  });
const textsTo = (to: string) => capturedMessages(service.url, { channel: 'sms', to });
const linkIn = (text: string): string => /https?:\/\/\S+\/i\/\S+/.exec(text)?.[0] ?? '';

async function inBrowser(use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newProfile();
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
}

test('opening the message in the browser cancels the text that waited for it to stay unread', async () => {
  const shop = await newShop();
  const [reader, other] = [someone(), someone()];
  const ask = { channels: ['sms'], escalate_if_unread_after_minutes: 30 };
  const read = await shop.pushed({ ...reader, ...ask });
  const unread = await shop.pushed({ ...other, ...ask });
  expect(read.sms).toMatchObject({ queued: false, escalates_at: expect.any(String) });

  const { text } = await mailTo(reader.recipient_email);
  await inBrowser(async (page) => {
    await page.goto(linkIn(text));
    await page.getByText('It left our warehouse this morning.').waitFor();
  });
  await service.advance({ minutes: 31 });

  expect(await textsTo(reader.recipient_phone)).toEqual([]);
  expect((await shop.get(`/api/v1/messages/${read.id}`)).body).toMatchObject({
    delivery: { opened: true, sms: null },
  });
  await eventually(async () => expect(await textsTo(other.recipient_phone)).toHaveLength(1));
  expect((await shop.get(`/api/v1/messages/${unread.id}`)).body).toMatchObject({
    delivery: { opened: false },
  });
  expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 9 });
});

test('a message that was read is new again when an update nudges, and reading that in the open page cancels its text', async () => {
  const shop = await newShop();
  const [reader, other] = [someone(), someone()];
  const update = {
    kind: 'updateable',
    body: 'It comes tomorrow.',
    notify: true,
    channels: ['sms'],
    escalate_if_unread_after_minutes: 30,
  };
  for (const person of [reader, other]) {
    await shop.pushed({ ...person, kind: 'updateable' });
    await inBrowser(async (page) => {
      await page.goto(linkIn((await mailTo(person.recipient_email)).text));
      await page.getByText('It left our warehouse this morning.').waitFor();
      await shop.pushed({ ...person, ...update });
      const again = page.getByRole('button', { name: /has shipped\s*New/ });
      await again.waitFor();
      expect(await page.getByText('It comes tomorrow.').count()).toBe(0);
      if (person === other) return;
      await again.click();
      await page.getByText('It comes tomorrow.').waitFor();
    });
  }
  await service.advance({ minutes: 31 });
  await eventually(async () => expect(await textsTo(other.recipient_phone)).toHaveLength(1));
  expect(await textsTo(reader.recipient_phone)).toEqual([]);
});

serverTest('a scanner that fetches the link does not call off the text', async () => {
  const shop = await newShop();
  const person = someone();
  await shop.pushed({ ...person, channels: ['sms'], escalate_if_unread_after_minutes: 5 });
  const link = linkIn((await mailTo(person.recipient_email)).text);
  expect((await fetch(link)).status).toBe(200);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  await service.advance({ minutes: 6 });
  await eventually(async () => expect(await textsTo(person.recipient_phone)).toHaveLength(1));
});

test('texts stopped in the inbox stay stopped when the person texts START, and come back when they say so there', async () => {
  const shop = await newShop();
  const person = someone();
  const smsOf = async () => (await shop.get(`/api/v1/recipients/${person.recipient_email}/sms`)).body;
  await shop.pushed(person);
  const link = linkIn((await mailTo(person.recipient_email)).text);
  const waiting = await shop.pushed({
    ...person,
    channels: ['sms'],
    send_at: later(systemClock.now(), 2 * DAY).toISOString(),
  });
  expect(waiting.sms).toMatchObject({ queued: true });

  await inBrowser(async (page) => {
    await page.goto(link);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Stop SMS' }).click();
    await page.getByText('You stopped SMS here.').waitFor();
    expect(await smsOf()).toMatchObject({ sms_status: 'stopped' });
    expect((await shop.get(`/api/v1/messages/${waiting.id}`)).body).toMatchObject({
      delivery: { sms: { status: 'skipped', skipped_reason: 'stopped' } },
    });
    const started = await fetch(`${service.url}/sandbox/sms/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: person.recipient_phone, body: 'START', business_id: shop.businessId }),
    });
    expect(started.status).toBeLessThan(300);
    expect(await smsOf()).toMatchObject({ sms_status: 'stopped' });
    expect((await shop.pushed({ ...person, channels: ['sms'] })).sms).toMatchObject({
      skipped_reason: 'stopped',
    });

    await page.getByRole('button', { name: 'Get SMS again' }).click();
    await page.getByText('You get SMS at').waitFor();
  });
  expect(await smsOf()).toMatchObject({ sms_status: 'active' });
  expect((await shop.pushed({ ...person, channels: ['sms'] })).sms).toMatchObject({ queued: true });
});

serverTest('the mail’s own unsubscribe button ends everything, as mail clients press it', async () => {
  const shop = await newShop();
  const person = someone();
  await shop.pushed(person);
  const { headers } = await mailTo(person.recipient_email);
  expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
  const address = /^<(.+)>$/.exec(headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  const answer = await fetch(address, {
    method: 'POST',
    redirect: 'error',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(answer.status).toBe(200);
  const next = await shop.pushed({ ...person, channels: ['sms'] });
  expect(next.email).toEqual({ sending: false, skipped_reason: 'unsubscribed' });
  expect(next.sms).toMatchObject({ queued: false, skipped_reason: 'unsubscribed' });
});

test('an erasure ends the link, the session and the page that is open', async () => {
  const shop = await newShop();
  const person = someone();
  await shop.pushed(person);
  const link = linkIn((await mailTo(person.recipient_email)).text);
  await inBrowser(async (page) => {
    await page.goto(link);
    await page.getByText('It left our warehouse this morning.').waitFor();
    await shop.post(`/api/v1/recipients/${person.recipient_email}/erase`);
    await page.getByText('Your inbox opens with a link').waitFor();
    await page.goto(link);
    await page.getByText('This link has ended').waitFor();
  });
});

test('a link that has expired brings a new one by mail, which works', async () => {
  const shop = await newShop();
  const person = someone();
  await shop.pushed(person);
  const first = await mailTo(person.recipient_email);
  await service.advance({ seconds: LINK_LIFETIME_MS / 1_000 + 60 });
  await inBrowser(async (page) => {
    await page.goto(linkIn(first.text));
    await page.getByLabel('Your email address').fill(person.recipient_email);
    await page.getByRole('button', { name: 'Send me a new link' }).click();
    await page.getByText('Look in your mail').waitFor();
    const second = await eventually(async () => {
      const mail = await mailTo(person.recipient_email);
      expect(mail.id).not.toBe(first.id);
      return mail;
    });
    await page.goto(linkIn(second.text));
    await page.getByText('Your order #1001 has shipped').waitFor();
  });
});

test('what a merchant pushes while the inbox is open appears in it, and what they take back is dimmed', async () => {
  const shop = await newShop();
  const person = someone();
  await shop.pushed({ ...person, reference: '#1001', order_status: 'confirmed' });
  const link = linkIn((await mailTo(person.recipient_email)).text);
  await inBrowser(async (page) => {
    await page.goto(link);
    await page.getByText('Your order is confirmed.').waitFor();
    const news = await shop.pushed({
      ...person,
      subject: 'News',
      reference: '#1001',
      order_status: 'delivered',
    });
    await page.getByText('Your order has been delivered.').waitFor();
    await page.getByRole('button', { name: /News/ }).click();
    await shop.post(`/api/v1/messages/${news.id}/retract`);
    await page.getByText('Retracted', { exact: true }).waitFor();
    await page.getByText('Your order is confirmed.').waitFor();
  });
});

test('a reply that is not to be repeated by mail is read in the dashboard, where the mail’s link leads', async () => {
  const contact = 'owner@replies.example';
  const shop = await service.business({ credits: 10, contactEmail: contact });
  await service.change(shop, { replyForward: 'link_only' });
  const person = someone();
  const { recipient_email: email, recipient_phone: phone } = person;
  await shop.pushed({
    ...person,
    channels: ['whatsapp'],
    reference: '#2001',
    order_status: 'shipped',
    whatsapp_opt_in: { source: 'checkout' },
  });
  await eventually(async () =>
    expect(await capturedMessages(service.url, { channel: 'whatsapp', to: phone })).toHaveLength(1),
  );
  await fetch(`${service.url}/sandbox/whatsapp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: phone, body: 'Which <b>door</b>?', business_id: shop.businessId }),
  });
  const { text } = await mailTo(contact);
  expect(text).not.toContain('door');
  const link = /https?:\/\/\S+\/replies\/\S+/.exec(text)?.[0] ?? '';

  expect(new URL(link).pathname).toMatch(new RegExp(`^/dashboard/${shop.businessId}/replies/[0-9a-z]+$`));
  await joinShop(service, shop.businessId, contact, 'owner');
  await inBrowser(async (page) => {
    await page.goto(link);
    await page.getByLabel('Your email address').fill(contact);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await page.goto(service.url + (await mailedLink(service, contact, 2)));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Which <b>door</b>?').waitFor();
    expect(page.url()).toBe(link);
    await page.getByText('order #2001').waitFor();
    await page.getByRole('link', { name: email }).waitFor();
    await shop.post(`/api/v1/recipients/${email}/erase`, undefined);
    await page.reload();
    await page.getByText('This reply is not here').waitFor();
  });
});
