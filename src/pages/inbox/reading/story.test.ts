import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import type { TrackingStatus } from '../../../contract/orders.ts';
import type { Step } from '../../../orders/progress.ts';
import type { TrackedShipment, TrackingEvent } from '../../../orders/shipmentReadsSql.ts';
import { type InboxMessage, storiesOf } from './story.ts';

const at = new Date('2026-08-20T09:15:00Z');
const message = (facts: Partial<InboxMessage> & { id: string }): InboxMessage => ({
  subject: 'News',
  body: null,
  status: 'active',
  reference: null,
  orderStatus: null,
  statusAt: at,
  createdAt: at,
  updatedAt: at,
  endedAt: null,
  replacedBy: null,
  ...facts,
});

test('a message that was retracted or replaced no longer says where the order is', () => {
  const [story] = storiesOf([
    message({ id: 'c', reference: '#1', orderStatus: 'delivered', status: 'retracted' }),
    message({ id: 'b', reference: '#1', orderStatus: 'shipped', status: 'obsolete' }),
    message({ id: 'a', reference: '#1', orderStatus: 'confirmed' }),
  ]);
  expect(story?.progress?.status).toBe('confirmed');
});

test('an older page shows where the order is now, from the newer messages on the page before', () => {
  const older = [message({ id: 'a', reference: '#1', orderStatus: 'confirmed' })];
  const [told] = storiesOf(older, [], new Map([['#1', { status: 'delivered', at }]]));
  expect(told).toMatchObject({ continued: true, progress: { status: 'delivered' } });
  const [untold] = storiesOf(older, [], new Map([['#1', null]]));
  expect(untold).toMatchObject({ continued: true, progress: { status: 'confirmed' } });
  expect(storiesOf(older)[0]).toMatchObject({ continued: false });
});

const anyMessages = fc
  .array(
    fc.record({
      reference: fc.constantFrom(null, '#1', '#2', 'A-3'),
      orderStatus: fc.constantFrom(null, ...ORDER_STATUSES),
      status: fc.constantFrom('active' as const, 'obsolete' as const, 'retracted' as const),
    }),
    { maxLength: 30 },
  )
  .map((list) => list.map((facts, index) => message({ id: `m${String(99 - index)}`, ...facts })));

test('whatever the messages, each is in one story, orders are not torn apart, and the newest come first', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const stories = storiesOf(messages);
      const shown = stories.flatMap((story) => story.messages);
      expect(shown.map(({ id }) => id).sort()).toEqual(messages.map(({ id }) => id).sort());
      expect(new Set(stories.map(({ key }) => key)).size).toBe(stories.length);
      for (const story of stories) {
        expect(story.messages.every(({ reference }) => reference === story.reference)).toBe(true);
        if (story.reference === null) expect(story.messages).toHaveLength(1);
        const places = story.messages.map((told) => messages.indexOf(told));
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }
      const newest = stories.flatMap((story) =>
        story.messages.slice(0, 1).map((told) => messages.indexOf(told)),
      );
      expect(newest).toEqual([...newest].sort((a, b) => a - b));
    }),
  );
});

const tracked = (facts: Partial<TrackedShipment> = {}): TrackedShipment => ({
  reference: '#1',
  trackingNumber: 'A',
  carrier: null,
  trackingUrl: null,
  expectedOn: null,
  expectedUntil: null,
  status: null,
  events: [],
  ...facts,
});
const event = (status: TrackingStatus, hour: number): TrackingEvent => ({
  status,
  at: new Date(Date.UTC(2026, 7, 20, hour)),
  description: null,
  location: null,
});
/** Its status holds from 9:15. */
const shipped = message({ id: 'a', reference: '#1', orderStatus: 'shipped' });

test.each<[string, TrackingEvent[], Step]>([
  ['a later event moves the order', [event('out_for_delivery', 10)], 'out_for_delivery'],
  ['an earlier one does not', [event('in_transit', 8)], 'shipped'],
  ['one that waits to be collected', [event('available_for_pickup', 10)], 'ready_for_pickup'],
  ['one that went wrong', [event('exception', 10)], 'delayed'],
  ['one that goes back', [event('returned', 10)], 'returned'],
])('what a carrier reports counts at its own time: %s', (_, events, status) => {
  const [story] = storiesOf([shipped], [tracked({ events })]);
  expect(story?.progress?.status).toBe(status);
});

test('of an event and a message of the same time the event counts', () => {
  const events = [{ ...event('delivered', 9), at }];
  expect(storiesOf([shipped], [tracked({ events })])[0]?.progress?.status).toBe('delivered');
});

test('each order has its own parcels, in the order in which they were first named', () => {
  const stories = storiesOf(
    [shipped, message({ id: 'b', reference: '#2' }), message({ id: 'c' })],
    [tracked({ trackingNumber: 'B' }), tracked({ reference: '#2' }), tracked({ trackingNumber: 'A' })],
  );
  expect(stories.map(({ shipments }) => shipments.map((one) => one.trackingNumber))).toEqual([
    ['B', 'A'],
    ['A'],
    [],
  ]);
});
