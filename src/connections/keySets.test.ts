import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { canary, startLoopbackServer } from '../../test/support/loopback.ts';
import { later, MINUTE, SECOND } from '../kit/clock.ts';
import { statusOf } from '../kit/errors.ts';
import { createGuardedClient, type Guard } from '../webhooks/guardedClient.ts';
import { createAllowList } from '../webhooks/publicAddress.ts';
import {
  createKeySets,
  KEY_SET_AGE_MS,
  KEY_SET_MAX_BYTES,
  KEYS_MAX,
  KEYS_REFRESH_EVERY_MS,
  KEYS_TIMEOUT_MS,
  KeysUnreadable,
  UNREADABLE_FOR_MS,
} from './keySets.ts';

const setOf = (...names: string[]): string => JSON.stringify({ keys: names.map((kid) => ({ kid })) });
const idsOf = (keys: readonly Readonly<Record<string, unknown>>[]) => keys.map(({ kid }) => kid);

function keySetsBy(guard: Partial<Guard>) {
  const client = createGuardedClient({
    resolve: () => Promise.resolve(['93.184.216.34']),
    allowHosts: createAllowList([]),
    ...guard,
  });
  onTestFinished(() => client.destroy());
  let now = new Date('2026-03-01T10:00:00Z');
  const pass = (milliseconds: number) => {
    now = later(now, milliseconds);
  };
  return { pass, ...createKeySets({ client, clock: { now: () => now } }) };
}

/** A store on loopback that the operator allows. */
async function store(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  const { port } = await startLoopbackServer(server);
  const url = `http://127.0.0.1:${port}/graphql/`;
  const { pass, keysOf } = keySetsBy({ allowHosts: createAllowList([`127.0.0.1:${port}`]) });
  const ids = async (refresh = false) => idsOf(await keysOf(url, { refresh }));
  return { asked, url, pass, keysOf, ids };
}

async function failureOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof KeysUnreadable)) throw error ?? new Error('the keys were read');
  expect(statusOf(error.code)).toBe(503);
  return error.failure;
}

const unreadable = (reason: string): string =>
  `The store’s public keys (/.well-known/jwks.json) could not be read: ${reason}.`;

describe('the keys of a store', () => {
  test('they are read once for an hour, however many calls need them at the same moment', async () => {
    const { asked, pass, ids } = await store((_, response) => response.end(setOf('one')));
    const all = await Promise.all([ids(), ids(), ids(true), ids()]);
    expect(all).toEqual([['one'], ['one'], ['one'], ['one']]);
    pass(KEY_SET_AGE_MS - 1);
    await ids();
    expect(asked).toEqual(['GET /.well-known/jwks.json']);
    pass(1);
    await ids();
    expect(asked.length).toBe(2);
  });

  test('the same keys are the same list, so that they are imported once', async () => {
    const { keysOf, url } = await store((_, response) => response.end(setOf('one')));
    expect(await keysOf(url, { refresh: false })).toBe(await keysOf(url, { refresh: false }));
  });

  test('new keys of a store are found at once, and looked for at most once in 30 seconds', async () => {
    let keys = setOf('one');
    const { asked, pass, ids } = await store((_, response) => response.end(keys));
    expect(await ids()).toEqual(['one']);
    keys = setOf('two');
    expect(await ids(true)).toEqual(['two']);
    keys = setOf('three');
    pass(KEYS_REFRESH_EVERY_MS - 1);
    expect(await ids(true)).toEqual(['two']);
    expect(asked.length).toBe(2);
    pass(1);
    expect(await ids(true)).toEqual(['three']);
    expect(asked.length).toBe(3);
  });

  test('two stores have nothing to do with each other', async () => {
    const one = await store((_, response) => response.end(setOf('one')));
    const other = await store((_, response) => response.end(setOf('other')));
    expect([await one.ids(), await other.ids()]).toEqual([['one'], ['other']]);
  });

  test('a thousand stores are remembered, those of the newest calls', async () => {
    const { asked, url, ids, keysOf } = await store((_, response) => response.end(setOf('one')));
    await ids();
    for (let other = 0; other < 1_000; other += 1) {
      await failureOf(keysOf(`no address ${other}`, { refresh: false }));
      if (other === 500) await ids();
    }
    await ids();
    expect(asked.length).toBe(1);
    for (let other = 0; other < 1_000; other += 1)
      await failureOf(keysOf(`another ${other}`, { refresh: false }));
    await keysOf(url, { refresh: false });
    expect(asked.length).toBe(2);
  });
});

