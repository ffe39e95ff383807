import { describe, expect, test } from 'vitest';
import {
  FULFILLMENT_ID,
  fulfillmentBody,
  fulfillmentEventBody,
  fulfillmentFields,
  ORDER_ID,
  orderBody,
} from '../../../test/support/shopifyCalls.ts';
import { shopify } from './shopify.ts';

const receivedAt = new Date('2026-03-06T00:00:00Z');
const readBody = (topic: string, body: string, headers = {}) =>
  shopify.read({ topic, headers, body: Buffer.from(body), receivedAt }, { consentField: null });

function factsOf(topic: string, body: string, headers = {}) {
  const reading = readBody(topic, body, headers);
  if (reading.kind !== 'facts') throw new Error(`it says nothing: ${reading.reason}`);
  return reading.facts;
}

const parcel = (trackingNumber: string, trackingUrl: string | null, carrier: string | null = 'Omniva') => ({
  trackingNumber,
  carrier,
  trackingUrl,
});
const CC100 = parcel('CC100', 'https://track.example/CC100');

describe('a fulfilment', () => {
  test('is a shipment of an order that the call does not describe', () => {
    for (const topic of ['fulfillments/create', 'fulfillments/update'])
      expect(factsOf(topic, fulfillmentBody())).toEqual({
        storeOrder: ORDER_ID,
        order: null,
        shipments: [
          {
            id: FULFILLMENT_ID,
            status: 'fulfilled',
            at: new Date('2026-03-03T07:00:00Z'),
            modifiedAt: new Date('2026-03-03T07:30:00Z'),
            isQuiet: false,
            parcels: [CC100],
            leftOut: [],
          },
        ],
        events: [],
        refunds: [],
      });
  });

  test.each(['cancelled', 'error', 'failure', 'pending', 'open'])('that is %s is not told', (status) => {
    expect(
      readBody('fulfillments/update', fulfillmentBody({ status, shipment_status: 'delivered' })),
    ).toEqual({
      kind: 'nothing',
      reason: 'status_not_told',
      order: null,
    });
    const order = orderBody({
      fulfillments: [fulfillmentFields({ status }), fulfillmentFields({ id: 2, admin_graphql_api_id: null })],
    });
    expect(factsOf('orders/updated', order).shipments.map(({ id }) => id)).toEqual(['2']);
  });

  test.each([
    ['one parcel', {}, [CC100]],
    [
      'several parcels, each with its own link',
      { tracking_numbers: ['CC100', 'CC200'], tracking_urls: ['https://a.example', 'https://b.example'] },
      [parcel('CC100', 'https://a.example'), parcel('CC200', 'https://b.example')],
    ],
    [
      'more parcels than links',
      { tracking_numbers: ['CC100', 'CC200'], tracking_urls: [] },
      [CC100, parcel('CC200', null)],
    ],
    ['a parcel outside of lists', { tracking_numbers: [], tracking_urls: [] }, [CC100]],
    ['a parcel without lists', { tracking_numbers: null, tracking_urls: undefined }, [CC100]],
    [
      'a parcel whose number is long and no text',
      { tracking_numbers: ['{{9400100000000000000001}}'] },
      [parcel('9400100000000000000001', 'https://track.example/CC100')],
    ],
    ['a parcel named twice', { tracking_numbers: ['CC100', 'CC100'] }, [CC100]],
    ['no carrier', { tracking_company: null }, [parcel('CC100', 'https://track.example/CC100', null)]],
    ['no parcel', { tracking_number: null, tracking_numbers: [], tracking_url: null, tracking_urls: [] }, []],
  ])('has %s', (_, changed, expected) => {
    expect(factsOf('fulfillments/create', fulfillmentBody(changed)).shipments).toMatchObject([
      { parcels: expected, leftOut: [] },
    ]);
  });

  test('is told without a link that is not https, and the log says so', () => {
    const changed = { tracking_urls: ['http://track.example'], tracking_numbers: ['CC100', 'n/a'] };
    expect(factsOf('fulfillments/create', fulfillmentBody(changed)).shipments).toMatchObject([
      { parcels: [parcel('CC100', null)], leftOut: ['bad_tracking_number', 'bad_tracking_url'] },
    ]);
  });

  test('is as new as the store says, or else as the call', () => {
    const headers = { 'x-shopify-triggered-at': '2026-03-03T08:00:00Z' };
    const [shipment] = factsOf(
      'fulfillments/update',
      fulfillmentBody({ updated_at: null }),
      headers,
    ).shipments;
    expect(shipment?.modifiedAt).toEqual(new Date('2026-03-03T08:00:00Z'));
  });
});

