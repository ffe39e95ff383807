import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OrderView } from '../../src/contract/orders.ts';
import { carrierReports } from '../support/carrier.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { completeErasure, EMPTY_REPORT, type ErasureService, startErasureService } from './erasureService.ts';
import { type Canary, tracesInDatabase } from './traces.ts';

/** What an erasure leaves of a person's orders. */
let world: ErasureService;
let shop: Shop;
beforeAll(async () => {
  world = await startErasureService();
});
afterAll(async () => {
  await world.close();
  expect(world.loggedErrors()).toEqual([]);
});
beforeEach(async () => {
  shop = await world.business();
});

const EMAIL = 'canary.lemur@example.com';
const REFERENCE = 'LEMUR-7781-order';
const NUMBER = 'LEMUR 44 PARCEL 1';
const CARRIER = 'Lemur family courier';
const WORDS = 'Left with the lemur next door';
const PLACE = 'Lemur street 14, Tartu';
const CANARIES: Canary[] = [
  { name: 'address', text: EMAIL },
  { name: 'reference', text: REFERENCE },
  { name: 'number', text: NUMBER },
  { name: 'carrier', text: CARRIER },
  { name: 'description', text: WORDS },
  { name: 'location', text: PLACE },
];

const shipment = { tracking_number: NUMBER, carrier: CARRIER, tracking_url: 'https://x.example/1' };
const order = { reference: REFERENCE, notify: false };
const reported = (more: object = {}) => ({
  status: 'in_transit',
  at: world.clock.now(),
  trackingNumber: NUMBER,
  description: WORDS,
  location: PLACE,
  ...more,
});
const read = (reference = REFERENCE) => shop.get(`/api/v1/orders/${reference}`);
const viewed = async (reference = REFERENCE): Promise<OrderView> => expectStatus(200, await read(reference));
const updates = async (): Promise<Record<string, unknown>[]> => {
  const path = '/api/v1/events?types=order.updated';
  const page: { items: { data: Record<string, unknown> }[] } = expectStatus(200, await shop.get(path));
  return page.items.map(({ data }) => data);
};

test.each(['applied', 'waiting'])(
  'an order that is the person’s alone goes, with its shipments and events; its changes are %s',
  async (changes) => {
    await shop.pushed({ ...order, recipient_email: EMAIL, order_status: 'shipped', shipment });
    await carrierReports(world, shop, REFERENCE, reported({ email: EMAIL }));
    if (changes === 'applied') await viewed();
    const traces = await tracesInDatabase(world.pool, CANARIES);
    for (const trace of ['shipments.carrier: carrier', 'tracking_events.description: description'])
      expect(traces).toContain(trace);
    const report = await completeErasure(shop, EMAIL);
    expect(report).toMatchObject({
      messages_deleted: 1,
      message_events_deleted: 3,
      subscription_deleted: true,
    });
    expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);
    expect(statusAndCode(await read())).toBe('404 order.not_found');
    await world.advance({ minutes: 1 });
    expect(await updates()).toEqual(
      ['shipped', 'in_transit'].map((status) => ({
        reference: null,
        status,
        status_at: expect.any(String),
        tracking_number: null,
        recipient_email: null,
      })),
    );
    expect(await tracesInDatabase(world.pool, CANARIES)).toEqual([]);
  },
);

test('of a shared reference the person goes; shipments and events stay for the others, without words', async () => {
  const bob = await shop.pushed({ ...order, recipient_email: 'bob@example.com', order_status: 'confirmed' });
  await carrierReports(
    world,
    shop,
    REFERENCE,
    reported({ at: new Date(Date.parse(bob.created_at) - 1_000) }),
  );
  await shop.pushed({ ...order, recipient_email: EMAIL, order_status: 'shipped' });
  expect(await viewed()).toMatchObject({ status: 'shipped', recipients: ['bob@example.com', EMAIL] });
  const report = await completeErasure(shop, EMAIL);
  expect(report).toMatchObject({ messages_deleted: 1, message_events_deleted: 0 });
  const left = await viewed();
  expect(left).toMatchObject({
    status: 'confirmed',
    status_at: bob.created_at,
    recipients: ['bob@example.com'],
    messages: [{ id: bob.id }],
    shipments: [
      {
        tracking_number: NUMBER,
        events: [{ at: expect.any(String), status: 'in_transit', description: null, location: null }],
      },
    ],
  });
  expect(await tracesInDatabase(world.pool, [{ name: 'address', text: EMAIL }])).toEqual([]);
  const kept = (await updates()).filter(({ reference }) => reference !== null);
  expect(kept.map(({ status, recipient_email }) => [status, recipient_email])).toEqual([
    ['confirmed', 'bob@example.com'],
    ['confirmed', null],
  ]);
});

test('an order of shipments and events alone is the person’s whom an event named', async () => {
  await carrierReports(world, shop, REFERENCE, reported({ email: EMAIL }));
  await carrierReports(world, shop, 'nobody', reported());
  expect((await viewed()).recipients).toEqual([EMAIL]);
  expect(expectStatus(200, await shop.get(`/api/v1/orders?recipient_email=${EMAIL}`))).toMatchObject({
    items: [{ reference: REFERENCE }],
  });
  expect(await completeErasure(shop, EMAIL)).toEqual({ ...EMPTY_REPORT, message_events_deleted: 3 });
  expect(await tracesInDatabase(world.pool, CANARIES.slice(0, 1))).toEqual([]);
  expect(statusAndCode(await read())).toBe('404 order.not_found');
  expect((await viewed('nobody')).shipments).toHaveLength(1);
  expect(await completeErasure(shop, EMAIL)).toEqual(EMPTY_REPORT);
});

test('an order that came with the person’s last message goes with it, another person’s stays whole', async () => {
  await shop.pushed({ ...order, recipient_email: EMAIL });
  await shop.pushed({ reference: 'other', recipient_email: 'bob@example.com', notify: false, shipment });
  await carrierReports(world, shop, 'other', reported());
  await completeErasure(shop, EMAIL);
  expect(statusAndCode(await read())).toBe('404 order.not_found');
  expect((await viewed('other')).shipments).toMatchObject([
    { carrier: CARRIER, events: [{ description: WORDS, location: PLACE }] },
  ]);
});

test('the person’s export has their orders, with shipments and events', async () => {
  await shop.pushed({ ...order, recipient_email: EMAIL, order_status: 'shipped', shipment });
  await carrierReports(world, shop, REFERENCE, reported());
  await carrierReports(world, shop, 'unsent', reported({ email: 'only@example.com' }));
  const exported = async (email: string) =>
    expectStatus<Record<string, unknown>>(200, await shop.get(`/api/v1/recipients/${email}/export`));
  expect((await exported(EMAIL)).orders).toMatchObject([
    {
      reference: REFERENCE,
      status: 'in_transit',
      shipments: [
        {
          ...shipment,
          events: [{ status: 'in_transit', description: WORDS, location: PLACE }],
        },
      ],
    },
  ]);
  const { recipient, orders, webhook_events } = await exported('only@example.com');
  expect({ recipient, orders }).toMatchObject({ recipient: null, orders: [{ reference: 'unsent' }] });
  expect(webhook_events).toMatchObject([
    { type: 'order.updated', data: { recipient_email: 'only@example.com' } },
  ]);
});