describe('keys that cannot be read', () => {
  const many = Array.from({ length: KEYS_MAX + 1 }, (_, at) => `key ${at}`);

  test.each<[string, RequestListener, string]>([
    ['an error', (_, response) => response.writeHead(500).end(), 'answered 500'],
    ['nothing there', (_, response) => response.writeHead(404).end(setOf('one')), 'answered 404'],
    ['another success', (_, response) => response.writeHead(204).end(), 'answered 204'],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'answered 302 (redirects are not followed)',
    ],
    ['no JSON', (_, response) => response.end('<html>'), 'the answer is not a set of keys'],
    ['no keys', (_, response) => response.end('{"keys": []}'), 'the answer is not a set of keys'],
    ['keys that are none', (_, response) => response.end('{"keys": [1]}'), 'the answer is not a set of keys'],
    ['too many keys', (_, response) => response.end(setOf(...many)), 'the answer has more than 20 keys'],
    [
      'an answer without an end',
      (_, response) => {
        response.on('error', () => {});
        for (let sent = 0; sent <= KEY_SET_MAX_BYTES; sent += 1_024) response.write(' '.repeat(1_024));
      },
      'the answer is too large',
    ],
    [
      'a broken connection',
      (_, response) => response.destroy(),
      'the connection was closed before an answer',
    ],
  ])('%s', async (_what, answer, reason) => {
    const { keysOf, url } = await store(answer);
    expect(await failureOf(keysOf(url, { refresh: false }))).toBe(unreadable(reason));
  });

  test.each<[string, RequestListener]>([
    ['does not answer', () => {}],
    ['does not finish its answer', (_, response) => void response.write('{')],
  ])('a store that %s in time is given up', async (_what, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const { keysOf, url } = await store((request, response) => {
      answer(request, response);
      hear();
    });
    const failure = failureOf(keysOf(url, { refresh: false }));
    await heard;
    await vi.advanceTimersByTimeAsync(KEYS_TIMEOUT_MS);
    expect(await failure).toBe(unreadable('timed out after 3 s'));
  });

  test('a store that cannot be read is left alone for a moment, and every call meanwhile waits for nothing', async () => {
    let isUp = false;
    const { asked, pass, ids, keysOf, url } = await store((_, response) =>
      isUp ? response.end(setOf('one')) : response.writeHead(502).end(),
    );
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(keysOf(url, { refresh: false }))));
    expect(new Set(failures)).toEqual(new Set([unreadable('answered 502')]));
    isUp = true;
    pass(UNREADABLE_FOR_MS - 1);
    await failureOf(ids());
    expect(asked.length).toBe(1);
    pass(1);
    expect(await ids()).toEqual(['one']);
  });

  test('old keys still prove what they match; an unknown key may be a new one, so it is no refusal', async () => {
    let isUp = true;
    const { asked, pass, ids } = await store((_, response) =>
      isUp ? response.end(setOf('one')) : response.writeHead(502).end(),
    );
    await ids();
    isUp = false;
    pass(KEY_SET_AGE_MS);
    expect(await ids()).toEqual(['one']);
    expect(await failureOf(ids(true))).toBe(unreadable('answered 502'));
    pass(UNREADABLE_FOR_MS);
    await failureOf(ids(true));
    pass(10 * SECOND);
    await failureOf(ids(true));
    expect(asked.length).toBe(3);

    isUp = true;
    pass(MINUTE);
    expect(await ids(true)).toEqual(['one']);
    expect(await ids()).toEqual(['one']);
  });
});

describe('no way into the private network', () => {
  test.each([
    ['an address of this machine', 'https://127.0.0.1/', 'the host does not resolve to a public address'],
    [
      'the addresses of a cloud’s secrets',
      'https://169.254.169.254/',
      'the host does not resolve to a public address',
    ],
    ['a name that leads inside', 'https://inside.example/', 'the host does not resolve to a public address'],
    ['no HTTPS', 'http://store.example/', 'refused: the URL is not HTTPS'],
    ['another port', 'https://store.example:25/', 'refused: port 25 is not allowed'],
    ['another scheme', 'file:///etc/passwd', 'the request failed'],
    ['no URL', 'store', 'the store’s address is not a URL'],
  ])('%s', async (_what, url, reason) => {
    const { keysOf } = keySetsBy({ resolve: () => Promise.resolve(['10.0.0.1']) });
    expect(await failureOf(keysOf(url, { refresh: false }))).toBe(unreadable(reason));
  });

  test('a listener of this machine is never reached, whatever the store’s address', async () => {
    const trap = await canary();
    const { keysOf } = keySetsBy({
      resolve: () => Promise.resolve(['127.0.0.1']),
      ports: new Set([trap.port]),
    });
    for (const host of ['127.0.0.1', 'store.example', 'localhost', '[::1]', 'user:secret@127.0.0.1'])
      await failureOf(keysOf(`https://${host}:${trap.port}/`, { refresh: false }));
    expect(trap.connections()).toBe(0);
  });
});
