import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier, SECOND } from '../../src/kit/clock.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { type ConnectedStore, connectStore, SECRET, signatureOf, wooOrder } from './connectedStore.ts';

/** What a store that calls us is answered, and what is kept of its calls. */
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

const NEW_SECRET = 'p0o9i8u7y6t5r4e3w2q1a2s3d4f5g6h7';
const heardOf = async (of = store): Promise<Date | null> =>
  (await service.pool.query('select last_received_at as at from connections where id = $1', [of.id])).rows[0]
    .at;
const counted = async (outcome: string, kind = 'woocommerce'): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = `waypost_connection_calls_total{kind="${kind}",outcome="${outcome}"}`;
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')[1] ?? 0,
  );
};

describe('a signed call', () => {
  test('is answered an empty 200, and stored as it came, to be handled', async () => {
    const body = `{"id": 4711, "note": "\\u00e4 \\/ ✓"}`;
    const answer = await store.send(null, { body });
    expect(answer).toMatchObject({ status: 200, text: '' });
    const [call, ...others] = await store.calls();
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      business_id: shop.businessId,
      topic: 'order.updated',
      store_order: '4711',
      is_watched: true,
      body: Buffer.from(body),
      attempts: 0,
      outcome: null,
      due_at: expect.any(Date),
    });
    expect(await heardOf()).toBeInstanceOf(Date);
  });

  test('is stored with the headers that its kind reads, and no other', async () => {
    const shopify = await connectStore(service, shop, { kind: 'shopify' });
    const at = '2026-08-20T09:05:00.000000001Z';
    await shopify.send({ id: 1 }, { headers: { 'x-shopify-triggered-at': at, 'x-other': 'not kept' } });
    await shopify.send({ id: 2 }, { headers: { 'x-shopify-triggered-at': at.repeat(100) } });
    expect((await shopify.calls()).map(({ headers }) => headers)).toEqual([
      { 'x-shopify-triggered-at': at },
      {},
    ]);
  });

  test('of a live connection is not watched', async () => {
    await store.change({ status: 'live' });
    await store.send(wooOrder());
    expect(await store.calls()).toMatchObject([{ is_watched: false }]);
  });

  test('is stored once, however often and however much at once it comes', async () => {
    const before = await counted('repeated');
    const answers = await Promise.all([1, 2, 3, 4].map(() => store.send(wooOrder())));
    answers.push(await store.send(wooOrder()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await store.calls()).toHaveLength(1);
    expect((await counted('repeated')) - before).toBe(4);
  });

  test('is stored beside others that come at the same moment', async () => {
    const orders = Array.from({ length: 60 }, (_, index) => wooOrder({ id: 5_000 + index }));
    const answers = await Promise.all(orders.map((order) => store.send(order)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await store.calls()).toHaveLength(60);
  });

  test('may be as large as 1,048,576 bytes, and not a byte more', async () => {
    const most = Buffer.alloc(1_048_576, ' ');
    most.write('{"id": 1}');
    expect(await store.send(null, { body: most })).toMatchObject({ status: 200 });
    expect(await store.send(null, { body: Buffer.concat([most, Buffer.from(' ')]) })).toMatchObject({
      status: 413,
    });
    expect(await store.calls()).toHaveLength(1);
  });

  test('has the time of the last call noted every ten seconds only', async () => {
    await store.send(wooOrder({ status: 'a' }));
    const first = await heardOf();
    await store.send(wooOrder({ status: 'b' }));
    expect(await heardOf()).toEqual(first);
    await store.change({ last_received_at: earlier(service.clock.now(), 11 * SECOND) });
    await store.send(wooOrder({ status: 'c' }));
    expect(Number(await heardOf())).toBeGreaterThan(Date.now() - 5_000);
  });
});