const WORDS = [
  ['label_purchased', 'label_created'],
  ['label_printed', 'label_created'],
  ['carrier_picked_up', 'picked_up'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['attempted_delivery', 'delivery_attempted'],
  ['ready_for_pickup', 'available_for_pickup'],
  ['ready_for_recipient_pickup', 'available_for_pickup'],
  ['picked_up', 'delivered'],
  ['delivered', 'delivered'],
  ['delayed', 'delayed'],
  ['failure', 'exception'],
  ['buyer_action_required', 'exception'],
  ['returning_to_sender', 'returned'],
] as const;
const NOT_TOLD = ['confirmed', 'teleported', '', null, 7, '__proto__'];

describe('what the carrier says', () => {
  test.each(WORDS)('%s is %s', (word, status) => {
    expect(factsOf('fulfillment_events/create', fulfillmentEventBody({ status: word }))).toEqual({
      storeOrder: ORDER_ID,
      order: null,
      shipments: [],
      events: [
        {
          shipmentId: FULFILLMENT_ID,
          status,
          at: new Date('2026-03-04T05:15:00Z'),
          description: 'With the courier',
          location: 'Tartu, EE',
        },
      ],
      refunds: [],
    });
  });

  test.each(WORDS)('%s is %s in the fulfilment, too, since its last change', (word, status) => {
    const event = {
      shipmentId: FULFILLMENT_ID,
      status,
      at: new Date('2026-03-03T07:30:00Z'),
      description: null,
      location: null,
    };
    const fulfillment = fulfillmentFields({ shipment_status: word });
    expect(factsOf('fulfillments/update', fulfillmentBody({ shipment_status: word })).events).toEqual([
      event,
    ]);
    expect(factsOf('orders/updated', orderBody({ fulfillments: [fulfillment] })).events).toEqual([event]);
  });

  test.each(NOT_TOLD)('%j tells nothing', (word) => {
    expect(readBody('fulfillment_events/create', fulfillmentEventBody({ status: word }))).toEqual({
      kind: 'nothing',
      reason: 'status_not_told',
      order: null,
    });
    expect(factsOf('fulfillments/update', fulfillmentBody({ shipment_status: word }))).toMatchObject({
      shipments: [{ id: FULFILLMENT_ID }],
      events: [],
    });
  });

  test.each([
    ['the store’s time without another', { happened_at: null }, {}, '2026-03-04T05:16:00Z'],
    [
      'the call’s time without another',
      { happened_at: null, created_at: null },
      { 'x-shopify-triggered-at': '2026-03-04T06:00:00Z' },
      '2026-03-04T06:00:00Z',
    ],
    ['our time without another', { happened_at: 'now', created_at: null }, {}, '2026-03-06T00:00:00Z'],
  ])('has %s', (_, changed, headers, at) => {
    const { events } = factsOf('fulfillment_events/create', fulfillmentEventBody(changed), headers);
    expect(events).toMatchObject([{ at: new Date(at) }]);
  });

  test.each([
    ['2026-03-06T23:59:59Z', 'facts'],
    ['2026-03-07T00:00:01Z', 'nothing'],
  ])('may lie a day ahead and no more: %s', (at, kind) => {
    expect(readBody('fulfillment_events/create', fulfillmentEventBody({ happened_at: at })).kind).toBe(kind);
  });

  test.each([
    [
      { message: null, city: null, country: null },
      { description: null, location: null },
    ],
    [{ city: null }, { location: 'EE' }],
    [
      { message: ' a\nb ', country: ' ' },
      { description: 'a b', location: 'Tartu' },
    ],
    [{ message: 'x'.repeat(501) }, { description: 'x'.repeat(300) }],
  ])('may have words and a place: %j', (changed, expected) => {
    expect(factsOf('fulfillment_events/create', fulfillmentEventBody(changed)).events).toMatchObject([
      expected,
    ]);
  });
});
