import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventsOf, proofOf, rawCall, stored } from '../../../test/support/trackingKinds.ts';
import { aftership } from './aftership.ts';

const update = (checkpoints: unknown, more: object = {}) => ({
  event: 'tracking_update',
  event_id: '5f0c7b1e-0000-4000-8000-0000000000a1',
  msg: { tracking_number: 'AS-70 01', slug: 'dpd', checkpoints, ...more },
});

const signed = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('base64');

test.each([
  ['the secret', signed('{"ä":1}', 'secret-1'), 'genuine'],
  ['the one before it', signed('{"ä":1}', 'secret-0'), 'genuine'],
  ['another secret', signed('{"ä":1}', 'secret-2'), 'refused'],
  ['the secret, over another body', signed('{"ä":2}', 'secret-1'), 'refused'],
  ['the secret in hex', createHmac('sha256', 'secret-1').update('{"ä":1}').digest('hex'), 'refused'],
  ['nothing', '', 'refused'],
])('a call that is signed with %s is %s', (_name, signature, expected) => {
  const call = rawCall({ body: '{"ä":1}', headers: { 'aftership-hmac-sha256': signature } });
  expect(aftership.verify(call, proofOf(['secret-1', 'secret-0']))).toBe(expected);
});

test('a call without a signature is refused, and so is every call of a connection without a secret', () => {
  expect(aftership.verify(rawCall({ body: '{}' }), proofOf(['secret-1']))).toBe('refused');
  const call = rawCall({ body: '{}', headers: { 'aftership-hmac-sha256': signed('{}', '') } });
  expect(aftership.verify(call, proofOf([]))).toBe('refused');
  expect(aftership.verify(call, proofOf(['']))).toBe('refused');
});

test('the event id identifies a call', () => {
  expect(aftership.describe(rawCall({ body: JSON.stringify(update([])) }))).toEqual({
    topic: 'tracking_update',
    key: '5f0c7b1e-0000-4000-8000-0000000000a1',
    storeOrder: null,
  });
  const { key } = aftership.describe(rawCall({ body: '{"event_id":"a\\u0000b"}' }));
  expect(key).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['InfoReceived', 'InfoReceived_001', 'label_created'],
  ['InTransit', 'InTransit_001', 'in_transit'],
  ['InTransit', 'InTransit_002', 'picked_up'],
  ['OutForDelivery', null, 'out_for_delivery'],
  ['AttemptFail', 'AttemptFail_001', 'delivery_attempted'],
  ['AvailableForPickup', null, 'available_for_pickup'],
  ['Delivered', 'Delivered_003', 'delivered'],
  ['Exception', 'Exception_001', 'exception'],
  ['Exception', 'Exception_011', 'returned'],
  ['Expired', 'Expired_001', undefined],
  ['Pending', 'Pending_001', undefined],
])('%s with %s is told as %s', (tag, subtag, expected) => {
  const checkpoint = { tag, subtag, checkpoint_time: '2026-03-05T10:00:00' };
  expect(eventsOf(aftership, update([checkpoint]))?.[0]?.[0]).toBe(expected);
});

test.each([
  ['2026-03-05T10:00:00', '2026-03-05T10:00:00.000Z'],
  ['2026-03-05T10:00:00+08:00', '2026-03-05T02:00:00.000Z'],
  ['2026-03-05 10:00:00 -0500', '2026-03-05T15:00:00.000Z'],
  ['2026-03-05T10:00', '2026-03-05T10:00:00.000Z'],
  ['2026-03-05', '2026-03-05T00:00:00.000Z'],
  ['2026-03-11T12:00:00Z', '2026-03-11T12:00:00.000Z'],
])('the time %s is %s', (checkpoint_time, expected) => {
  const [event] = eventsOf(aftership, update([{ tag: 'InTransit', checkpoint_time }])) ?? [];
  expect(event?.[1]).toBe(expected);
});

test.each(['2026-03-11T12:00:01Z', 'yesterday', '05/03/2026', '2026-13-01T00:00:00', '', null, 1772704800])(
  'a checkpoint at %j has no time that could be told, and the others are',
  (checkpoint_time) => {
    const wrong = { tag: 'Delivered', checkpoint_time };
    const right = { tag: 'InTransit', checkpoint_time: '2026-03-05T10:00:00' };
    expect(eventsOf(aftership, update([right, wrong]))?.map(([status]) => status)).toEqual(['in_transit']);
    expect(aftership.read(stored(update([wrong])))).toMatchObject({
      kind: 'nothing',
      reason: 'no_valid_time',
    });
  },
);