describe('nothing is stored', () => {
  const refused = async (send: () => Promise<{ status: number }>, status: number) => {
    expect((await send()).status).toBe(status);
    expect(await store.calls()).toEqual([]);
    expect(await heardOf()).toBeNull();
  };

  test('of a call with a wrong signature: 401, and it is counted', async () => {
    const before = await counted('refused');
    await refused(() => store.send(wooOrder(), { secret: 'another' }), 401);
    await refused(() => store.send(wooOrder(), { headers: { 'x-wc-webhook-signature': '' } }), 401);
    await refused(() => fetch(store.url, { method: 'POST', body: 'webhook_id=1&x=2' }), 401);
    await refused(() => fetch(store.url, { method: 'POST' }), 401);
    expect((await counted('refused')) - before).toBe(4);
  });

  test('of a call whose signature is there twice', async () => {
    const body = JSON.stringify(wooOrder());
    const signature = `X-WC-Webhook-Signature: ${signatureOf(SECRET, body)}\r\n`;
    const connection = await openRawConnection(service.url);
    connection.send(
      `POST ${new URL(store.url).pathname} HTTP/1.1\r\nHost: x\r\n${signature}${signature}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await connection.until(/^HTTP\/1\.1 401 /);
    expect(await store.calls()).toEqual([]);
  });

  test('while the connection is off: 200', async () => {
    await store.change({ status: 'off' });
    await refused(() => store.send(wooOrder()), 200);
  });

  test('where there is no such connection: 404, which is the answer before the body is read', async () => {
    const urls = [
      `${service.url}/connect/shopify/${store.id}`,
      `${service.url}/connect/nothing/${store.id}`,
      `${service.url}/connect/woocommerce/${store.id.slice(1)}`,
      `${service.url}/connect/woocommerce/${store.id.toUpperCase()}`,
      `${service.url}/connect/woocommerce/${store.id}%00`,
      `${service.url}/connect/woocommerce/${'a'.repeat(10_000)}`,
      `${service.url}/connect/constructor/${store.id}`,
    ];
    for (const url of urls) await refused(() => store.send(wooOrder(), { url }), 404);
    await refused(() => store.send(null, { url: urls[0] ?? '', body: Buffer.alloc(2 ** 21) }), 404);
  });

  test('of any other method', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
      expect((await fetch(store.url, { method })).status, method).toBe(404);
  });
});

describe('the ping of a store that was just told our address', () => {
  const ping = (body = 'webhook_id=12') =>
    fetch(store.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });

  test('is answered 200 and stored as done, and shows that the store has found us', async () => {
    expect((await ping()).status).toBe(200);
    expect((await ping()).status).toBe(200);
    expect(await store.calls()).toMatchObject([
      { topic: 'ping', outcome: 'nothing_to_tell', reason: 'ping', due_at: null, store_order: null },
    ]);
    expect(await heardOf()).toBeInstanceOf(Date);
  });

  test('is answered 200 while the connection is off, too', async () => {
    await store.change({ status: 'off' });
    expect((await ping()).status).toBe(200);
    expect(await store.calls()).toEqual([]);
  });
});

describe('after a rotation', () => {
  test('the old secret counts for an hour', async () => {
    await store.rotate(NEW_SECRET);
    expect(await store.send(wooOrder({ status: 'a' }))).toMatchObject({ status: 200 });
    expect(await store.send(wooOrder({ status: 'b' }), { secret: NEW_SECRET })).toMatchObject({
      status: 200,
    });
    // Nothing handles calls here, and the clock would wait for it.
    const handled = 'update connection_calls set due_at = null';
    await service.pool.query(handled);
    await service.advance({ minutes: 59 });
    expect(await store.send(wooOrder({ status: 'c' }))).toMatchObject({ status: 200 });
    await service.pool.query(handled);
    await service.advance({ minutes: 2 });
    expect(await store.send(wooOrder({ status: 'd' }))).toMatchObject({ status: 401 });
    expect(await store.send(wooOrder({ status: 'd' }), { secret: NEW_SECRET })).toMatchObject({
      status: 200,
    });
    expect(await store.calls()).toHaveLength(4);
  });

  test('with --now, the old secret counts no more, from the next call on', async () => {
    expect(await store.send(wooOrder({ status: 'a' }))).toMatchObject({ status: 200 });
    await store.rotate(NEW_SECRET, { now: true });
    expect(await store.send(wooOrder({ status: 'b' }))).toMatchObject({ status: 401 });
    expect(await store.send(wooOrder({ status: 'b' }), { secret: NEW_SECRET })).toMatchObject({
      status: 200,
    });
  });

  test('a call whose body comes slowly is checked with the secret of the end', async () => {
    const body = JSON.stringify(wooOrder());
    const connection = await openRawConnection(service.url);
    connection.send(
      `POST ${new URL(store.url).pathname} HTTP/1.1\r\nHost: x\r\nX-WC-Webhook-Signature: ${signatureOf(SECRET, body)}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await store.rotate(NEW_SECRET, { now: true });
    connection.send(body.slice(10));
    await connection.until(/^HTTP\/1\.1 401 /);
    expect(await store.calls()).toEqual([]);
  });
});

test('a removed connection answers 404 from the next call on, and nothing of its calls is left', async () => {
  expect(await store.send(wooOrder())).toMatchObject({ status: 200 });
  await store.remove();
  expect(await store.send(wooOrder({ status: 'completed' }))).toMatchObject({ status: 404 });
  expect(await store.calls()).toEqual([]);
});

test('of a store that keeps calling while its connection is removed, nothing is left', async () => {
  let calls = 0;
  let isRemoved = false;
  const keepCalling = async () => {
    while (!isRemoved) {
      calls += 1;
      await store.send(wooOrder({ id: calls }));
    }
  };
  const calling = Array.from({ length: 8 }, keepCalling);
  await eventually(async () => expect((await store.calls()).length).toBeGreaterThan(20));
  await store.remove();
  isRemoved = true;
  await Promise.all(calling);
  expect(await store.calls()).toEqual([]);
});

test('a call that arrives while its connection is being deleted is not stored after it', async () => {
  const remover = await service.pool.connect();
  await remover.query('begin');
  await remover.query('delete from connections where id = $1', [store.id]);
  const sent = store.send(wooOrder());
  await new Promise((resolve) => setTimeout(resolve, 300));
  await remover.query('commit');
  remover.release();
  expect((await sent).status).toBe(200);
  expect(await store.calls()).toEqual([]);
});

test('two shops with the same secret and the same order have a call each', async () => {
  const other = await connectStore(service, await service.business());
  await Promise.all([store.send(wooOrder()), other.send(wooOrder())]);
  expect(await store.calls()).toMatchObject([{ business_id: store.businessId }]);
  expect(await other.calls()).toMatchObject([{ business_id: other.businessId }]);
});

test('one action of a Shopify store comes by several deliveries, each of which is stored', async () => {
  const shopify = await connectStore(service, shop, { kind: 'shopify' });
  const headers = { 'x-shopify-event-id': 'one action' };
  await shopify.send({ id: 1 }, { headers });
  await shopify.send({ id: 1 }, { headers });
  await shopify.send({ id: 1 }, { headers: { ...headers, 'x-shopify-webhook-id': 'again' } });
  await shopify.send({ id: 1 }, { headers: { ...headers, 'x-shopify-webhook-id': 'again' } });
  expect(await shopify.calls()).toHaveLength(3);
});

test('a call that only the store’s public keys can prove is put off while they cannot be read, and the shop sees why', async () => {
  const saleor = await connectStore(service, shop, {
    kind: 'saleor',
    secret_sealed: null,
    store_url: 'https://saleor.invalid',
  });
  const head = Buffer.from('{"alg":"RS256","kid":"1","b64":false,"crit":["b64"]}').toString('base64url');
  const answer = await saleor.send({}, { headers: { 'saleor-signature': `${head}..${'A'.repeat(342)}` } });
  expect(answer.status).toBe(503);
  expect(await saleor.calls()).toEqual([]);
  const { rows } = await service.pool.query('select last_error from connections where id = $1', [saleor.id]);
  expect(rows).toMatchObject([{ last_error: expect.stringContaining('could not be read') }]);
});

test('a store may call as often as a key of its shop, and is told when to come again', async () => {
  const limited = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
  try {
    const crowded = await limited.business();
    const busy = await connectStore(limited, crowded);
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      const answer = await busy.send(wooOrder({ status: String(call) }));
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses).toContain(429);
    // Its pushes and another shop's store have limits of their own.
    expect((await crowded.push()).status).toBe(201);
    const other = await connectStore(limited, await limited.business());
    expect((await other.send(wooOrder())).status).toBe(200);
  } finally {
    await limited.close();
  }
});
