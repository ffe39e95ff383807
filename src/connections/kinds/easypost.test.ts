import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventsOf, proofOf, rawCall, stored } from '../../../test/support/trackingKinds.ts';
import { easypost } from './easypost.ts';

const update = (details: unknown, more: object = {}) => ({
  object: 'Event',
  id: 'evt_0000000000000000000000000000a001',
  description: 'tracker.updated',
  mode: 'production',
  result: { object: 'Tracker', tracking_code: 'EP7001', tracking_details: details },
  ...more,
});

const signed = (secret: string) =>
  `hmac-sha256-hex=${createHmac('sha256', secret).update('{}').digest('hex')}`;

test.each([
  ['the secret', 'schlüssel', signed('schlüssel'.normalize('NFKD')), 'genuine'],
  ['a secret with a ligature', 'ﬁnal', signed('final'), 'genuine'],
  ['a secret that was not normalised', 'schlüssel', signed('schlüssel'.normalize('NFC')), 'refused'],
  ['another secret', 'secret-1', signed('secret-2'), 'refused'],
  ['the digest alone', 'secret-1', signed('secret-1').slice(16), 'refused'],
])('a call that is signed with %s is genuine or refused', (_name, secret, signature, expected) => {
  const call = rawCall({ body: '{}', headers: { 'x-hmac-signature': signature } });
  expect(easypost.verify(call, proofOf(['another', secret]))).toBe(expected);
});

test('a call without a signature is refused', () => {
  expect(easypost.verify(rawCall({ body: '{}' }), proofOf(['secret-1']))).toBe('refused');
});

test('the id of the event identifies a call', () => {
  expect(easypost.describe(rawCall({ body: JSON.stringify(update([])) }))).toEqual({
    topic: 'tracker.updated',
    key: 'evt_0000000000000000000000000000a001',
    storeOrder: null,
  });
});

test.each([
  ['pre_transit', 'label_created'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['available_for_pickup', 'available_for_pickup'],
  ['delivered', 'delivered'],
  ['return_to_sender', 'returned'],
  ['failure', 'exception'],
  ['cancelled', undefined],
  ['error', undefined],
  ['unknown', undefined],
])('%s is told as %s', (status, expected) => {
  const told = eventsOf(easypost, update([{ status, datetime: '2026-03-05T10:00:00Z' }]));
  expect(told?.[0]?.[0]).toBe(expected);
});

test('the whole history is read, with places as a person writes them', () => {
  const details = [
    {
      status: 'pre_transit',
      datetime: '2026-03-04T08:00:00Z',
      message: 'Label printed',
      tracking_location: { city: null, state: null, country: null, zip: null },
    },
    {
      status: 'in_transit',
      datetime: '2026-03-05T18:30:00Z',
      message: 'Left the depot',
      tracking_location: { city: 'PORTLAND', state: 'OR', country: 'US', zip: '97201' },
    },
  ];
  expect(eventsOf(easypost, update(details))).toEqual([
    ['label_created', '2026-03-04T08:00:00.000Z', 'Label printed', null],
    ['in_transit', '2026-03-05T18:30:00.000Z', 'Left the depot', 'PORTLAND, OR, US'],
  ]);
});

test.each([
  [update([]), 'nothing', 'no_history'],
  [update([{ status: 'unknown', datetime: '2026-03-05T10:00:00Z' }]), 'nothing', 'unknown_status'],
  [{ description: 'batch.updated', result: { object: 'Batch' } }, 'nothing', 'other_event'],
  [update([], { result: {} }), 'not_understood', 'no_tracking_number'],
])('%j is in the log as %s, %s', (body, kind, reason) => {
  expect(easypost.read(stored(body))).toMatchObject({ kind, reason });
});

test('a detail without a status has that of its tracker, if it is the newest', () => {
  const result = {
    tracking_code: 'E 1',
    status: 'delivered',
    tracking_details: [{ datetime: '2026-03-05T10:00:00Z' }, { datetime: '2026-03-04T10:00:00Z' }],
  };
  expect(eventsOf(easypost, { description: 'tracker.updated', result })?.map(([, at]) => at)).toEqual([
    '2026-03-05T10:00:00.000Z',
  ]);
});
