import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONNECTION_KINDS } from '../../src/connections/kinds/kind.ts';
import {
  type ConnectedStore,
  connectStore,
  SECRET,
  signatureOf,
  wooOrder,
} from '../connections/connectedStore.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** What a stranger, and a store that sends anything at all, can do with the address of a connection. */
let service: TestService;
let shop: Shop;
let store: ConnectedStore;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(async () => {
  await service.close();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
beforeEach(async () => {
  shop = await service.business();
  store = await connectStore(service, shop);
});

const MiB = 1024 * 1024;
const pathOf = ({ url }: ConnectedStore): string => new URL(url).pathname;
const head = (of: ConnectedStore, headers: string): string =>
  `POST ${pathOf(of)} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** As a store signs it. */
const signed = (body: string): string =>
  `X-WC-Webhook-Signature: ${signatureOf(SECRET, body)}\r\nX-WC-Webhook-Topic: order.updated\r\n`;

describe('a stranger', () => {
  test.each(CONNECTION_KINDS)('stores nothing at a connection of %s', async (kind) => {
    const victim = await connectStore(service, shop, { kind, store_url: 'https://shop.invalid' });
    const signatures = [
      'x-wc-webhook-signature',
      'x-shopify-hmac-sha256',
      'shopify-hmac-sha256',
      'saleor-signature',
      'aftership-hmac-sha256',
      'x-hmac-signature',
      'shippo-auth-signature',
      'x-event-id',
    ];
    const guesses = ['', 'x', '=', 'null', SECRET.slice(1), 'hmac-sha256-hex=', 't=1,v1=', 'a..b', '\u00ff'];
    for (const guess of guesses) {
      const headers = Object.fromEntries(signatures.map((name) => [name, guess]));
      const query = new URLSearchParams({ token: guess });
      const response = await fetch(`${victim.url}?${query}`, { method: 'POST', headers, body: '{"id":1}' });
      expect(response.status, guess).toBe(401);
      expect(await response.text()).not.toContain(SECRET);
    }
    expect(await victim.calls()).toEqual([]);
  });

  test('with the secret of another connection stores nothing', async () => {
    const own = await connectStore(service, await service.business());
    await own.rotate('the-stranger-knows-this-one', { now: true });
    const secret = 'the-stranger-knows-this-one';
    expect((await own.send(wooOrder(), { secret })).status).toBe(200);
    expect((await own.send(wooOrder(), { secret, url: store.url })).status).toBe(401);
    expect(await store.calls()).toEqual([]);
  });

  test('who overheard a call can only repeat it, which does nothing', async () => {
    await store.send(wooOrder());
    const body = JSON.stringify(wooOrder());
    const headers = { 'x-wc-webhook-signature': signatureOf(SECRET, body) };
    for (const more of [{}, { 'x-wc-webhook-delivery-id': 'another' }])
      await fetch(store.url, {
        method: 'POST',
        body,
        headers: { ...headers, 'x-wc-webhook-topic': 'order.updated', ...more },
      });
    await fetch(store.url, { method: 'POST', body: body.replace('processing', 'cancelled'), headers });
    expect(await store.calls()).toHaveLength(1);
  });

  test('with a secret that was removed stores nothing: a connection without one takes no call', async () => {
    await store.change({ secret_sealed: null });
    for (const secret of ['', SECRET])
      expect((await store.send(wooOrder(), { secret: secret || 'x' })).status).toBe(401);
    const empty = { 'x-wc-webhook-signature': signatureOf('', '{}') };
    expect((await fetch(store.url, { method: 'POST', body: '{}', headers: empty })).status).toBe(401);
  });

  test('learns from an answer neither the shop nor its store', async () => {
    const unknown = await fetch(`${service.url}/connect/woocommerce/${'a'.repeat(24)}`, { method: 'POST' });
    const wrong = await fetch(store.url, { method: 'POST', body: '{}' });
    for (const response of [unknown, wrong]) {
      const shown = JSON.stringify([...response.headers]) + (await response.text());
      expect(shown).not.toContain(shop.businessId);
      expect(shown).not.toContain(store.id);
    }
  });

  test('who sends large bodies leaves room for the pushes of the shop', async () => {
    const connections = await Promise.all(Array.from({ length: 60 }, () => openRawConnection(service.url)));
    for (const { send } of connections) send(head(store, `Content-Length: ${MiB}\r\n`) + ' '.repeat(MiB / 2));
    expect((await shop.push()).status).toBe(201);
    for (const { destroy } of connections) destroy();
  });

  test('leaves nothing of a call in the log', async () => {
    await store.send(wooOrder({ billing: { email: 'canary.moth@example.com' } }));
    await fetch(`${store.url}?token=canary-token`, { method: 'POST', body: 'canary.moth@example.com' });
    const lines = JSON.stringify(service.logged);
    for (const text of ['canary', SECRET, signatureOf(SECRET, '')]) expect(lines).not.toContain(text);
  });
});

describe('a body', () => {
  test.each([
    ['of 2 MiB', `Content-Length: ${2 * MiB}\r\n`, ' '.repeat(2 * MiB), 413],
    [
      'of 2 MiB in chunks',
      'Transfer-Encoding: chunked\r\n',
      `200000\r\n${' '.repeat(2 * MiB)}\r\n0\r\n\r\n`,
      413,
    ],
    ['that announces less than nothing', 'Content-Length: -1\r\n', '', 400],
    ['with two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n', 'ab', 400],
    ['with a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n', 400],
    ['of chunks that are none', 'Transfer-Encoding: chunked\r\n', 'zz\r\n', 400],
    ['that is compressed', 'Content-Encoding: gzip\r\nContent-Length: 2\r\n', 'ab', 401],
    ['of another type', 'Content-Type: text/odd; x="y\r\nContent-Length: 2\r\n', 'ab', 401],
    ['of a type that is none', 'Content-Type: nothing of this\r\nContent-Length: 2\r\n', 'ab', 415],
    ['that is missing', '', '', 401],
  ])('%s is refused', async (_, headers, body, status) => {
    const connection = await openRawConnection(service.url);
    connection.send(head(store, headers));
    connection.send(body);
    await connection.until(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(await store.calls()).toEqual([]);
  });

  test('whose sender hangs up in the middle is not stored', async () => {
    const body = JSON.stringify(wooOrder());
    const connection = await openRawConnection(service.url);
    connection.send(head(store, `${signed(body)}Content-Length: ${body.length}\r\n`) + body.slice(0, 40));
    connection.destroy();
    expect((await store.send(wooOrder({ id: 2 }))).status).toBe(200);
    expect(await store.calls()).toHaveLength(1);
  });

  test('whose sender hangs up before the answer is done once when it comes again', async () => {
    const body = JSON.stringify(wooOrder());
    const connection = await openRawConnection(service.url);
    connection.send(head(store, `${signed(body)}Content-Length: ${body.length}\r\n`) + body);
    connection.destroy();
    expect((await store.send(wooOrder())).status).toBe(200);
    expect(await store.calls()).toHaveLength(1);
  });
});

const DEEP = 100_000;
const HOSTILE_BODIES: [string, string][] = [
  ['nothing', ''],
  ['no JSON', '{"id": 1'],
  ['a number', '1e999'],
  ['null', 'null'],
  ['a list', '[{"id": 1}]'],
  ['an id of 10,000 characters', JSON.stringify({ id: '9'.repeat(10_000) })],
  ['an id of 10,000 digits', `{"id": ${'9'.repeat(10_000)}}`],
  ['an id beyond 2^53', '{"id": 9007199254740993}'],
  ['an id with a NUL', '{"id": "1\\u00002"}'],
  ['an id that is half a character', '{"id": "\\ud800"}'],
  ['an id that is an object', '{"id": {"toString": 1}}'],
  ['a prototype', '{"__proto__": {"id": 1}, "constructor": {"prototype": 1}, "id": 5}'],
  ['keys twice', '{"id": 1, "id": 2, "status": "a", "status": "b"}'],
  ['lists 100,000 deep', '['.repeat(DEEP) + ']'.repeat(DEEP)],
  ['objects 100,000 deep', `${'{"id":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
  ['1,000 lines', JSON.stringify(wooOrder({ line_items: Array(1_000).fill({ name: 'Mug', quantity: 1 }) }))],
  [
    'names of markup',
    JSON.stringify(wooOrder({ billing: { first_name: `<script>"'</script>\r\n\u0000\u202e` } })),
  ],
  ['every plane of Unicode', JSON.stringify(wooOrder({ id: '𝟜⁠é️‏', note: '👩‍👩‍👧‍👦\u{10ffff}' }))],
  ['bytes that are no text', '{"id": "\u00ff\u0080\u0000"}'],
];

describe('a signed call', () => {
  test.each(HOSTILE_BODIES)('with %s is answered 200 and stored as it is', async (name, text) => {
    const body = Buffer.from(text, name === 'bytes that are no text' ? 'latin1' : 'utf8');
    for (const kind of ['woocommerce', 'shopify'] as const) {
      const hostile = await connectStore(service, shop, { kind });
      expect((await hostile.send(null, { body })).status).toBe(200);
      expect((await hostile.send(null, { body })).status).toBe(200);
      const calls = await hostile.calls();
      // Shopify names each delivery.
      expect(calls).toHaveLength(kind === 'shopify' ? 2 : 1);
      for (const call of calls) expect(Buffer.isBuffer(call.body) && body.equals(call.body)).toBe(true);
    }
  });

  test.each(['x-shopify-webhook-id', 'x-shopify-topic', 'x-shopify-triggered-at', 'x-shopify-test'])(
    'with an odd %s is answered 200',
    async (name) => {
      const shopify = await connectStore(service, shop, { kind: 'shopify' });
      const values = ['', ' ', 'x'.repeat(10_000), '\u00ff\u0080', '"\\\'', '%00', '{}'];
      for (const [id, value] of values.entries())
        expect((await shopify.send({ id }, { headers: { [name]: value } })).status, value).toBe(200);
      expect(await shopify.calls()).toHaveLength(values.length);
    },
  );

  test('with a NUL in a header or in the path is no request', async () => {
    const body = JSON.stringify(wooOrder());
    for (const name of ['X-WC-Webhook-Topic', 'X-WC-Webhook-Source', 'X-WC-Webhook-Delivery-ID']) {
      const connection = await openRawConnection(service.url);
      connection.send(
        head(store, `${signed(body)}${name}: a\0b\r\nContent-Length: ${body.length}\r\n`) + body,
      );
      await connection.until(/^HTTP\/1\.1 400 /);
    }
    for (const path of [`/connect/woocommerce%00/${store.id}`, `/connect/woocommerce/%00${store.id}`])
      expect((await store.send(wooOrder(), { url: service.url + path })).status).toBe(404);
    for (const query of ['?token=%00', '?token=a&token=b', `?${'a'.repeat(10_000)}`, '?%ff=%zz'])
      expect((await store.send(wooOrder(), { url: store.url + query })).status).toBe(200);
    expect(await store.calls()).toHaveLength(1);
  });

  test('names orders exactly, past the numbers that JavaScript can count', async () => {
    await store.send(null, { body: '{"id": 9007199254740993}' });
    await store.send(null, { body: '{"id": 9007199254740992}' });
    const ids = (await store.calls()).map(({ store_order }) => store_order);
    expect(ids).toEqual(['9007199254740993', '9007199254740992']);
  });
});
