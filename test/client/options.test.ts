import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  signWebhook,
  verifyWebhook,
  Waypost,
  type WaypostOptions,
} from '../../clients/typescript/src/index.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { answer, failureOf, OK, serverOf, stillTime } from './answers.ts';

const apiKey = 'way_live_0123456789abcdefghijklmnopqrstuvwxyz0123';
const PUSH = { recipient_email: 'ann@example.com', subject: 'Order #1001', body: 'It has shipped.' };
const clientOf = (baseUrl: string, options: WaypostOptions = {}): Waypost =>
  new Waypost({ baseUrl, apiKey, ...options });
const variables = { WAYPOST_BASE_URL: undefined, WAYPOST_API_KEY: undefined };

beforeEach(() => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

describe('a key or secret that cannot work throws at once, with one sentence', () => {
  const carries =
    'has a character that no header can carry, such as a line break or "ä": use printable ASCII';

  test.each<[string, WaypostOptions, string]>([
    ['no key', {}, 'Waypost needs an apiKey, or the variable WAYPOST_API_KEY: way_live_…'],
    ['an empty key', { apiKey: '' }, 'Waypost needs an apiKey, or the variable WAYPOST_API_KEY: way_live_…'],
    ['a key with the line break of its file', { apiKey: `${apiKey}\n` }, `apiKey ${carries}`],
    ['a key that an editor changed', { apiKey: 'way_live_…' }, `apiKey ${carries}`],
    ['an empty sandbox key', { apiKey, sandboxKey: '' }, 'sandboxKey must be a text that is not empty'],
    ['a sandbox key on two lines', { apiKey, sandboxKey: 'a\nb' }, `sandboxKey ${carries}`],
  ])('%s', (_what, options, says) => {
    expect(() => new Waypost({ baseUrl: 'http://localhost:8080', ...options })).toThrow(new TypeError(says));
  });

  test.each([
    ['', 'idempotencyKey must be a text that is not empty'],
    ['order\n1001', `idempotencyKey ${carries}`],
    ['tellimus-õ', `idempotencyKey ${carries}`],
    [1001, 'idempotencyKey must be a text that is not empty'],
  ])('the idempotency key %j', async (key, says) => {
    const { url, requests } = await serverOf(OK);
    const { messages } = clientOf(url);
    const options = { idempotencyKey: Object([key])[0] };
    await expect(messages.push(PUSH, options)).rejects.toThrow(new TypeError(says));
    await expect(messages.pushBatch([PUSH], options)).rejects.toThrow(new TypeError(says));
    expect(requests).toHaveLength(0);
  });

  test('what cannot be sent as JSON or in a path', async () => {
    const { url, requests } = await serverOf(OK);
    const { messages } = clientOf(url);
    await expect(messages.push({ ...PUSH, reference: Object(10n) })).rejects.toThrow('BigInt');
    await expect(messages.get('')).rejects.toThrow('public_id must be a text other than ""');
    expect(requests).toHaveLength(0);
  });

  test('a secret that is not set', async () => {
    const missing: string = Object(process.env).WAYPOST_NO_SUCH_SECRET;
    const says = 'needs the secret of the endpoint: whsec_… (is its variable set?)';
    await expect(verifyWebhook('{}', {}, missing)).rejects.toThrow(new TypeError(`verifyWebhook ${says}`));
    await expect(signWebhook('{}', missing)).rejects.toThrow(new TypeError(`signWebhook ${says}`));
  });
});

describe('an error of the connection', () => {
  test('names the host', async () => {
    const server = createServer();
    const port = await listenOnFreePort(server);
    await new Promise((resolve) => server.close(resolve));
    const closed = clientOf(`http://localhost:${port}/a/`, { maxRetries: 0 });
    const refused = await failureOf(closed.recipients.get('ann@example.com'));
    expect(refused.message).toBe(`recipients.get: the connection to localhost:${port} failed (ECONNREFUSED)`);
    const { url } = await serverOf(() => {});
    const slow = await failureOf(clientOf(url, { attemptTimeoutMs: 20, maxRetries: 0 }).credits.get());
    expect(slow.message).toBe(`credits.get: no answer from ${new URL(url).host} within 20 ms`);
  });

  test('never names a person, whatever the runtime puts into its own', async () => {
    const fetch = async (url: string) => {
      throw Object.assign(new TypeError(`error sending request for url (${url})`), { code: 'ECONNREFUSED' });
    };
    const error = await failureOf(
      clientOf('http://shop.example', { fetch, maxRetries: 0 }).recipients.get('ann@example.com'),
    );
    expect(error.message).toContain('the connection to shop.example failed (ECONNREFUSED)');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/ann(@|%40)example/);
    const harmless = new TypeError('fetch failed', { cause: new Error('self-signed certificate') });
    const kept = clientOf('http://shop.example', { fetch: () => Promise.reject(harmless), maxRetries: 0 });
    expect((await failureOf(kept.recipients.get('ann@example.com'))).cause).toBe(harmless);
  });
});

