import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CATCH_UP_EVERY_MS, startCatchUp } from '../../src/connections/catchUp.ts';
import { changeConnection } from '../../src/connections/connections.ts';
import { woocommerce } from '../../src/connections/kinds/woocommerce.ts';
import { storeCall } from '../../src/connections/storeCall.ts';
import { HOUR, MINUTE } from '../../src/kit/clock.ts';
import { eventually } from '../support/waiting.ts';
import { listOrders, type StoredOrder, wooStore } from './wooStore.ts';

const order = (
  id: number | string,
  date_modified_gmt: string,
  more: Record<string, unknown> = {},
): StoredOrder => ({
  id,
  number: String(id),
  status: 'processing',
  date_modified_gmt,
  ...more,
});

const minutesLeft = (now: Date, at: Date | null): number =>
  Math.round(((at?.getTime() ?? Number.NaN) - now.getTime()) / MINUTE);

test('an order that no webhook told is found, and what one told is a repetition', async () => {
  const store = await wooStore();
  const told = order(1, store.time(), { _links: { self: [{ href: 'https://store.example/1' }] } });
  const untold = order(2, store.time(1), { billing: { first_name: 'Zoë 🎁' } });
  const body = Buffer.from(JSON.stringify({ ...told, _links: {} }));
  const call = { header: () => undefined, query: new URLSearchParams(), body };
  const { id, businessId, status } = await store.connection();
  await storeCall(
    store.pool,
    store.clock,
    { id, businessId, status },
    {
      description: woocommerce.describe(call),
      headers: {},
      body,
      isPing: false,
    },
  );
  store.orders.push(told, untold);

  await store.read();
  expect(await store.stored()).toEqual([
    expect.objectContaining({ store_order: '1' }),
    { topic: 'order.updated', store_order: '2', is_watched: true, body: untold },
  ]);
  expect(store.woken()).toBe(1);
  const { lastError, nextReadAt, readUpTo } = await store.connection();
  expect([lastError, minutesLeft(store.clock.now(), nextReadAt)]).toEqual([null, 15]);
  expect(readUpTo).not.toBeNull();
});

test('the next read comes after a quarter of an hour, and begins where the last one ended', async () => {
  const store = await wooStore();
  store.orders.push(order(1, store.time()));
  await store.read();
  await store.read();
  expect(store.requests).toHaveLength(1);

  store.advance(CATCH_UP_EVERY_MS);
  store.orders.push(order(2, store.time()));
  await store.read();
  expect(store.requests).toHaveLength(2);
  expect(await store.storedIds()).toEqual(['1', '2']);
  const [first, second] = store.requests.map(({ searchParams }) => searchParams.get('modified_after'));
  expect(second?.localeCompare(first ?? '')).toBeGreaterThanOrEqual(0);
  expect(second).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
});

test('a process that starts after a gap reads at once what changed meanwhile', async () => {
  const store = await wooStore();
  await store.read();
  store.advance(5 * HOUR);
  store.orders.push(order(1, store.time(-4 * 3_600)), order(2, store.time()));
  await store.read();
  expect(await store.storedIds()).toEqual(['1', '2']);
});

test('every page of many orders is read, even of those that were saved in one second', async () => {
  const store = await wooStore();
  const ids = Array.from({ length: 230 }, (_, index) => index + 1);
  const batch = store.time();
  store.orders.push(...ids.map((id) => order(id, id <= 160 ? batch : store.time(id / 10 - 15))));
  await store.read();
  expect((await store.storedIds()).map(Number).sort((a, b) => a - b)).toEqual(ids);
});

test('no order is missed when others change between two pages', async () => {
  const store = await wooStore();
  store.orders.push(...Array.from({ length: 120 }, (_, index) => order(index, store.time(index - 119))));
  store.orders[0] = order(500, store.time(-119));
  let pages = 0;
  store.seams.answer = (query, response) => {
    listOrders(store.orders, query, response);
    pages += 1;
    // They leave their page and come last, so that the later ones move forward by ten.
    if (pages === 1)
      for (const changed of store.orders.slice(5, 15)) changed.date_modified_gmt = store.time(1);
  };
  await store.read();
  expect(new Set(await store.storedIds()).size).toBe(120);
});

