import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FULFILLMENT_ID,
  fulfillmentBody,
  fulfillmentEventBody,
  fulfillmentFields,
  ORDER_ID,
  orderBody,
  REFUND_ID,
  refundBody,
  refundFields,
  SECRET,
  shopifyHeaders,
  signatureOf,
} from '../../../test/support/shopifyCalls.ts';
import type { Proof, RawCall, StoredCall } from './kind.ts';
import { shopify } from './shopify.ts';

const callOf = (headers: Record<string, string>, body: string | Buffer): RawCall => ({
  header: (name) => headers[name],
  query: new URLSearchParams(),
  body: Buffer.from(body),
});

const proof = (...secrets: string[]): Proof => ({
  secrets,
  storeUrl: null,
  now: new Date(),
  keysOf: () => Promise.reject(new Error('a store with a secret has no keys')),
});

describe('a call is the store’s', () => {
  const body = orderBody({ note: 'õ \\/ ' });
  const signed = signatureOf(body);
  test.each([
    ['signed as webhooks are', { 'x-shopify-hmac-sha256': signed }, [SECRET], 'genuine'],
    ['signed as Events are', { 'shopify-hmac-sha256': signed }, [SECRET], 'genuine'],
    [
      'signed with the secret before the last',
      { 'x-shopify-hmac-sha256': signed },
      ['new', SECRET],
      'genuine',
    ],
    ['not signed', {}, [SECRET], 'refused'],
    ['signed with another secret', { 'x-shopify-hmac-sha256': signed }, ['new'], 'refused'],
    ['for a connection without a secret', { 'x-shopify-hmac-sha256': signed }, [], 'refused'],
    ['with an empty signature', { 'x-shopify-hmac-sha256': '' }, [SECRET], 'refused'],
    [
      'signed in hex',
      { 'x-shopify-hmac-sha256': Buffer.from(signed, 'base64').toString('hex') },
      [SECRET],
      'refused',
    ],
  ])('%s', (_, headers, secrets, expected) => {
    expect(shopify.verify(callOf(headers, body), proof(...secrets))).toBe(expected);
  });

  test('only with each of its bytes', () => {
    const call = callOf({ 'x-shopify-hmac-sha256': signed }, `${body} `);
    expect(shopify.verify(call, proof(SECRET))).toBe('refused');
  });

  test('even with bytes that are no text', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const call = callOf({ 'x-shopify-hmac-sha256': signatureOf(bytes) }, bytes);
    expect(shopify.verify(call, proof(SECRET))).toBe('genuine');
  });
});

describe('a call is told from the others', () => {
  const keyOf = (headers: Record<string, string>, body = orderBody()) =>
    shopify.describe(callOf(headers, body)).key;

  test('by the webhook id alone: all deliveries of one action share the event id', () => {
    const [created, shipped] = [
      shopifyHeaders('orders/create', '', 'one'),
      shopifyHeaders('fulfillments/create', '', 'two'),
    ];
    expect(created['x-shopify-event-id']).toBe(shipped['x-shopify-event-id']);
    expect(keyOf(created)).not.toBe(keyOf(shipped));
    expect(keyOf(created)).toBe(keyOf(created, orderBody({ note: 'changed' })));
  });

  test.each([undefined, '', 'x'.repeat(201), 'two words'])('by topic and body if the id is %j', (id) => {
    const headersOf = (topic: string) => ({
      'x-shopify-topic': topic,
      'x-shopify-event-id': 'same',
      ...(id === undefined ? {} : { 'x-shopify-webhook-id': id }),
    });
    const key = keyOf(headersOf('orders/create'));
    expect(key).toBe(keyOf(headersOf('orders/create')));
    expect(key).not.toBe(keyOf(headersOf('orders/updated')));
    expect(key).not.toBe(keyOf(headersOf('orders/create'), orderBody({ note: 'changed' })));
    expect(key.length).toBeLessThanOrEqual(200);
  });
});

describe('the order that a call is about', () => {
  test.each([
    ['orders/create', orderBody(), ORDER_ID],
    ['orders/updated', orderBody({ admin_graphql_api_id: undefined }), ORDER_ID],
    ['orders/cancelled', orderBody({ id: 7203685477580811000 }), ORDER_ID],
    ['fulfillments/create', fulfillmentBody(), ORDER_ID],
    ['fulfillment_events/create', fulfillmentEventBody(), ORDER_ID],
    ['refunds/create', refundBody(), ORDER_ID],
    ['refunds/create', refundBody({ order_id: 42 }), '42'],
    ['refunds/create', refundBody({ order_id: '42' }), '42'],
    ['refunds/create', refundBody({ order_id: -42 }), null],
    ['refunds/create', refundBody({ order_id: null }), null],
    ['customers/create', orderBody(), null],
    ['orders/create', '{', null],
  ])('is read to its last digit from %s', (topic, body, expected) => {
    const call = callOf({ 'x-shopify-topic': topic }, body);
    expect(shopify.describe(call)).toMatchObject({ topic, storeOrder: expected });
  });

  test('is found with the topic of Events, too', () => {
    const call = callOf({ 'shopify-topic': 'orders/create' }, orderBody());
    expect(shopify.describe(call)).toMatchObject({ topic: 'orders/create', storeOrder: ORDER_ID });
    expect(shopify.describe(callOf({}, orderBody()))).toMatchObject({ topic: 'unknown', storeOrder: null });
  });
});

