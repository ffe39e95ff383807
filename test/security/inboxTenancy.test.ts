import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** One person whom two shops write to, at one address: what each shop's links open must never be the other's. */
const ANN = 'ann@example.com';
const OURS = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };

let service: TestService;
let shops: Record<'books' | 'toys', Visit>;

interface Visit {
  shop: Shop;
  messageId: string;
  link: string;
  unsubscribe: string;
  cookie: string;
}

beforeAll(async () => {
  service = await startService();
  shops = { books: await visit('A book'), toys: await visit('A toy') };
});
afterAll(() => service.close());

const here = (url: string): string => service.url + new URL(url).pathname;

/** A shop writes, and the person comes by its mail. */
async function visit(subject: string): Promise<Visit> {
  const shop = await service.business();
  const { id } = await shop.pushed({ recipient_email: ANN, subject });
  const mail = await eventually(async () => {
    const sent = (await capturedMessages(service.url, { to: ANN, channel: 'email' })).find(
      ({ message_id }) => message_id === id,
    );
    if (!sent) throw new Error('the mail has not gone out');
    return sent;
  });
  const link = /https?:\/\/\S+\/i\/\S+/.exec(mail.text)?.[0] ?? '';
  const unsubscribe = /<(.+?)>/.exec(mail.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
  const arrived = await fetch(here(link), { method: 'POST', redirect: 'manual', headers: OURS });
  const cookie = (arrived.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { shop, messageId: id, link, unsubscribe, cookie };
}

const read = async (path: string, cookie: string) => {
  const answer = await fetch(service.url + path, { headers: { cookie }, redirect: 'manual' });
  return { status: answer.status, text: await answer.text() };
};

describe('a session opened by one shop’s link', () => {
  test('shows that shop’s messages and no other’s', async () => {
    const { text } = await read('/inbox', shops.books.cookie);
    expect(text).toContain('A book');
    expect(text).not.toContain('A toy');
  });

  test('opens another shop’s message no more than one that does not exist', async () => {
    const page = await read('/inbox', shops.books.cookie);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const open = async (id: string) => {
      const headers = { ...OURS, cookie: shops.books.cookie };
      const body = new URLSearchParams({ csrf }).toString();
      const path = `/inbox/messages/${id}/open`;
      const answer = await fetch(service.url + path, { method: 'POST', headers, body, redirect: 'manual' });
      return [answer.status, (await answer.text()).replaceAll(id, '<id>')];
    };
    const { id: foreign } = await shops.toys.shop.pushed({ recipient_email: ANN, subject: 'Another toy' });
    expect(await open(foreign)).toEqual(await open('mh0q2z4k00x7c1v9b3n5m8l2'));
    expect(await open(foreign)).not.toEqual(await open(shops.books.messageId));
    const { body } = await shops.toys.shop.get(`/api/v1/messages/${foreign}`);
    expect(body).toMatchObject({ delivery: { opened: false } });
  });

  test('opens nothing as a key of the interface, nor as a link', async () => {
    const token = shops.books.cookie.split('=')[1] ?? '';
    expect((await shops.books.shop.with(token).get('/api/v1/messages')).status).toBe(401);
    const asLink = await fetch(`${service.url}/i/${token}`, {
      method: 'POST',
      redirect: 'manual',
      headers: OURS,
    });
    expect(asLink.headers.get('set-cookie')).toBeNull();
  });
});

test('a link is no session, no unsubscription and no key', async () => {
  const token = shops.books.link.split('/').at(-1) ?? '';
  const name = shops.books.cookie.split('=')[0] ?? '';
  expect((await read('/inbox', `${name}=${token}`)).text).not.toContain('A book');
  expect((await shops.books.shop.with(token).get('/api/v1/messages')).status).toBe(401);
  const path = new URL(shops.books.unsubscribe).pathname.split('/').slice(0, -1).join('/');
  const tried = await fetch(`${service.url}${path}/${token}`, {
    method: 'POST',
    headers: OURS,
    body: 'List-Unsubscribe=One-Click',
  });
  expect(tried.status).toBeGreaterThanOrEqual(400);
  expect((await shops.books.shop.pushed({ recipient_email: ANN })).email).toMatchObject({ sending: true });
});

test('unsubscribing from one shop leaves the other’s updates alone', async () => {
  const done = await fetch(here(shops.toys.unsubscribe), {
    method: 'POST',
    headers: OURS,
    body: 'List-Unsubscribe=One-Click',
  });
  expect(done.status).toBe(200);
  expect((await shops.toys.shop.pushed({ recipient_email: ANN })).email).toMatchObject({
    skipped_reason: 'unsubscribed',
  });
  expect((await shops.books.shop.pushed({ recipient_email: ANN })).email).toMatchObject({ sending: true });
});
