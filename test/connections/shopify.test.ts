import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { earlier, MINUTE } from '../../src/kit/clock.ts';
import { at, listAt, textAt } from '../../src/kit/json.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import {
  fulfillmentBody,
  fulfillmentEventBody,
  orderBody,
  refundBody,
  shopifyHeaders,
  signatureOf,
} from '../support/shopifyCalls.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { type ConnectedStore, connectStore, SECRET } from './connectedStore.ts';

/** What customers of a shop hear of what happens in its Shopify store. */
let service: TestService;
let shop: Shop;
let store: ConnectedStore;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
});
beforeEach(async () => {
  shop = await service.business();
  store = await connectStore(service, shop, { kind: 'shopify', status: 'live' });
});

let deliveries = 0;

interface Heard {
  topic: string;
  outcome: string;
  reason: string | null;
}

/** The store calls, and the call is handled. */
async function hear(topic: string, body: string, headers: Record<string, string> = {}): Promise<Heard> {
  deliveries += 1;
  const signed = {
    ...shopifyHeaders(topic, body, `of-shop-${deliveries}`),
    'x-shopify-hmac-sha256': signatureOf(body, SECRET),
  };
  const answer = await store.send(null, { body, headers: { ...signed, ...headers } });
  expect(answer).toMatchObject({ status: 200, text: '' });
  return eventually(async () => {
    const calls = await store.calls();
    const call = calls.at(-1);
    if (calls.some(({ due_at, outcome }) => due_at !== null && outcome === null))
      throw new Error('not handled yet');
    return { topic: String(call?.topic), outcome: String(call?.outcome), reason: textAt(call, 'reason') };
  });
}

/** What the shop's customers were told, oldest first. */
async function told(): Promise<string[]> {
  const { body } = await shop.get('/api/v1/messages');
  return listAt(body, 'items')
    .map((message) => `${textAt(message, 'order_status')} ${textAt(message, 'reference')}`)
    .reverse();
}

/** The mails to the shop's customers, once there are so many. */
const mails = (count: number) =>
  eventually(async () => {
    const sent = (await capturedMessages(service.url)).filter((one) => one.business_id === shop.businessId);
    expect(sent).toHaveLength(count);
    return sent;
  });

const ago = (minutes: number): string =>
  earlier(service.clock.now(), minutes * MINUTE)
    .toISOString()
    .replace(/\.\d+/, '');

const order = (changed: Record<string, unknown> = {}, minutes = 5): string =>
  orderBody({ created_at: ago(60), processed_at: ago(60), updated_at: ago(minutes), ...changed });
const fulfillment = (changed: Record<string, unknown> = {}, minutes = 4): string =>
  fulfillmentBody({ created_at: ago(minutes), updated_at: ago(minutes), ...changed });
const another = (id: string, kind = 'Fulfillment') => ({
  id: `{{${id}}}`,
  admin_graphql_api_id: `gid://shopify/${kind}/${id}`,
});

describe('an order', () => {
  test('is confirmed once it is paid, and once', async () => {
    const waiting = await hear('orders/create', order({ financial_status: 'pending' }, 9));
    expect(waiting).toMatchObject({ outcome: 'nothing_to_tell' });
    expect(await hear('orders/updated', order())).toMatchObject({ outcome: 'pushed' });
    expect(await hear('orders/paid', order())).toMatchObject({
      outcome: 'nothing_to_tell',
      reason: 'no_change',
    });
    expect(await hear('orders/updated', order({ tags: 'gift' }, 3))).toMatchObject({ reason: 'no_change' });
    expect(await told()).toEqual(['confirmed #1001']);
  });

  test('is told once however often its call is repeated', async () => {
    const body = order();
    const headers = { 'x-shopify-webhook-id': `repeated-${store.id}` };
    await hear('orders/create', body, headers);
    await hear('orders/create', body, headers);
    expect(await store.calls()).toHaveLength(1);
    expect(await told()).toEqual(['confirmed #1001']);
  });

  test('that was cancelled stays so when a retry brings its old state', async () => {
    await hear('orders/create', order());
    await hear('orders/cancelled', order({ financial_status: 'voided', cancelled_at: ago(1) }, 1));
    expect(await hear('orders/updated', order({}, 5))).toMatchObject({
      outcome: 'nothing_to_tell',
      reason: 'late',
    });
    expect(await told()).toEqual(['confirmed #1001', 'cancelled #1001']);
  });

  test('is not another whose id differs in the last digit', async () => {
    await hear('orders/create', order({ ...another('7203685477580811234', 'Order'), name: '#1' }));
    await hear('orders/create', order({ ...another('7203685477580811235', 'Order'), name: '#2' }));
    await hear('fulfillments/create', fulfillment({ order_id: '{{7203685477580811235}}' }));
    expect(await told()).toEqual(['confirmed #1', 'confirmed #2', 'shipped #2']);
  });

  test('of a test, and the store’s own example, is told to nobody', async () => {
    expect(await hear('orders/create', order({ test: true }))).toMatchObject({ reason: 'test_order' });
    expect(await hear('orders/create', order(), { 'x-shopify-test': 'true' })).toMatchObject({
      reason: 'test_order',
    });
    expect(await told()).toEqual([]);
  });
});

