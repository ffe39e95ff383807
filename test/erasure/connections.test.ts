import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConnectedStore, connectStore, wooOrder } from '../connections/connectedStore.ts';
import { insertRow } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { completeErasure, EMPTY_REPORT } from './erasureService.ts';
import { tracesInDatabase } from './traces.ts';

/** What an erasure leaves of what a connected store told of a person. */
let service: TestService;
let shop: Shop;
let store: ConnectedStore;
beforeAll(async () => {
  // Without a worker, a test says itself what was understood of a call.
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
  store = await connectStore(service, shop);
});

const EMAIL = 'canary.lemur@example.com';
const CANARY = [{ name: 'address', text: EMAIL }];
const order = (id: number, email: string) => wooOrder({ id, billing: { email } });

const understood = (storeOrder: number, email: string | null, columns: Record<string, unknown> = {}) =>
  Promise.all(
    Object.entries({ order_number: String(storeOrder), email, due_at: null, ...columns }).map(
      ([column, value]) =>
        service.pool.query(
          `update connection_calls set ${column} = $3 where connection_id = $1 and store_order = $2`,
          [store.id, String(storeOrder), value],
        ),
    ),
  );

const known = (storeOrder: number, email: string | null, facts: object) =>
  insertRow(service.pool, 'connection_orders', {
    business_id: shop.businessId,
    connection_id: store.id,
    store_order: String(storeOrder),
    order_number: String(storeOrder),
    email,
    known: facts,
    revision: 'r',
    updated_at: service.clock.now(),
  });

const left = async (table: string): Promise<unknown[]> =>
  (
    await service.pool.query(
      `select store_order from ${table} where business_id = $1 order by connection_id, store_order`,
      [shop.businessId],
    )
  ).rows.map(({ store_order }) => store_order);

test('the calls and orders of the person go, and those of others stay', async () => {
  for (const [id, email] of [[1, EMAIL] as const, [2, 'bob@example.com'] as const]) {
    await store.send(order(id, email));
    await understood(id, email, { would_push: JSON.stringify([{ recipient_email: email }]) });
    await known(id, email, { order: { email } });
  }
  await shop.pushed({ recipient_email: EMAIL });
  expect(await tracesInDatabase(service.pool, CANARY)).toEqual(
    expect.arrayContaining([
      'connection_calls.body: address',
      'connection_calls.would_push: address',
      'connection_orders.known: address',
    ]),
  );
  await completeErasure(shop, EMAIL);
  expect(await tracesInDatabase(service.pool, CANARY)).toEqual([]);
  expect(await left('connection_calls')).toEqual(['2']);
  expect(await left('connection_orders')).toEqual(['2']);
});

test('so do those of an address that was never sent anything, while the connection was watching', async () => {
  await store.send(order(1, EMAIL));
  await understood(1, EMAIL);
  await known(1, EMAIL, { order: { email: EMAIL } });
  expect(await completeErasure(shop, EMAIL)).toEqual(EMPTY_REPORT);
  expect(await left('connection_calls')).toEqual([]);
  expect(await left('connection_orders')).toEqual([]);
});

test.each([
  ['as it is', EMAIL, (text: string) => text],
  ['in another case', 'Canary.Lemur@EXAMPLE.com', (text: string) => text],
  ['as a form has it', EMAIL, (text: string) => text.replaceAll('@', '%40')],
  [
    'in a text that is no UTF-8',
    EMAIL,
    (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0])]),
  ],
])('a call that nobody has understood goes if it has the address %s', async (_, written, made) => {
  const body = made(JSON.stringify(order(7, written)));
  await store.send(null, { body: typeof body === 'string' ? body : Buffer.from(body) });
  await store.send(order(8, 'canary.lemur@example.org'));
  await completeErasure(shop, EMAIL);
  expect(await left('connection_calls')).toEqual(['8']);
});

test('an address with an international domain is found as the store wrote it', async () => {
  const escaped = JSON.stringify(order(1, 'ann@bücher.example')).replace('ü', '\\u00fc');
  await store.send(null, { body: escaped });
  await store.send(order(2, 'ann@bücher.example'));
  await store.send(order(3, 'ann@bucher.example'));
  await completeErasure(shop, 'ann@xn--bcher-kva.example');
  expect(await left('connection_calls')).toEqual(['3']);
});

test('calls that name no address go with the order that does', async () => {
  await store.send(order(1, EMAIL));
  await understood(1, EMAIL);
  await known(1, EMAIL, {});
  await store.send({ id: 1, deleted: true });
  await store.send({ id: 2, deleted: true });
  await completeErasure(shop, EMAIL);
  expect(await left('connection_calls')).toEqual(['2']);
});

test('an order whose address no mail could be sent to goes by what is known of it', async () => {
  await known(1, null, { order: { isTest: true, email: 'Canary.Lemur@example.com' } });
  await known(2, null, { order: { isTest: true, email: 'bob@example.com' } });
  await completeErasure(shop, EMAIL);
  expect(await left('connection_orders')).toEqual(['2']);
});

test('tracking services are no longer asked about the person’s shipments', async () => {
  const registered = (tracking_number: string) =>
    insertRow(service.pool, 'tracking_registrations', {
      business_id: shop.businessId,
      connection_id: store.id,
      tracking_number,
      created_at: service.clock.now(),
    });
  const shipment = (tracking_number: string) => ({ tracking_number, carrier: 'Omniva' });
  await shop.pushed({ recipient_email: EMAIL, reference: 'A', shipment: shipment('LEMUR1') });
  await shop.pushed({ recipient_email: 'bob@example.com', reference: 'B', shipment: shipment('BOB1') });
  await registered('LEMUR1');
  await registered('BOB1');
  await completeErasure(shop, EMAIL);
  const { rows } = await service.pool.query(
    'select tracking_number from tracking_registrations where business_id = $1',
    [shop.businessId],
  );
  expect(rows).toEqual([{ tracking_number: 'BOB1' }]);
});

test('another shop’s calls about the same person stay', async () => {
  const other = await connectStore(service, await service.business());
  await other.send(order(1, EMAIL));
  await completeErasure(shop, EMAIL);
  expect(await other.calls()).toHaveLength(1);
});

test('the person’s export has the calls and orders, in the store’s words', async () => {
  await store.send(order(1, EMAIL));
  await understood(1, EMAIL, { outcome: 'nothing_to_tell', reason: 'no_change' });
  await known(1, EMAIL, { order: { number: '1' } });
  const exported = expectStatus<Record<string, unknown>>(
    200,
    await shop.get(`/api/v1/recipients/${EMAIL}/export`),
  );
  expect(exported).toMatchObject({
    recipient: null,
    connection_calls: [
      {
        received_at: expect.stringMatching(/Z$/),
        topic: 'order.updated',
        order_number: '1',
        outcome: 'nothing_to_tell',
        reason: 'no_change',
        body: JSON.stringify(order(1, EMAIL)),
      },
    ],
    connection_orders: [{ order_number: '1', known: { order: { number: '1' } } }],
  });
});
