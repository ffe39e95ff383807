import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sandboxAccessKey } from '../../src/server/listening.ts';
import { type DemoService, startDemoService } from '../pages/playground.ts';
import { preparedFolder } from '../support/preparedFolder.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';

vi.setConfig({ testTimeout: 180_000 });

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
  ['POST', '/sandbox/reports', { provider_id: 'x', status: 'bounced' }],
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

describe('the program', () => {
  let folder: Awaited<ReturnType<typeof preparedFolder>>;
  beforeAll(async () => {
    await buildProgram();
    folder = await preparedFolder();
  });
  afterEach(killAllPrograms);
  afterAll(() => folder.remove());

  const printedKey = (printed: string): string | undefined => /\/sandbox\?key=([\w-]+)/.exec(printed)?.[1];

  test('on another HOST than loopback warns, and prints an address with a key that stays the same', async () => {
    const env = { DATA_DIR: folder.path, HOST: '0.0.0.0' };
    const first = await startProgram(env);
    const key = printedKey(first.printed());
    expect(key).toMatch(/^[\w-]{32}$/);
    expect(first.printed()).toContain('From another machine it needs the key');
    expect((await fetch(`${first.url}/sandbox`)).status).toBe(200);
    expect((await fetch(`${first.url}/sandbox`, { headers: ELSEWHERE })).status).toBe(404);
    const arrived = await fetch(`${first.url}/sandbox?key=${key}`, {
      headers: ELSEWHERE,
      redirect: 'manual',
    });
    expect(arrived.status).toBe(303);
    await first.end();

    // A public name means that a proxy may stand in front and hide who is calling.
    const port = new URL(first.url).port;
    const second = await startProgram({
      ...env,
      HOST: '127.0.0.1',
      PORT: port,
      PUBLIC_URL: 'http://way.example',
    });
    expect(printedKey(second.printed())).toBe(key);
    const here = `http://127.0.0.1:${port}/sandbox/clock`;
    expect((await fetch(here)).status).toBe(404);
    expect((await fetch(here, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  });

  test('on loopback prints no key and does not warn', async () => {
    const program = await startProgram({ DATA_DIR: folder.path });
    expect(printedKey(program.printed())).toBeUndefined();
    expect(program.printed()).toContain(`${program.url}/sandbox   every message sent`);
    expect(program.printed()).not.toContain('From elsewhere');
  });
});