describe('a fulfilment', () => {
  test('tells of each parcel, although all calls of one action share their event id', async () => {
    await hear('orders/create', order());
    await hear('fulfillments/create', fulfillment());
    // A nudge that has not left yet would be replaced by the next one of its message.
    await mails(2);
    const second = { tracking_number: 'CC200', tracking_numbers: ['CC200'], tracking_urls: [] };
    await hear('fulfillments/create', fulfillment({ ...another('6203685477580815679'), ...second }, 3));
    expect((await mails(3)).filter(({ text }) => text.includes('CC200'))).toHaveLength(1);
    const { body } = await shop.get(`/api/v1/orders/${encodeURIComponent('#1001')}`);
    expect(listAt(body, 'shipments').map((one) => textAt(one, 'tracking_number'))).toEqual([
      'CC100',
      'CC200',
    ]);
  });

  test('that comes before its order waits for it, and then only the shipment is told', async () => {
    expect(await hear('fulfillments/create', fulfillment())).toMatchObject({ reason: 'waits_for_order' });
    await hear('orders/create', order());
    expect(await told()).toEqual(['shipped #1001']);
  });

  test('that was cancelled is not told', async () => {
    await hear('orders/create', order());
    const cancelled = await hear('fulfillments/update', fulfillment({ status: 'cancelled' }));
    expect(cancelled).toEqual({
      topic: 'fulfillments/update',
      outcome: 'nothing_to_tell',
      reason: 'status_not_told',
    });
    expect(await told()).toEqual(['confirmed #1001']);
  });

  test('shows what its carrier says, even if that comes first', async () => {
    await hear('orders/create', order());
    await hear(
      'fulfillment_events/create',
      fulfillmentEventBody({ status: 'in_transit', happened_at: ago(2) }),
    );
    await hear('fulfillments/create', fulfillment());
    const { body } = await shop.get(`/api/v1/orders/${encodeURIComponent('#1001')}`);
    expect(at(body, 'shipments', 0)).toMatchObject({
      tracking_number: 'CC100',
      carrier: 'Omniva',
      status: 'in_transit',
      events: [{ status: 'in_transit', description: 'With the courier', location: 'Tartu, EE' }],
    });
  });
});

describe('a refund', () => {
  const refund = (id: string, amount: string) =>
    refundBody({ ...another(id, 'Refund'), transactions: [{ kind: 'refund', status: 'success', amount }] });

  test('in part is not told; what adds up to the whole is', async () => {
    await hear('orders/create', order());
    expect(await hear('refunds/create', refund('501', '41.49'))).toMatchObject({
      outcome: 'nothing_to_tell',
    });
    expect(await told()).toEqual(['confirmed #1001']);
    expect(await hear('refunds/create', refund('502', '0.01'))).toMatchObject({ outcome: 'pushed' });
    await hear('orders/updated', order({ financial_status: 'refunded' }, 0));
    expect(await told()).toEqual(['confirmed #1001', 'refunded #1001']);
  });
});

test('after a rotation, calls with the old secret are read for an hour', async () => {
  await store.rotate('the-new-secret-of-the-store');
  expect(await hear('orders/create', order())).toMatchObject({ outcome: 'pushed' });
  await store.rotate('the-newest-secret-of-the-store', { now: true });
  const body = order();
  const headers = {
    ...shopifyHeaders('orders/updated', body, 'late'),
    'x-shopify-hmac-sha256': signatureOf(body, SECRET),
  };
  expect(await store.send(null, { body, headers })).toMatchObject({ status: 401 });
});

test('a store that is watched shows what it would tell, and nobody is told', async () => {
  await store.change({ status: 'watching' });
  expect(await hear('orders/create', order())).toMatchObject({ outcome: 'would_push' });
  expect((await store.calls()).map(({ would_push }) => would_push)).toMatchObject([
    [{ order_status: 'confirmed', recipient_email: 'mari@example.com', language: 'et' }],
  ]);
  await store.change({ status: 'live' });
  expect(await hear('orders/updated', order({}, 1))).toMatchObject({ reason: 'no_change' });
  expect(await told()).toEqual([]);
});