test('a turn ends after twenty pages, and the next one goes on at once', async () => {
  const store = await wooStore();
  store.orders.push(
    ...Array.from({ length: 1_050 }, (_, index) => order(index + 1, store.time(index - 1_100))),
  );
  await store.change(`read_up_to = '${new Date(store.clock.now().getTime() - HOUR).toISOString()}'`);
  await store.read();
  expect(store.requests.length).toBeGreaterThan(20);
  expect(new Set(await store.storedIds()).size).toBe(1_050);
});

test('more orders than a turn has pages for, changed in one second, are all read', async () => {
  const store = await wooStore();
  const batch = store.time(-600);
  store.orders.push(...Array.from({ length: 1_030 }, (_, index) => order(index + 1, batch)));
  await store.change(`read_up_to = '${new Date(store.clock.now().getTime() - HOUR).toISOString()}'`);
  await store.read();
  expect(new Set(await store.storedIds()).size).toBe(1_030);
});

test('an order that was being saved while its store was read is found by the next read', async () => {
  const store = await wooStore();
  store.orders.push(order(1, store.time()));
  const saved = store.time(-60);
  await store.read();
  store.advance(CATCH_UP_EVERY_MS);
  store.orders.push(order(2, saved));
  await store.read();
  expect(await store.storedIds()).toEqual(['1', '2']);
});

test('an id beyond 2^53 is stored with every digit', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) =>
    void response.end(`[{"id":9007199254740993,"status":"completed","date_modified_gmt":"${store.time()}"}]`);
  await store.read();
  expect(await store.storedIds()).toEqual(['9007199254740993']);
});

test('a store below a path is read there, and a byte order mark changes nothing', async () => {
  const store = await wooStore({ path: '/shop' });
  store.orders.push(order(1, store.time()));
  await store.read();
  expect(await store.storedIds()).toEqual(['1']);
  store.advance(CATCH_UP_EVERY_MS);
  store.seams.answer = (_, response) =>
    void response.end(`\u{feff}[${JSON.stringify(order(2, store.time()))}]`);
  await store.read();
  expect(await store.storedIds()).toEqual(['1', '2']);
});

test('an order of the future hides none of those that change before then', async () => {
  const store = await wooStore();
  store.orders.push(order(1, store.time(86_400)));
  await store.read();
  store.advance(CATCH_UP_EVERY_MS);
  store.orders.push(order(2, store.time(-600)));
  await store.read();
  expect(await store.storedIds()).toEqual(['1', '2']);
});

test.each([
  [
    401,
    'The store refused our key (401): enter a key that may read, from WooCommerce → Settings → Advanced → REST API.',
  ],
  [
    403,
    'The store refused our key (403): enter a key that may read, from WooCommerce → Settings → Advanced → REST API.',
  ],
  [
    404,
    'The store has no WooCommerce API at its address (404): check the address, and that Settings → Permalinks is not “Plain”.',
  ],
  [400, 'The store did not understand what we asked (400): bring WooCommerce up to date.'],
  [500, 'The store failed to answer (500).'],
  [418, 'The store answered 418.'],
  [204, 'The store answered 204.'],
])('a store that answers %i is shown as a sentence and read again later', async (status, sentence) => {
  const store = await wooStore();
  store.seams.answer = (_, response) => void response.writeHead(status).end();
  await store.read();
  const { lastError, nextReadAt } = await store.connection();
  expect([lastError, minutesLeft(store.clock.now(), nextReadAt)]).toEqual([sentence, 1]);
  expect(store.requests).toHaveLength(1);
});

