import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier, MINUTE } from '../../src/kit/clock.ts';
import { at } from '../../src/kit/json.ts';
import { freePort } from '../support/freePort.ts';
import { type SaleorKeys, saleorEvent, saleorHmac, saleorKeys } from '../support/saleorCalls.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { nudgesOf, type PlayedStore, playStore, type Sign, shipmentsOf, toldBy } from './playedStore.ts';

/** What customers of a shop hear of what happens in its Saleor store. */
let service: TestService;
let shop: Shop;
let port: number;
let saleor: Server;
/** What the store publishes; null: it answers 502. */
let published: unknown;
let keys: SaleorKeys;
beforeAll(async () => {
  port = await freePort();
  saleor = createServer((request, response) => {
    const isFound = request.url === '/.well-known/jwks.json' && published !== null;
    response.writeHead(isFound ? 200 : 502, { 'content-type': 'application/json' });
    response.end(isFound ? JSON.stringify(published) : '{}');
  });
  await new Promise<void>((resolve) => {
    saleor.listen(port, '127.0.0.1', resolve);
  });
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  await service.close();
  saleor.close();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
beforeEach(async () => {
  shop = await service.business();
  keys = saleorKeys('one');
  published = keys.jwks;
});

let stores = 0;

/** A path of its own, so that no store has another's keys. */
const connect = (sign: Sign, flags: readonly string[] = []): Promise<PlayedStore> => {
  stores += 1;
  return playStore(service, shop, {
    kind: 'saleor',
    sign,
    flags: ['--store', `http://127.0.0.1:${port}/store-${stores}`, ...flags],
    variables: { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` },
  });
};
const withHmac = () =>
  connect((body, secret) => ({ 'saleor-signature': saleorHmac(secret, body) }), ['--secret', 'of the store']);

const ago = (minutes: number): string => earlier(service.clock.now(), minutes * MINUTE).toISOString();
const confirmed = (order = {}, minutes = 9) => saleorEvent('OrderConfirmed', { at: ago(minutes), order });
const fulfilled = (
  typename: string,
  { minutes = 5, ...more }: { minutes?: number; notifyCustomer?: boolean; fulfillment?: object } = {},
) =>
  saleorEvent(typename, {
    at: ago(minutes),
    order: { status: 'FULFILLED' },
    ...more,
    fulfillment: { ...more.fulfillment },
  });
const CREATED = { notifyCustomer: true };

describe('an order', () => {
  let store: PlayedStore;
  beforeEach(async () => {
    store = await withHmac();
  });

  test('is confirmed, shipped with its number, cancelled, and refunded, each once', async () => {
    expect(await store.hear(confirmed())).toBe('pushed');
    expect(await store.hear(fulfilled('FulfillmentCreated', CREATED))).toBe('pushed');
    const order = { status: 'CANCELED' };
    expect(await store.hear(saleorEvent('OrderCancelled', { at: ago(3), order }))).toBe('pushed');
    expect(await store.hear(saleorEvent('OrderFullyRefunded', { at: ago(2), order }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 81', 'shipped 81', 'cancelled 81', 'refunded 81']);
    expect(await shipmentsOf(shop, '81')).toEqual([['CC100', null, null]]);
    expect((await nudgesOf(service, shop, 4)).map(({ to }) => to)).toContain('mari@example.com');
  });

  test('is told in the language of its customer', async () => {
    await store.hear(confirmed());
    expect((await nudgesOf(service, shop, 1))[0]?.subject).toMatch(/tellimus/i);
  });

  test('is told once although its call comes twice', async () => {
    const body = confirmed();
    expect([await store.send(body), await store.send(body)]).toEqual([200, 200]);
    expect(await store.handled()).toHaveLength(1);
    expect(await toldBy(shop)).toEqual(['confirmed 81']);
  });

  test('that is shipped when it is first heard of is not confirmed any more', async () => {
    expect(await store.hear(fulfilled('FulfillmentCreated', CREATED))).toBe('pushed');
    expect(await store.hear(confirmed())).toMatch(/^nothing_to_tell/);
    expect(await toldBy(shop)).toEqual(['shipped 81']);
  });

  test('may be wrapped in "event", and named by the header alone', async () => {
    const { __typename, ...event } = confirmed();
    expect(await store.hear({ event }, { 'saleor-event': 'order_confirmed' })).toBe('pushed');
    expect(await store.log()).toMatchObject([{ topic: 'ORDER_CONFIRMED', order: '81' }]);
  });

  test('is told by the table of its connection', async () => {
    await store.set('--statuses', 'ORDER_CONFIRMED=,FULFILLMENT_CREATED=delayed');
    expect(await store.hear(confirmed())).toBe('nothing_to_tell status_not_told');
    expect(await store.hear(fulfilled('FulfillmentCreated', CREATED))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['delayed 81']);
  });

  test('texts only where the metadata of the order permits it', async () => {
    const rich = await service.business({ credits: 5, smsMode: 'on_request' });
    shop = rich;
    const texting = await withHmac();
    await texting.set('--channels', 'confirmed=sms', '--phone', 'if_consented', '--consent-field', 'sms-ok');
    await texting.hear(confirmed({ metadata: [{ key: 'marketing', value: 'yes' }] }));
    await nudgesOf(service, rich, 1);
    const texts = await capturedMessages(service.url, { channel: 'sms' });
    expect(texts.filter(({ business_id }) => business_id === rich.businessId)).toEqual([]);
    const metadata = [{ key: 'sms-ok', value: 'true' }];
    await texting.hear(confirmed({ id: 'T3JkZXI6Mg==', number: '82', metadata }));
    await nudgesOf(service, rich, 1, 'sms');
  });

  test.each([
    ['no address', { userEmail: null }, 'nothing_to_tell no_email'],
    ['no number', { number: null }, 'not_understood no_order_number'],
    ['no id', { id: null }, 'not_understood no_order_id'],
  ])('with %s is not told', async (_, order, heard) => {
    expect(await store.hear(confirmed(order))).toBe(heard);
    expect(await toldBy(shop)).toEqual([]);
  });
});

describe('a fulfilment', () => {
  let store: PlayedStore;
  beforeEach(async () => {
    store = await withHmac();
    await store.hear(confirmed());
  });

  test.each(['FulfillmentCreated', 'FulfillmentApproved'])(
    'of which nobody is to be notified is told to nobody: %s',
    async (typename) => {
      expect(await store.hear(fulfilled(typename, { notifyCustomer: false }))).toBe('nothing_to_tell quiet');
      await service.advance({ minutes: 5 });
      expect(await toldBy(shop)).toEqual(['confirmed 81']);
      await nudgesOf(service, shop, 1);
    },
  );

  test('that is created and then approved is told once', async () => {
    expect(await store.hear(fulfilled('FulfillmentCreated', CREATED))).toBe('pushed');
    expect(await store.hear(fulfilled('FulfillmentApproved', { ...CREATED, minutes: 4 }))).toBe(
      'nothing_to_tell already_told',
    );
    expect(await toldBy(shop)).toEqual(['confirmed 81', 'shipped 81']);
    await nudgesOf(service, shop, 2);
  });

  test('that waits for approval is told when it is approved', async () => {
    const fulfillment = { status: 'WAITING_FOR_APPROVAL' };
    expect(await store.hear(fulfilled('FulfillmentCreated', { ...CREATED, fulfillment }))).toMatch(
      /^nothing_to_tell/,
    );
    expect(await store.hear(fulfilled('FulfillmentApproved', { ...CREATED, minutes: 4 }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 81', 'shipped 81']);
  });

  test('that gets its number later shows it, without another mail', async () => {
    await store.hear(fulfilled('FulfillmentCreated', { ...CREATED, fulfillment: { trackingNumber: '' } }));
    expect(await shipmentsOf(shop, '81')).toEqual([]);
    expect(await store.hear(fulfilled('FulfillmentTrackingNumberUpdated', { minutes: 3 }))).toBe(
      'pushed quiet',
    );
    expect(await shipmentsOf(shop, '81')).toEqual([['CC100', null, null]]);
    expect(await toldBy(shop)).toEqual(['confirmed 81', 'shipped 81']);
    await nudgesOf(service, shop, 2);
  });

  test('whose order stands in it, or that stands in its order, is found', async () => {
    const { order, ...event } = fulfilled('FulfillmentCreated', CREATED);
    const fulfillment = { ...event.fulfillment, order };
    expect(await store.hear({ ...event, fulfillment })).toBe('pushed');
    const other = fulfilled('FulfillmentCreated', CREATED);
    const { fulfillment: own, ...rest } = other;
    const id = 'T3JkZXI6Mg==';
    const inOrder = { ...rest, order: { ...other.order, id, number: '82', fulfillments: [own] } };
    expect(await store.hear(inOrder)).toBe('pushed');
    expect(await shipmentsOf(shop, '82')).toEqual([['CC100', null, null]]);
  });
});

describe('a signature', () => {
  test.each(['new', 'old'] as const)('of the store’s key is read in the %s form', async (form) => {
    const store = await connect((body) => ({ 'saleor-signature': keys.sign(body, form) }));
    expect(store.added).toMatchObject({ secret: null });
    expect(await store.hear(confirmed())).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 81']);
  });

  test('of a key that the store has published since is read', async () => {
    const store = await connect((body) => ({ 'saleor-signature': keys.sign(body) }));
    expect(await store.hear(confirmed())).toBe('pushed');
    keys = saleorKeys('two');
    published = keys.jwks;
    expect(await store.hear(fulfilled('FulfillmentCreated', CREATED))).toBe('pushed');
  });

  test('of another key, of another body, and none are refused, and nothing is stored', async () => {
    const stranger = saleorKeys('one');
    const store = await connect((body) => ({ 'saleor-signature': stranger.sign(body) }));
    expect(await store.send(confirmed())).toBe(401);
    const other = keys.sign(Buffer.from('{}'));
    expect(await store.send(confirmed(), { 'saleor-signature': other })).toBe(401);
    expect(await store.send(confirmed(), { 'saleor-signature': '' })).toBe(401);
    expect(await store.log()).toEqual([]);
  });

  test('that cannot be checked because the store is away is 503, and the retry is told', async () => {
    const store = await connect((body) => ({ 'saleor-signature': keys.sign(body) }));
    published = null;
    const body = confirmed();
    expect(await store.send(body)).toBe(503);
    expect(await store.log()).toEqual([]);
    expect(String((await store.listed()).last_error)).toMatch(/public keys.*could not be read/);
    published = keys.jwks;
    // The store is left alone for some seconds of the wall clock.
    await expect.poll(() => store.send(body), { interval: 500 }).toBe(200);
    await store.handled();
    expect(await toldBy(shop)).toEqual(['confirmed 81']);
    expect((await store.listed()).last_error).toBeNull();
  });
});

test('the query is given in Saleor’s own names, and a store is needed', async () => {
  const store = await withHmac();
  expect(at(store.added, 'query')).toMatch(/^subscription \{\s+event \{/);
  await expect(
    store.cli.json('connection', 'add', shop.businessId, 'saleor', '--secret', 'x'),
  ).rejects.toThrow(/--store URL/);
});
