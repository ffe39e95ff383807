import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxAccessKey } from '../../src/server/listening.ts';
import { type DemoService, startDemoService } from '../pages/playground.ts';
import { startService } from '../support/service.ts';

/** As a proxy on this machine says that somebody elsewhere is calling. */
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Every call of the sandbox: none may be forgotten by its guard. */
const CALLS: [method: string, path: string, body?: unknown][] = [
  ['GET', '/sandbox'],
  ['HEAD', '/sandbox'],
  ['GET', '/sandbox/live'],
  ['GET', '/sandbox/inbox'],
  ['GET', '/sandbox/messages/x/email'],
  ['GET', '/sandbox/outbox.json'],
  ['GET', '/sandbox/clock'],
  ['POST', '/sandbox/clock', { advance_seconds: 86_400 }],
  ['POST', '/sandbox/sms/inbound', { from: '+37255550134', body: 'STOP' }],
  ['POST', '/sandbox/whatsapp/inbound', { from: '+37255550134', body: 'hi' }],
  ['POST', '/sandbox/open', { message_id: 'x' }],
  ['POST', '/sandbox/businesses', { credits: 5 }],
  ['POST', '/sandbox/reports', { provider_id: 'x', status: 'bounced' }],
  [
    'POST',
    '/sandbox/tracking',
    { business_id: 'x', reference: 'x', tracking_number: 'x', status: 'delivered' },
  ],
  ['POST', '/sandbox/try', {}],
];

describe('a service on loopback', () => {
  let playground: DemoService;
  let key: string;
  beforeAll(async () => {
    playground = await startDemoService();
    key = sandboxAccessKey(playground.service.secretKey);
  });
  afterAll(() => playground.close());

  const call = (path: string, headers: Record<string, string>, method = 'GET', body?: unknown) =>
    fetch(playground.url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(body === undefined ? {} : JSON_TYPE) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  test.each(CALLS)('from elsewhere, without the key, is not answered: %s %s', async (method, path, body) => {
    for (const headers of [
      ELSEWHERE,
      { 'x-forwarded-for': '127.0.0.1' },
      { ...ELSEWHERE, authorization: `Bearer ${key}x` },
      { ...ELSEWHERE, cookie: 'waypost_sandbox=' },
    ]) {
      const answer = await call(path, headers, method, body);
      expect(answer.status).toBe(404);
      if (method !== 'HEAD')
        expect(await answer.text()).toContain('From elsewhere use the address with the key');
    }
  });

  test('a key in the address becomes a cookie, which opens the page and its calls, and leaves the address', async () => {
    const arrived = await call(`/sandbox?channel=sms&key=${key}`, ELSEWHERE);
    expect(arrived.status).toBe(303);
    expect(arrived.headers.get('location')).toBe('/sandbox?channel=sms');
    expect(arrived.headers.get('cache-control')).toBe('no-store');
    const set = arrived.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^waypost_sandbox=[\w-]{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const cookie = set.split(';')[0] ?? '';
    const browser = { ...ELSEWHERE, cookie };
    expect((await call('/sandbox', browser)).status).toBe(200);
    expect((await call('/sandbox/clock', browser)).status).toBe(200);
    expect(await (await call('/', browser)).text()).toContain(playground.shop.apiKey);
    expect((await call(`/sandbox?key=${key}x`, ELSEWHERE)).status).toBe(404);
    // The cookie is no licence for other web pages.
    const foreign = { ...browser, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await call('/sandbox/clock', foreign, 'POST', { advance_seconds: 1 })).status).toBe(404);
  });

  test('a program sends the key as a bearer token', async () => {
    const program = { ...ELSEWHERE, authorization: `Bearer ${key}` };
    expect((await call('/sandbox/outbox.json', program)).status).toBe(200);
    expect((await call('/sandbox/clock', program, 'POST', { advance_seconds: 1 })).status).toBe(200);
  });

  test('the demo key on the first page is shown to this machine, and to nobody elsewhere', async () => {
    expect(await (await call('/', {})).text()).toContain(playground.shop.apiKey);
    expect(await (await call('/', ELSEWHERE)).text()).not.toContain(playground.shop.apiKey);
  });

  test('this machine needs no key', async () => {
    expect((await call('/sandbox', {})).status).toBe(200);
    expect((await call('/sandbox/clock', {}, 'POST', { advance_seconds: 0 })).status).toBe(200);
  });
});

test('in production there is no such call, with the key or without', async () => {
  const production = await startService({ NODE_ENV: 'production' });
  const key = sandboxAccessKey(production.secretKey);
  for (const [method, path, body] of CALLS)
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, authorization: `Bearer ${key}` }]) {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      expect((await fetch(production.url + path, init)).status, path).toBe(404);
    }
  await production.close();
});