const stored = (topic: string, body: string | Buffer, headers: Record<string, string> = {}): StoredCall => ({
  topic,
  headers,
  body: Buffer.from(body),
  receivedAt: new Date('2026-03-06T00:00:00Z'),
});

const NO_FIELD = { consentField: null };

describe('a call', () => {
  test.each([
    'orders/create',
    'orders/updated',
    'orders/paid',
    'orders/partially_fulfilled',
    'orders/fulfilled',
    'orders/cancelled',
  ])('of the topic %s says all of its order', (topic) => {
    const body = orderBody({ fulfillments: [fulfillmentFields()], refunds: [refundFields()] });
    expect(shopify.read(stored(topic, body), NO_FIELD)).toMatchObject({
      kind: 'facts',
      facts: {
        storeOrder: ORDER_ID,
        order: { number: '#1001' },
        shipments: [{ id: FULFILLMENT_ID }],
        events: [],
        refunds: [{ id: REFUND_ID, amount: 1025 }],
      },
    });
  });

  test('of a refund names the order and says nothing else of it', () => {
    expect(shopify.read(stored('refunds/create', refundBody()), NO_FIELD)).toEqual({
      kind: 'facts',
      facts: {
        storeOrder: ORDER_ID,
        order: null,
        shipments: [],
        events: [],
        refunds: [{ id: REFUND_ID, amount: 1025 }],
      },
    });
  });

  test.each([
    ['orders/delete', '{"id":1}', { kind: 'nothing', reason: 'deleted' }],
    ['orders/edited', '{"order_edit":{"id":1}}', { kind: 'nothing', reason: 'other_topic' }],
    ['customers/update', '{', { kind: 'nothing', reason: 'other_topic' }],
    ['Order', '{}', { kind: 'nothing', reason: 'other_topic' }],
    ['__proto__', '{}', { kind: 'nothing', reason: 'other_topic' }],
    ['orders/create', '', { kind: 'not_understood', reason: 'not_json' }],
    ['orders/create', '<order/>', { kind: 'not_understood', reason: 'not_json' }],
    ['orders/create', '[]', { kind: 'not_understood', reason: 'no_order_id' }],
    ['orders/create', 'null', { kind: 'not_understood', reason: 'no_order_id' }],
    ['fulfillments/create', '{"id":1}', { kind: 'not_understood', reason: 'no_order_id' }],
    ['fulfillments/create', '{"order_id":1}', { kind: 'not_understood', reason: 'no_fulfillment_id' }],
    ['fulfillment_events/create', '{"order_id":1}', { kind: 'not_understood', reason: 'no_fulfillment_id' }],
    ['refunds/create', '{"order_id":1}', { kind: 'not_understood', reason: 'no_refund_id' }],
  ])('of the topic %s with the body %s says why nothing is told', (topic, body, expected) => {
    expect(shopify.read(stored(topic, body), NO_FIELD)).toMatchObject(expected);
  });

  test.each([
    ['orders/create', orderBody()],
    ['fulfillments/create', fulfillmentBody()],
    ['fulfillment_events/create', fulfillmentEventBody()],
    ['refunds/create', refundBody()],
  ])('of the store’s button “Send test notification” tells nothing: %s', (topic, body) => {
    expect(shopify.keptHeaders).toContain('x-shopify-test');
    expect(shopify.read(stored(topic, body, { 'x-shopify-test': 'true' }), NO_FIELD)).toEqual({
      kind: 'nothing',
      reason: 'test_order',
      order: null,
    });
  });
});

describe('whatever arrives', () => {
  const topic = fc.constantFrom(
    'orders/create',
    'fulfillments/update',
    'fulfillment_events/create',
    'refunds/create',
    'unknown',
  );
  const headers = fc.dictionary(
    fc.constantFrom('x-shopify-topic', 'x-shopify-webhook-id', 'x-shopify-triggered-at', 'x-shopify-test'),
    fc.string(),
  );
  const survives = (name: string, body: Buffer, some: Record<string, string>): void => {
    const description = shopify.describe(callOf({ 'x-shopify-topic': name, ...some }, body));
    expect(description.key.length).toBeLessThanOrEqual(200);
    expect(shopify.verify(callOf(some, body), proof(SECRET))).toBe('refused');
    const reading = shopify.read(stored(name, body, some), { consentField: 'Text me' });
    expect(['facts', 'nothing', 'not_understood']).toContain(reading.kind);
  };

  test('bytes are read without a fault', () => {
    fc.assert(
      fc.property(topic, fc.uint8Array(), headers, (name, bytes, some) => {
        survives(name, Buffer.from(bytes), some);
      }),
    );
  });

  test('JSON of any shape is read without a fault', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const text = orderBody({ fulfillments: [fulfillmentFields()], refunds: [refundFields()] });
    const fields = [
      'happened_at',
      'fulfillment_id',
      ...Object.keys({ ...JSON.parse(text), ...fulfillmentFields() }),
    ];
    const changes = fc.dictionary(fc.constantFrom(...fields), value);
    fc.assert(
      fc.property(topic, changes, headers, (name, changed, some) => {
        for (const bodyOf of [orderBody, fulfillmentBody, fulfillmentEventBody, refundBody])
          survives(name, Buffer.from(bodyOf(changed)), some);
        const nested = { fulfillments: [fulfillmentFields(changed)], refunds: [refundFields(changed)] };
        survives('orders/updated', Buffer.from(orderBody(nested)), some);
      }),
    );
  });
});