test('a redirect is not followed, so that our key goes nowhere else', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response, request) =>
    request.url?.startsWith('/elsewhere')
      ? void response.end('[]')
      : void response.writeHead(301, { location: `http://127.0.0.1:${store.port}/elsewhere` }).end();
  await store.read();
  expect((await store.connection()).lastError).toMatch(/leads elsewhere \(301\)/);
  expect(store.requests).toHaveLength(1);
});

test.each([
  ['no JSON', '<html>Briefly unavailable for scheduled maintenance.</html>'],
  ['no list', '{"code":"rest_no_route"}'],
  ['nothing', ''],
])('an answer that is %s is shown as such', async (_, body) => {
  const store = await wooStore();
  store.seams.answer = (_query, response) => void response.end(body);
  await store.read();
  expect((await store.connection()).lastError).toBe('The store’s answer is not a list of orders.');
});

test('a list with other things in it gives the orders that are in it', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) =>
    void response.end(
      JSON.stringify([null, 5, 'x', {}, { id: 'x' }, order(1, store.time()), order(2, 'never')]),
    );
  await store.read();
  expect(await store.storedIds()).toEqual(['1', '2']);
});

test('pages that are too large are asked for in smaller ones', async () => {
  const store = await wooStore();
  const large = 'x'.repeat(300_000);
  store.orders.push(
    ...Array.from({ length: 12 }, (_, index) => order(index + 1, store.time(index - 11), { large })),
  );
  await store.read();
  expect((await store.storedIds()).sort((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: 12 }, (_, index) => String(index + 1)),
  );
  expect((await store.connection()).lastError).toBeNull();
});

test('an answer without an end is cut off', async () => {
  const store = await wooStore();
  let sent = 0;
  const megabyte = Buffer.alloc(1024 * 1024, ' ');
  store.seams.answer = (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(megabyte)) sent += 1;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  await store.read();
  expect((await store.connection()).lastError).toBe(
    'The store’s answer for a single order is larger than 2 MiB.',
  );
  expect(sent).toBeLessThan(100);
});

test('an answer that never ends is given up in time', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) => {
    response.write('[');
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  };
  await store.read({ timeoutMs: 300 });
  expect((await store.connection()).lastError).toBe('The store cannot be read: timed out after 0.3 s.');
});

test('a store that cannot be reached, or may not be, is shown as such', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) => void response.destroy();
  await store.read();
  expect((await store.connection()).lastError).toBe(
    'The store cannot be read: the connection was closed before an answer.',
  );
  await store.change(`store_url = 'http://10.0.0.1', next_read_at = now() - interval '1 hour'`);
  await store.read();
  expect((await store.connection()).lastError).toBe(
    'The store cannot be read: refused: the URL is not HTTPS.',
  );
});

test('the pauses grow to an hour after five failures in a row, and a success ends them', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) => void response.writeHead(503).end();
  const pauses: number[] = [];
  for (let failures = 0; failures < 7; failures += 1) {
    await store.read();
    const minutes = minutesLeft(store.clock.now(), (await store.connection()).nextReadAt);
    pauses.push(minutes);
    store.advance(minutes * MINUTE + MINUTE);
  }
  expect(pauses).toEqual([1, 2, 5, 15, 60, 60, 60]);
  expect(store.requests).toHaveLength(7);

  store.seams.answer = null;
  await store.read();
  const { lastError, nextReadAt } = await store.connection();
  expect([lastError, minutesLeft(store.clock.now(), nextReadAt)]).toEqual([null, 15]);
  store.seams.answer = (_, response) => void response.writeHead(503).end();
  store.advance(CATCH_UP_EVERY_MS);
  await store.read();
  expect(minutesLeft(store.clock.now(), (await store.connection()).nextReadAt)).toBe(1);
});