test('checkpoints in any order are told oldest first, each once', () => {
  const at = (tag: string, day: number, message: string) => ({
    tag,
    checkpoint_time: `2026-03-0${day}T10:00:00`,
    message,
  });
  const shuffled = [
    at('OutForDelivery', 4, 'third'),
    at('InfoReceived', 1, 'first'),
    at('InTransit', 2, 'second'),
    at('InTransit', 2, 'second'),
  ];
  expect(eventsOf(aftership, update(shuffled))?.map(([, , words]) => words)).toEqual([
    'first',
    'second',
    'third',
  ]);
});

test.each([
  [false, ['delivered', 'out_for_delivery']],
  [true, ['out_for_delivery', 'delivered']],
])(
  'of two checkpoints in one second the order of the list decides (newest first: %s)',
  (newest, expected) => {
    const list = [
      { tag: 'InTransit', checkpoint_time: '2026-03-05T09:00:00' },
      { tag: 'Delivered', checkpoint_time: '2026-03-05T10:00:00' },
      { tag: 'OutForDelivery', checkpoint_time: '2026-03-05T10:00:00' },
    ];
    const [first, ...rest] = list;
    const told = eventsOf(aftership, update(newest ? [...rest, first] : list));
    expect(told?.slice(1).map(([status]) => status)).toEqual(expected);
  },
);

test.each([
  [
    { message: ' Left\u0000 the\u2028hub\u202e ', city: 'Graz', state: ' ', country_name: 'Austria' },
    'Left the hub',
    'Graz, Austria',
  ],
  [{ message: '', location: '' }, null, null],
  [{ message: '\u200b\n', location: 'Graz, AT', city: 'Wien' }, null, 'Graz, AT'],
  [{ message: 'ä'.repeat(501), location: '😀'.repeat(201) }, 'ä'.repeat(500), '😀'.repeat(200)],
  [{ message: '\ud83d', location: 7 }, '\ufffd', '7'],
])('%j is shown as %j at %j', (words, description, location) => {
  const checkpoint = { tag: 'InTransit', checkpoint_time: '2026-03-05T10:00:00', ...words };
  expect(eventsOf(aftership, update([checkpoint]))?.[0]?.slice(2)).toEqual([description, location]);
});

test('of a very long history the newest 200 steps are told', () => {
  const checkpoints = Array.from({ length: 300 }, (_, n) => ({
    tag: 'InTransit',
    checkpoint_time: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  }));
  const told = eventsOf(aftership, update(checkpoints));
  expect(told).toHaveLength(200);
  expect(told?.at(-1)?.[1]).toBe('2026-01-01T04:59:00.000Z');
});

test.each([
  ['not json', 'not_understood', 'not_json'],
  [update([]), 'nothing', 'no_history'],
  [update([{ tag: 'Pending' }, { tag: 'Expired' }]), 'nothing', 'unknown_status'],
  [{ event: 'tracking_update' }, 'not_understood', 'no_tracking_number'],
  [update([], { tracking_number: '--' }), 'not_understood', 'bad_tracking_number'],
  [update([], { tracking_number: 'A'.repeat(65) }), 'not_understood', 'bad_tracking_number'],
])('%j is in the log as %s, %s', (body, kind, reason) => {
  expect(aftership.read(stored(body))).toMatchObject({ kind, reason });
});

test('a checkpoint without a tag has that of its parcel, if it is the newest', () => {
  const checkpoints = [
    { checkpoint_time: '2026-03-04T10:00:00' },
    { checkpoint_time: '2026-03-05T10:00:00' },
    { tag: 'InTransit', checkpoint_time: '2026-03-03T10:00:00' },
  ];
  const events = eventsOf(aftership, update(checkpoints, { tag: 'Delivered', subtag: 'Delivered_001' }));
  expect(events?.map(([status, at]) => [status, at])).toEqual([
    ['in_transit', '2026-03-03T10:00:00.000Z'],
    ['delivered', '2026-03-05T10:00:00.000Z'],
  ]);
});
