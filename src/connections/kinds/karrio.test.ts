import { describe, expect, test } from 'vitest';
import { eventsOf, proofOf, rawCall, stored } from '../../../test/support/trackingKinds.ts';
import { karrio } from './karrio.ts';

const tracker = (events: unknown, more: object = {}) => ({
  event: 'tracker_updated',
  data: { object_type: 'tracker', tracking_number: 'KR 100-7', carrier_name: 'ups', events, ...more },
});

describe('a call is genuine only with the secret of its webhook', () => {
  const call = (headers: Record<string, string>) => rawCall({ body: '{}', headers });
  test.each([
    ['the secret', { 'x-event-id': 'secret-1' }, 'genuine'],
    ['the one before it', { 'x-event-id': 'secret-0' }, 'genuine'],
    ['another', { 'x-event-id': 'secret-2' }, 'refused'],
    ['an empty one', { 'x-event-id': '' }, 'refused'],
    ['none', {}, 'refused'],
  ])('%s', (_name, headers, expected) => {
    expect(karrio.verify(call(headers), proofOf(['secret-1', 'secret-0']))).toBe(expected);
  });

  test('a connection without a secret refuses every call', () => {
    expect(karrio.verify(call({ 'x-event-id': '' }), proofOf([]))).toBe('refused');
    expect(karrio.verify(call({ 'x-event-id': '' }), proofOf(['']))).toBe('refused');
  });
});

test('equal bodies are one call, and the secret in its header does not identify it', () => {
  const describe = (body: string, id: string) =>
    karrio.describe(rawCall({ body, headers: { 'x-event-id': id } }));
  const one = describe('{"event":"tracker_updated"}', 'a');
  expect(one).toEqual({ ...describe('{"event":"tracker_updated"}', 'b'), topic: 'tracker_updated' });
  expect(one.storeOrder).toBeNull();
  expect(describe('{"event":"tracker_created"}', 'a').key).not.toBe(one.key);
});

test('the history is read oldest first, with the words of the carrier', () => {
  const events = [
    {
      date: '2026-03-06',
      time: '09:30 AM',
      status: 'out_for_delivery',
      description: 'On the van',
      location: '',
    },
    { date: '2026-03-05', time: '04:20 PM', status: 'in_transit', description: 'Left', location: 'Graz, AT' },
    { date: '2026-03-05', time: '08:05', status: 'picked_up', description: ' ', location: null },
  ];
  expect(eventsOf(karrio, tracker(events))).toEqual([
    ['picked_up', '2026-03-05T08:05:00.000Z', null, null],
    ['in_transit', '2026-03-05T16:20:00.000Z', 'Left', 'Graz, AT'],
    ['out_for_delivery', '2026-03-06T09:30:00.000Z', 'On the van', null],
  ]);
});

test.each([
  ['pending', 'label_created'],
  ['picked_up', 'picked_up'],
  ['in_transit', 'in_transit'],
  ['on_hold', 'delayed'],
  ['delivery_delayed', 'delayed'],
  ['out_for_delivery', 'out_for_delivery'],
  ['ready_for_pickup', 'available_for_pickup'],
  ['delivery_failed', 'exception'],
  ['delivered', 'delivered'],
  ['return_to_sender', 'returned'],
  ['unknown', undefined],
  ['cancelled', undefined],
  ['toString', undefined],
])('%s is told as %s', (status, expected) => {
  const read = eventsOf(karrio, tracker([{ date: '2026-03-05', time: '10:00', status }]));
  expect(read?.[0]?.[0]).toBe(expected);
});

test.each([
  [{ date: '2026-03-05', time: '12:10 AM' }, '2026-03-05T00:10:00.000Z'],
  [{ date: '2026-03-05', time: '12:10 PM' }, '2026-03-05T12:10:00.000Z'],
  [{ date: '2026-03-05', time: '16:20 PM' }, '2026-03-05T16:20:00.000Z'],
  [{ date: '2026-03-05', time: '7:05 pm' }, '2026-03-05T19:05:00.000Z'],
  [{ date: '2026-03-05', time: '' }, '2026-03-05T00:00:00.000Z'],
  [{ date: '2026-03-05' }, '2026-03-05T00:00:00.000Z'],
  [
    { date: '2026-03-05', time: '10:00 AM', timestamp: '2026-03-05T10:00:30.000+02:00' },
    '2026-03-05T08:00:30.000Z',
  ],
])('the time %j is %s', (time, expected) => {
  expect(eventsOf(karrio, tracker([{ ...time, status: 'in_transit' }]))?.[0]?.[1]).toBe(expected);
});

test('of events without a status the newest has that of the parcel, and the others tell nothing', () => {
  const events = [
    { date: '2026-03-04', time: '10:00' },
    { date: '2026-03-05', time: '10:00', description: 'Handed over' },
    { date: '2026-03-03', time: '10:00' },
  ];
  expect(eventsOf(karrio, tracker(events, { status: 'delivered' }))).toEqual([
    ['delivered', '2026-03-05T10:00:00.000Z', 'Handed over', null],
  ]);
});

test.each([
  [{ event: 'shipment_purchased', data: { tracking_number: 'KR1' } }, 'nothing', 'other_event'],
  [tracker([]), 'nothing', 'no_history'],
  [tracker(null, { status: 'pending' }), 'nothing', 'no_history'],
  [tracker([{ date: '2026-03-05', status: 'unknown' }]), 'nothing', 'unknown_status'],
  [tracker([], { tracking_number: null }), 'not_understood', 'no_tracking_number'],
  [tracker([], { tracking_number: 'KR/1' }), 'not_understood', 'bad_tracking_number'],
])('%j is in the log as %s, %s', (body, kind, reason) => {
  expect(karrio.read(stored(body))).toMatchObject({ kind, reason });
});
