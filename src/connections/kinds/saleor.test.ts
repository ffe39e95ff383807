import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderFacts } from '../facts.ts';
import type { RawCall, StoredCall } from './kind.ts';
import { SUBSCRIPTION_QUERY, saleor } from './saleor.ts';

const ISSUED = '2026-03-05T09:30:00.123456+00:00';
const AT = new Date('2026-03-05T09:30:00.123Z');

const ORDER = {
  id: 'T3JkZXI6NzE5OA==',
  number: '7198',
  status: 'UNFULFILLED',
  created: '2026-03-05T09:00:00+00:00',
  updatedAt: '2026-03-05T09:29:59.500000+00:00',
  userEmail: ' ada@example.com',
  languageCodeEnum: 'EN_GB',
  metadata: [{ key: 'texts', value: 'Yes' }],
  shippingAddress: { firstName: 'Ada', phone: '+441632960001', country: { code: 'GB' } },
  lines: [
    { productName: 'Blue teapot', quantity: 2 },
    { productName: '', quantity: 1 },
    { productName: 'Nothing', quantity: 0 },
  ],
  events: [
    { type: 'PLACED', date: '2026-03-05T09:00:00+00:00' },
    { type: 'CONFIRMED', date: '2026-03-05T09:29:59+00:00' },
  ],
};
const FULFILLMENT = {
  id: 'RnVsZmlsbG1lbnQ6NDI=',
  status: 'FULFILLED',
  created: '2026-03-05T09:29:00+00:00',
  trackingNumber: 'JD0146000123',
};
const SHIPMENT = {
  id: FULFILLMENT.id,
  status: 'FULFILLMENT_CREATED',
  at: AT,
  modifiedAt: AT,
  isQuiet: false,
  leftOut: [],
  parcels: [{ trackingNumber: 'JD0146000123', carrier: null, trackingUrl: null }],
};

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function call(body: unknown, header = ''): RawCall {
  const headers = new Map([['saleor-event', header]]);
  return {
    header: (name) => headers.get(name),
    query: new URLSearchParams(),
    body: Buffer.isBuffer(body) ? body : json(body),
  };
}

const described = (body: unknown, header?: string) => saleor.describe(call(body, header));

function read(body: unknown, header?: string, consentField: string | null = null) {
  const raw = call(body, header);
  const stored: StoredCall = {
    topic: saleor.describe(raw).topic,
    headers: {},
    body: raw.body,
    receivedAt: AT,
  };
  return saleor.read(stored, { consentField });
}

function factsOf(body: unknown, consentField: string | null = null): OrderFacts {
  const reading = read(body, undefined, consentField);
  if (reading.kind !== 'facts') throw new Error(reading.reason);
  return reading.facts;
}

const confirmed = (order: object = {}) => ({
  __typename: 'OrderConfirmed',
  issuedAt: ISSUED,
  version: '3.23.1',
  order: { ...ORDER, ...order },
});
const fulfilled = (fulfillment: object = {}, event: object = {}) => ({
  __typename: 'FulfillmentCreated',
  issuedAt: ISSUED,
  notifyCustomer: true,
  fulfillment: { ...FULFILLMENT, ...fulfillment },
  order: ORDER,
  ...event,
});
const statusesOf = (body: unknown) => factsOf(body).order?.statuses;
const orderOf = (order: object, consentField: string | null = null) =>
  factsOf(confirmed(order), consentField).order;

describe('an order', () => {
  test('a confirmed order has all that a message needs', () => {
    expect(factsOf(confirmed(), 'texts')).toEqual({
      storeOrder: 'T3JkZXI6NzE5OA==',
      order: {
        number: '7198',
        modifiedAt: new Date('2026-03-05T09:29:59.500Z'),
        createdAt: new Date('2026-03-05T09:00:00Z'),
        isTest: false,
        email: 'ada@example.com',
        phone: { text: '+441632960001', country: 'GB' },
        permitsTexts: true,
        firstName: 'Ada',
        language: 'EN_GB',
        url: null,
        items: [{ name: 'Blue teapot', quantity: 2 }],
        statuses: [{ status: 'ORDER_CONFIRMED', at: new Date('2026-03-05T09:29:59Z') }],
        total: null,
      },
      shipments: [],
      events: [],
      refunds: [],
    });
  });

  test('the content of the event is the same below `event`', () => {
    expect(read({ event: confirmed() })).toEqual(read(confirmed()));
    expect(described({ event: confirmed() }).storeOrder).toBe(ORDER.id);
  });

  test('an order that is picked up or downloaded has neither address nor number', () => {
    expect(orderOf({ shippingAddress: null, userEmail: '' })).toMatchObject({
      phone: null,
      firstName: '',
      email: null,
    });
  });

  test.each([
    ['yes', 'texts', true],
    ['1', 'texts', true],
    [' TRUE ', 'texts', true],
    ['no', 'texts', false],
    ['', 'texts', false],
    ['yes', 'another', false],
    ['yes', null, false],
  ])('the metadata value "%s" with the consent field %s: %s', (value, field, permits) => {
    expect(orderOf({ metadata: [{ key: 'texts', value }] }, field)?.permitsTexts).toBe(permits);
  });
});