describe('maxRetries', () => {
  const failing = answer(503, { error_code: 'common.unavailable' });

  test.each([0, 2])('%d: of the client, and of a call', async (maxRetries) => {
    const { url, requests } = await serverOf(failing);
    const time = stillTime();
    const { attempts } = await failureOf(clientOf(url, { time, maxRetries }).credits.get());
    expect([attempts, requests.length]).toEqual([maxRetries + 1, maxRetries + 1]);
    await failureOf(clientOf(url, { time, maxRetries: 9 }).messages.push(PUSH, { maxRetries }));
    expect(requests).toHaveLength(2 * (maxRetries + 1));
  });

  test('does not end a follower', async () => {
    const event = { id: 'e1', type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data: { endpoint_id: 'x' } };
    const page = answer(200, { items: [event], next: 'c1', has_more: false });
    const { url } = await serverOf(failing, failing, failing, page);
    for await (const { id } of clientOf(url, { time: stillTime(), maxRetries: 0 }).events.follow()) {
      expect(id).toBe('e1');
      break;
    }
  });
});

describe('where the service is', () => {
  test('is read from the environment, unless it is said', async () => {
    const [one, other] = [await serverOf(OK), await serverOf(OK)];
    vi.stubEnv('WAYPOST_BASE_URL', one.url);
    vi.stubEnv('WAYPOST_API_KEY', apiKey);
    await new Waypost().credits.get();
    expect(one.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${apiKey}`]);
    await new Waypost({ baseUrl: other.url }).credits.get();
    expect([one.requests.length, other.requests.length]).toEqual([1, 1]);
  });

  test('is needed where there is no environment', () => {
    vi.stubGlobal('process', undefined);
    try {
      expect(() => new Waypost({ apiKey })).toThrow(/^Waypost needs a baseUrl, or the variable/);
      expect(() => new Waypost()).toThrow(/^Waypost needs an apiKey, or the variable/);
      expect(new Waypost({ baseUrl: 'http://localhost:8080', apiKey })).toBeInstanceOf(Waypost);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test.each(['', '/', '/api/v1', '/api/v1/', '/shop', '/shop/api/v1/', '/api/v1/shop'])(
    'with the path %j',
    async (path) => {
      const { url, requests } = await serverOf(OK);
      await clientOf(url + path).credits.get();
      const kept = path.replace(/(\/api\/v1)?\/?$/, '');
      expect(requests[0]?.url).toBe(`${kept}/api/v1/credits`);
    },
  );

  test.each([
    '',
    'localhost:8080',
    'ftp://a.example',
    'http://',
    'http://a.example?x=1',
    'http://a.example/#x',
    'http://ann:secret@a.example',
    'http://a example',
    'http:///api/v1',
  ])('%j is refused', (baseUrl) => {
    expect(() => clientOf(baseUrl)).toThrow(/^Waypost needs a baseUrl, or the variable WAYPOST_BASE_URL/);
  });
});
