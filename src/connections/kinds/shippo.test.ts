import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventsOf, proofOf, RECEIVED_AT, rawCall, stored } from '../../../test/support/trackingKinds.ts';
import { addressWithToken, shippo } from './shippo.ts';

const update = (history: unknown, more: object = {}) => ({
  event: 'track_updated',
  test: false,
  data: { carrier: 'usps', tracking_number: 'SP7001', tracking_history: history },
  ...more,
});

const now = RECEIVED_AT.getTime() / 1_000;

describe('a signed call is proved by its signature alone', () => {
  const signed = (at: number, secret = 'secret-1', body = '{}') =>
    `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  test.each([
    ['the secret', signed(now), '', 'genuine'],
    ['the one before it', signed(now, 'secret-0'), '', 'genuine'],
    ['a clock that is five minutes behind', signed(now - 300), '', 'genuine'],
    ['a clock that is five minutes ahead', signed(now + 300), '', 'genuine'],
    ['a signature of more than five minutes ago', signed(now - 301), '', 'refused'],
    ['a signature of more than five minutes ahead', signed(now + 301), '', 'refused'],
    ['another secret', signed(now, 'secret-2'), '', 'refused'],
    ['another secret, although the token is right', signed(now, 'secret-2'), 'token=secret-1', 'refused'],
    ['another body', signed(now, 'secret-1', '[]'), '', 'refused'],
    ['a time that was not signed', signed(now).replace(`${now}`, `${now - 1}`), '', 'refused'],
    ['no time', signed(now).replace(/^t=\d+,/, ''), '', 'refused'],
    ['nothing', '', 'token=secret-1', 'refused'],
  ])('%s', (_name, signature, query, expected) => {
    const call = rawCall({ body: '{}', query, headers: { 'shippo-auth-signature': signature } });
    expect(shippo.verify(call, proofOf(['secret-1', 'secret-0']))).toBe(expected);
  });
});

test.each([
  ['token=secret-1', 'genuine'],
  ['token=secret-0', 'genuine'],
  ['token=secret-2', 'refused'],
  ['token=', 'refused'],
  ['', 'refused'],
  ['token=secret-1&token=secret-1', 'refused'],
])('an unsigned call with ?%s is %s', (query, expected) => {
  const proof = proofOf(['secret-1', 'secret-0']);
  expect(shippo.verify(rawCall({ body: '{}', query }), proof)).toBe(expected);
  expect(shippo.verify(rawCall({ body: '{}', query }), proofOf(['']))).toBe('refused');
});

test('the address that Shippo is given carries the secret and has fewer than 200 characters', () => {
  const address = 'https://shop.example/connect/shippo/c1';
  expect(addressWithToken(address, 'a b')).toBe(`${address}?token=a%20b`);
  const longest = 199 - `${address}?token=`.length;
  expect(addressWithToken(address, 'x'.repeat(longest))).toHaveLength(199);
  expect(addressWithToken(address, 'x'.repeat(longest + 1))).toBeNull();
});

test('equal bodies are one call', () => {
  const one = shippo.describe(rawCall({ body: JSON.stringify(update([])), query: 'token=a' }));
  expect(one).toMatchObject({ topic: 'track_updated', storeOrder: null });
  expect(shippo.describe(rawCall({ body: JSON.stringify(update([])) }))).toEqual(one);
  expect(shippo.describe(rawCall({ body: JSON.stringify(update([1])) })).key).not.toBe(one.key);
});

test.each([
  ['PRE_TRANSIT', 'information_received', 'label_created'],
  ['TRANSIT', 'package_departed', 'in_transit'],
  ['TRANSIT', null, 'in_transit'],
  ['TRANSIT', 'package_accepted', 'picked_up'],
  ['TRANSIT', 'out_for_delivery', 'out_for_delivery'],
  ['TRANSIT', 'delivery_attempted', 'delivery_attempted'],
  ['TRANSIT', 'pickup_available', 'available_for_pickup'],
  ['TRANSIT', 'delayed', 'delayed'],
  ['DELIVERED', 'delivered', 'delivered'],
  ['DELIVERED', 'out_for_delivery', 'delivered'],
  ['RETURNED', 'return_to_sender', 'returned'],
  ['FAILURE', 'package_lost', 'exception'],
  ['UNKNOWN', 'other', undefined],
])('%s with %s is told as %s', (status, code, expected) => {
  const entry = { status, substatus: code === null ? null : { code }, status_date: '2026-03-05T10:00:00Z' };
  expect(eventsOf(shippo, update([entry]))?.[0]?.[0]).toBe(expected);
});

test('the history is read with its words and places', () => {
  const history = [
    {
      status: 'TRANSIT',
      status_details: 'On its way',
      status_date: '2026-03-05T10:00:00.000Z',
      location: { city: 'Graz', state: '', zip: '8010', country: 'AT' },
    },
    { status: 'UNKNOWN', status_details: 'No news', status_date: '2026-03-04T10:00:00Z', location: null },
  ];
  expect(eventsOf(shippo, update(history))).toEqual([
    ['in_transit', '2026-03-05T10:00:00.000Z', 'On its way', 'Graz, AT'],
  ]);
});

test.each([
  [update([]), 'nothing', 'no_history'],
  [update([{ status: 'UNKNOWN', status_date: '2026-03-05T10:00:00Z' }]), 'nothing', 'unknown_status'],
  [update([], { test: true }), 'nothing', 'test_event'],
  [update([], { event: 'transaction_created' }), 'nothing', 'other_event'],
  [update([], { data: {} }), 'not_understood', 'no_tracking_number'],
])('%j is in the log as %s, %s', (body, kind, reason) => {
  expect(shippo.read(stored(body))).toMatchObject({ kind, reason });
});

test('the newest step counts where it stands beside the history alone, and once where it is in it', () => {
  const step = { status: 'TRANSIT', status_date: '2026-03-05T10:00:00Z' };
  const newest = { status: 'DELIVERED', status_date: '2026-03-06T10:00:00Z' };
  const call = (...tracking_history: object[]) => ({
    event: 'track_updated',
    data: { tracking_number: 'S 1', tracking_status: newest, tracking_history },
  });
  for (const body of [call(step), call(step, newest)])
    expect(eventsOf(shippo, body)?.map(([status]) => status)).toEqual(['in_transit', 'delivered']);
});