describe('the statuses of an order', () => {
  const CONFIRMED = { status: 'ORDER_CONFIRMED', at: new Date('2026-03-05T09:29:59Z') };
  const withoutEvents = (status: string) => ({ ...ORDER, status, events: [] });
  const event = (__typename: string, order: object) => ({ __typename, issuedAt: ISSUED, order });

  test('a cancelled order was confirmed before, whichever call comes first', () => {
    const cancelled = {
      ...ORDER,
      status: 'CANCELED',
      events: [...ORDER.events, { type: 'CANCELED', date: '2026-03-05T09:29:59.800000+00:00' }],
    };
    const at = new Date('2026-03-05T09:29:59.800Z');
    const both = [CONFIRMED, { status: 'ORDER_CANCELLED', at }];
    expect(statusesOf(event('OrderCancelled', cancelled))).toEqual(both);
    expect(statusesOf(event('OrderUpdated', cancelled))).toEqual(both);
    expect(statusesOf(event('OrderUpdated', ORDER))).toEqual([CONFIRMED]);
  });

  test('only the call that says so makes an order refunded in full, since then', () => {
    expect(statusesOf(event('OrderFullyRefunded', ORDER))).toEqual([
      CONFIRMED,
      { status: 'ORDER_FULLY_REFUNDED', at: AT },
    ]);
    expect(statusesOf(event('OrderRefunded', ORDER))).toEqual([CONFIRMED]);
  });

  test.each([
    ['OrderConfirmed', 'UNFULFILLED', [{ status: 'ORDER_CONFIRMED', at: AT }]],
    ['OrderUpdated', 'UNFULFILLED', [{ status: 'ORDER_CONFIRMED', at: null }]],
    ['OrderUpdated', 'PARTIALLY_FULFILLED', [{ status: 'ORDER_CONFIRMED', at: null }]],
    ['OrderUpdated', 'CANCELED', [{ status: 'ORDER_CANCELLED', at: null }]],
    ['OrderCreated', 'UNCONFIRMED', []],
    ['OrderUpdated', 'DRAFT', []],
    ['OrderExpired', 'EXPIRED', []],
    ['OrderUpdated', 'SOMETHING_NEW', []],
  ])('without the order’s own events, %s of an order that is %s', (type, status, statuses) => {
    expect(statusesOf(event(type, withoutEvents(status)))).toEqual(statuses);
  });
});

describe('a fulfilment', () => {
  test('it is a shipment with its tracking number, to which Saleor knows neither carrier nor address', () => {
    expect(factsOf(fulfilled()).shipments).toEqual([SHIPMENT]);
    expect(factsOf(fulfilled({}, { __typename: 'FulfillmentApproved' })).shipments).toEqual([
      { ...SHIPMENT, status: 'FULFILLMENT_APPROVED' },
    ]);
  });

  test('a shop that asks not to notify the customer is obeyed', () => {
    for (const __typename of ['FulfillmentCreated', 'FulfillmentApproved'])
      expect(factsOf(fulfilled({}, { __typename, notifyCustomer: false })).shipments).toMatchObject([
        { isQuiet: true },
      ]);
  });

  test.each(['WAITING_FOR_APPROVAL', 'CANCELED', 'REFUNDED', 'RETURNED', 'REPLACED'])(
    'one that is %s is no shipment',
    (status) => {
      expect(factsOf(fulfilled({ status })).shipments).toEqual([]);
    },
  );

  test('only the fulfilment of the call is told, because another one may be quiet', () => {
    const order = { ...ORDER, fulfillments: [FULFILLMENT, { ...FULFILLMENT, id: 'another' }] };
    expect(factsOf(fulfilled({}, { order })).shipments).toEqual([SHIPMENT]);
    expect(factsOf({ ...confirmed(), __typename: 'OrderUpdated', order }).shipments).toEqual([]);
  });

  test('a tracking number that is set later has a status of its own, which tells nothing by default', () => {
    const updated = fulfilled(
      {},
      { __typename: 'FulfillmentTrackingNumberUpdated', notifyCustomer: undefined },
    );
    expect(factsOf(updated).shipments).toEqual([
      { ...SHIPMENT, status: 'FULFILLMENT_TRACKING_NUMBER_UPDATED' },
    ]);
    expect(saleor.statuses).not.toHaveProperty('FULFILLMENT_TRACKING_NUMBER_UPDATED');
  });

  test('a cancelled fulfilment and one without a number bring no parcel', () => {
    expect(factsOf(fulfilled({}, { __typename: 'FulfillmentCanceled' })).shipments).toEqual([]);
    expect(factsOf(fulfilled({ trackingNumber: '' })).shipments).toEqual([{ ...SHIPMENT, parcels: [] }]);
  });

  test('an address in place of a number is left out, and the shipment is told', () => {
    expect(factsOf(fulfilled({ trackingNumber: 'https://carrier.example/JD01' })).shipments).toEqual([
      { ...SHIPMENT, parcels: [], leftOut: ['bad_tracking_number'] },
    ]);
  });
});