test.each([
  ['600', 10],
  ['999999', 60],
  ['soon', 1],
])('a store that asks for a pause of %s gets one of %i minutes', async (asked, minutes) => {
  const store = await wooStore();
  store.seams.answer = (_, response) => void response.writeHead(429, { 'retry-after': asked }).end();
  await store.read();
  const { lastError, nextReadAt } = await store.connection();
  expect(lastError).toBe('The store asked us to come back later (429).');
  expect(minutesLeft(store.clock.now(), nextReadAt)).toBe(minutes);
});

test('what was read before a failure stays, and is not read again', async () => {
  const store = await wooStore();
  store.orders.push(
    ...Array.from({ length: 80 }, (_, index) => order(index + 1, store.time(10 * index - 1_000))),
  );
  await store.change(`read_up_to = '${new Date(store.clock.now().getTime() - HOUR).toISOString()}'`);
  store.seams.answer = (query, response) =>
    store.requests.length === 2
      ? void response.writeHead(500).end()
      : listOrders(store.orders, query, response);
  await store.read();
  expect(await store.storedIds()).toHaveLength(50);
  store.advance(2 * MINUTE);
  await store.read();
  expect(new Set(await store.storedIds()).size).toBe(80);
  const [first, , third] = store.requests.map(({ searchParams }) => searchParams.get('modified_after') ?? '');
  expect(third?.localeCompare(first ?? '')).toBe(1);
});

test('several processes read a store once', async () => {
  const store = await wooStore();
  store.orders.push(...Array.from({ length: 60 }, (_, index) => order(index + 1, store.time(index - 60))));
  await Promise.all([store.read(), store.read(), store.read()]);
  await eventually(async () => expect((await store.connection()).lastError).toBeNull());
  expect(store.requests.filter(({ searchParams }) => searchParams.get('page') === '1')).toHaveLength(2);
  expect(await store.storedIds()).toHaveLength(60);
});

test('a process that stops lets another go on at once', async () => {
  const store = await wooStore();
  store.seams.answer = () => {};
  const loop = startCatchUp(store.deps);
  await eventually(() => expect(store.requests).toHaveLength(1));
  await loop.stop();
  store.seams.answer = null;
  store.orders.push(order(1, store.time()));
  await store.read();
  expect(await store.storedIds()).toEqual(['1']);
  expect((await store.connection()).lastError).toBeNull();
}, 20_000);

test('a process that dies is followed by another when its lease has ended', async () => {
  const store = await wooStore();
  store.orders.push(order(1, store.time()));
  await store.change(`next_read_at = now() + interval '5 minutes'`);
  await store.read();
  expect(store.requests).toHaveLength(0);
  store.advance(6 * MINUTE);
  await store.read();
  expect(await store.storedIds()).toEqual(['1']);
});

test('a connection that is off, or has no key, is not read', async () => {
  const store = await wooStore();
  await store.change(`status = 'off'`);
  await store.read();
  expect(store.requests).toHaveLength(0);
  await store.change(`status = 'live', credentials_sealed = null`);
  await store.read();
  expect(store.requests).toHaveLength(0);
  expect((await store.connection()).lastError).toBe('The store’s address, or a key for it, is missing.');
});

test('a connection that is switched off or gets a new address while it is read keeps that', async () => {
  const store = await wooStore();
  store.orders.push(order(1, store.time()));
  store.seams.answer = (query, response) =>
    void changeConnection(store.deps, connection, { status: 'off' }, 'operator').then(() =>
      listOrders(store.orders, query, response),
    );
  const connection = await store.connection();
  await store.read();
  expect(await store.connection()).toMatchObject({ status: 'off', nextReadAt: null, readUpTo: null });
});

test('a log line names the connection, and nothing of the store or its people', async () => {
  const store = await wooStore();
  store.seams.answer = (_, response) => void response.writeHead(500).end('zoe@customer.example');
  await store.read();
  await sleep(0);
  expect(store.logged).toEqual([
    {
      level: 'warn',
      fields: { connection: store.connectionId, failures: 1 },
      message: 'store cannot be read',
    },
  ]);
});