describe('what a call is', () => {
  test('its topic is the body’s own word, which is signed; otherwise the header, in either case', () => {
    expect(described(confirmed(), 'product_updated').topic).toBe('ORDER_CONFIRMED');
    expect(described({ order: ORDER }, 'fulfillment_created').topic).toBe('FULFILLMENT_CREATED');
    expect(described({ order: ORDER }, 'FULFILLMENT_CREATED').topic).toBe('FULFILLMENT_CREATED');
    expect(described({ order: ORDER }, 'what is this?').topic).toBe('unknown');
    const updated = { __typename: 'FulfillmentTrackingNumberUpdated' };
    expect(described(updated).topic).toBe('FULFILLMENT_TRACKING_NUMBER_UPDATED');
  });

  test('the same call again has the same key, another event of the same order another', () => {
    const { key } = described(confirmed());
    expect(described(confirmed()).key).toBe(key);
    expect(described({ ...confirmed(), issuedAt: '2026-03-05T09:30:01+00:00' }).key).not.toBe(key);
    expect(described({ ...confirmed(), __typename: 'OrderCancelled' }).key).not.toBe(key);
    expect(key.length).toBeLessThanOrEqual(200);
  });

  test.each<[string, unknown, string, ReturnType<typeof read>]>([
    ['no JSON', Buffer.from('{'), 'order_confirmed', { kind: 'not_understood', reason: 'not_json' }],
    [
      'Saleor’s own form, of a webhook without a query',
      [ORDER],
      'order_confirmed',
      { kind: 'not_understood', reason: 'no_query' },
    ],
    [
      'an order that the app may not read',
      { __typename: 'OrderConfirmed', order: null },
      '',
      { kind: 'not_understood', reason: 'no_order_id' },
    ],
    [
      'an order without a number',
      confirmed({ number: '' }),
      '',
      { kind: 'not_understood', reason: 'no_order_number' },
    ],
    [
      'an event that is about no order',
      { __typename: 'ProductUpdated' },
      '',
      { kind: 'nothing', reason: 'other_topic', order: null },
    ],
  ])('%s', (_what, body, header, reading) => {
    expect(read(body, header)).toEqual(reading);
  });
});

describe('whatever arrives', () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const order = fc.record(
    Object.fromEntries(
      Object.keys(ORDER).map((field) => [
        field,
        fc.oneof(anything, fc.constant(Object.entries(ORDER).find(([name]) => name === field)?.[1])),
      ]),
    ),
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      __typename: fc.oneof(anything, fc.constantFrom('OrderConfirmed', 'FulfillmentCreated')),
      issuedAt: fc.oneof(anything, fc.constant(ISSUED)),
      notifyCustomer: anything,
      fulfillment: fc.oneof(
        anything,
        fc.record({ id: anything, status: anything, trackingNumber: anything }),
      ),
      order: fc.oneof(anything, order),
    },
    { requiredKeys: [] },
  );

  test('it is described and read without a fault', () => {
    fc.assert(
      fc.property(fc.oneof(body, anything), fc.string(), (value, header) => {
        const { topic, key, storeOrder } = described(value, header);
        expect(topic).toMatch(/^(unknown|[A-Z_]{1,120})$/);
        expect(key.length).toBeLessThanOrEqual(200);
        expect(storeOrder ?? 'none').toMatch(/^[\x21-\x7e]{1,200}$/);
        const reading = read(value, header, 'texts');
        if (reading.kind === 'facts') expect(reading.facts.storeOrder).toBe(storeOrder);
      }),
    );
  });

  test('bytes that are no text are read without a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(read(Buffer.from(bytes)).kind).not.toBe('facts');
      }),
    );
  });
});

describe('the query that a shop copies', () => {
  test('it asks for each event of the table, below the root `event`, and closes what it opens', () => {
    expect(SUBSCRIPTION_QUERY).toMatch(/^subscription \{\n {2}event \{\n/);
    for (const status of Object.keys(saleor.statuses)) {
      const type = status
        .toLowerCase()
        .replace(/(?:^|_)[a-z]/g, (start) => start.replace('_', '').toUpperCase());
      expect(SUBSCRIPTION_QUERY).toContain(`... on ${type} {`);
    }
    expect(SUBSCRIPTION_QUERY.split('{').length).toBe(SUBSCRIPTION_QUERY.split('}').length);
  });

  test('it asks for each field that is read', () => {
    for (const field of [...Object.keys(ORDER), ...Object.keys(FULFILLMENT), 'issuedAt', 'notifyCustomer'])
      expect(SUBSCRIPTION_QUERY).toMatch(new RegExp(`\\b${field}\\b`));
  });
});
