import { describe, expect, test } from 'vitest';
import { NOW, orderFacts, play, shipmentFacts } from '../../test/support/storeOrders.ts';
import { DAY, earlier, later, MINUTE } from '../kit/clock.ts';
import type { OrderFacts } from './facts.ts';

describe('which changes are told', () => {
  test('an order that is paid, shipped and refunded is told three times, in its own order', () => {
    const story = play([
      orderFacts({ statuses: ['processing'] }),
      orderFacts({ statuses: ['completed'], minute: 1 }),
      orderFacts({ statuses: ['refunded'], minute: 2 }),
    ]);
    expect(story.told).toEqual(['confirmed', 'shipped', 'refunded']);
  });

  test('the same order saved again tells nothing', () => {
    const story = play([
      orderFacts({ statuses: ['processing'] }),
      orderFacts({ statuses: ['processing'], minute: 1 }),
    ]);
    expect(story.told).toEqual(['confirmed']);
    expect(story.reasons).toEqual([null, 'no_change']);
  });

  test('a call that another overtook tells nothing', () => {
    const story = play([
      orderFacts({ statuses: ['completed'], minute: 5 }),
      orderFacts({ statuses: ['processing'], minute: 1 }),
    ]);
    expect(story.told).toEqual(['shipped']);
    expect(story.reasons).toEqual([null, 'late']);
  });

  test('"confirmed" is skipped where "shipped" is known already', () => {
    const story = play([orderFacts({ statuses: ['processing'], shipments: [shipmentFacts('1', 'A1')] })]);
    expect(story.told).toEqual(['shipped A1']);
  });

  test('one call tells a status once, whatever number of shipments it brings', () => {
    const shipments = [shipmentFacts('1', 'A1'), shipmentFacts('2', 'B2')];
    expect(play([orderFacts({ statuses: ['completed'], shipments })]).told).toEqual(['shipped A1 B2']);
  });

  test('where the store tells each shipment, a number that begins like another is told, too', () => {
    const story = play(
      [
        orderFacts({ shipments: [shipmentFacts('A1 2', 'A1 2')] }),
        orderFacts({ shipments: [shipmentFacts('A1', 'A1')], minute: 1 }),
      ],
      { tellsEachShipment: true },
    );
    expect(story.told).toEqual(['shipped A1 2', 'shipped A1']);
  });

  test('tracking that comes after "shipped" is added quietly', () => {
    const story = play([
      orderFacts({ statuses: ['completed'] }),
      orderFacts({ statuses: ['completed'], minute: 1, shipments: [shipmentFacts('1', 'A1')] }),
    ]);
    expect(story.told).toEqual(['shipped']);
    expect(story.quiet).toEqual(['A1']);
  });

  test('a corrected number of a told shipment is added quietly, once', () => {
    const story = play([
      orderFacts({ shipments: [shipmentFacts('1', 'A1')] }),
      orderFacts({ minute: 1, shipments: [shipmentFacts('1', 'A2')] }),
      orderFacts({ minute: 2, shipments: [shipmentFacts('1', 'A2')] }),
    ]);
    expect(story.told).toEqual(['shipped A1']);
    expect(story.quiet).toEqual(['A2']);
  });

  test('a second shipment is told where the store tells each, and added quietly where it does not', () => {
    const calls = [
      orderFacts({ shipments: [shipmentFacts('1', 'A1')] }),
      orderFacts({ minute: 1, shipments: [shipmentFacts('1', 'A1'), shipmentFacts('2', 'B2')] }),
    ];
    expect(play(calls, { tellsEachShipment: true }).told).toEqual(['shipped A1', 'shipped B2']);
    const once = play(calls, { tellsEachShipment: false });
    expect(once.told).toEqual(['shipped A1']);
    expect(once.quiet).toEqual(['B2']);
  });

  test('parcels that were known before are not added again when the order is saved', () => {
    const shipments = [shipmentFacts('1', 'A1')];
    const story = play([0, 1].map((minute) => orderFacts({ shipments, minute })));
    expect(story.quiet).toEqual([]);
  });

  test('a shipment whose number begins like that of another is told as well', () => {
    const story = play(
      [
        orderFacts({ shipments: [shipmentFacts('A1 2', 'A1 2')] }),
        orderFacts({ shipments: [shipmentFacts('A1', 'A1')], minute: 1 }),
      ],
      { tellsEachShipment: true },
    );
    expect(story.told).toEqual(['shipped A1 2', 'shipped A1']);
  });

  test('a shipment that the store tells in two words is told once', () => {
    const story = play(
      [
        orderFacts({ shipments: [shipmentFacts('1', 'A1')] }),
        orderFacts({ minute: 1, shipments: [{ ...shipmentFacts('1', 'A1'), status: 'approved' }] }),
      ],
      { tellsEachShipment: true, statuses: { approved: 'shipped' } },
    );
    expect(story.told).toEqual(['shipped A1']);
  });

  test('a shipment of which the store asks to tell nobody is not told', () => {
    const story = play([orderFacts({ shipments: [{ ...shipmentFacts('1', 'A1'), isQuiet: true }] })]);
    expect(story.told).toEqual([]);
    expect(story.reasons).toEqual(['quiet']);
  });

  test('a shipment of which the store asks to tell nobody is not added to the message of another', () => {
    const told = shipmentFacts('1', 'A1');
    const story = play([
      orderFacts({ shipments: [told] }),
      orderFacts({ shipments: [told, { ...shipmentFacts('2', 'B2'), isQuiet: true }], minute: 1 }),
    ]);
    expect(story.quiet).toEqual([]);
  });

  test('a status that the settings do not tell is told neither now nor when the order is saved again', () => {
    const story = play([
      orderFacts({ statuses: ['on-hold'] }),
      { ...orderFacts({ statuses: ['on-hold'], minute: 1 }), settings: { 'on-hold': 'delayed' } },
      { ...orderFacts({ statuses: ['processing'], minute: 2 }) },
      { ...orderFacts({ statuses: ['on-hold'], minute: 3 }), settings: { 'on-hold': 'delayed' } },
    ]);
    expect(story.reasons[0]).toBe('status_not_told');
    expect(story.told).toEqual(['confirmed', 'delayed']);
  });

  test('an order that comes back to a status is not told it twice', () => {
    const statuses = ['processing', 'on-hold', 'processing'];
    const story = play(statuses.map((status, minute) => orderFacts({ statuses: [status], minute })));
    expect(story.told).toEqual(['confirmed']);
  });
});

describe('an order that is first seen', () => {
  const at = (ms: number) => earlier(NOW, ms);

  test.each([
    ['within a day of its status', { statusAt: at(DAY - MINUTE), createdAt: at(9 * DAY) }, ['shipped']],
    ['later than a day after its status', { statusAt: at(DAY + MINUTE), createdAt: at(MINUTE) }, []],
    [
      'without a date of its status, within a day of its making',
      { statusAt: null, createdAt: at(MINUTE) },
      ['shipped'],
    ],
    ['without a date of its status, later than that', { statusAt: null, createdAt: at(DAY + MINUTE) }, []],
  ])('%s', (_, dates, told) => {
    expect(play([orderFacts({ statuses: ['completed'], ...dates })]).told).toEqual(told);
  });

  test('is remembered if it is old, and its next status is told', () => {
    const old = { statusAt: at(9 * DAY), createdAt: at(9 * DAY) };
    const story = play([
      orderFacts({ statuses: ['processing'], ...old }),
      orderFacts({ statuses: ['processing'], ...old, minute: 1 }),
      orderFacts({ statuses: ['completed'], ...old, minute: 2 }),
    ]);
    expect(story.reasons).toEqual(['too_old', 'no_change', null]);
    expect(story.told).toEqual(['shipped']);
  });
});

describe('what cannot be told', () => {
  test('a test order is only logged', () => {
    expect(play([orderFacts({ statuses: ['processing'], isTest: true })]).reasons).toEqual(['test_order']);
  });

  test('an order without an address is told once it has one', () => {
    const story = play([
      orderFacts({ statuses: ['processing'], email: null }),
      orderFacts({ statuses: ['processing'], minute: 1 }),
    ]);
    expect(story.reasons).toEqual(['no_email', null]);
    expect(story.told).toEqual(['confirmed']);
  });

  test('an old order without an address is not told when it gets one', () => {
    const old = { statuses: ['processing'], statusAt: earlier(NOW, 9 * DAY) };
    const story = play([orderFacts({ ...old, email: null }), orderFacts({ ...old, minute: 1 })]);
    expect(story.reasons).toEqual(['too_old', 'no_change']);
  });

  test('a shipment that comes before its order waits for it', () => {
    const story = play([
      { ...orderFacts({ shipments: [shipmentFacts('1', 'A1')] }), order: null },
      orderFacts({ statuses: ['processing'] }),
    ]);
    expect(story.reasons).toEqual(['waits_for_order', null]);
    expect(story.told).toEqual(['shipped A1']);
  });

  test('refunds are told when they add up to what the order cost', () => {
    const order = orderFacts({ statuses: ['processing'], total: 5_000 });
    const refund = (id: string, amount: number) => ({
      ...orderFacts({}),
      order: null,
      refunds: [{ id, amount }],
    });
    const story = play([order, refund('r1', 2_000), refund('r1', 2_000), refund('r2', 3_000)]);
    expect(story.told).toEqual(['confirmed', 'refunded']);
  });
});

describe('watching', () => {
  test('shows what would be sent, and none of it is sent when the connection is live', () => {
    const calls = [
      { ...orderFacts({ statuses: ['processing'] }), isWatched: true },
      orderFacts({ statuses: ['processing'], minute: 1 }),
      orderFacts({ statuses: ['completed'], minute: 2 }),
    ];
    const story = play(calls);
    expect(story.watched).toEqual(['confirmed']);
    expect(story.told).toEqual(['shipped']);
  });

  test('shows a shipment once, though its number comes in a call of its own', () => {
    const completed = { ...orderFacts({ statuses: ['completed'] }), isWatched: true };
    const tracked = orderFacts({
      statuses: ['completed'],
      shipments: [shipmentFacts('1', 'A1')],
      minute: 1,
    });
    const story = play([completed, { ...tracked, isWatched: true }]);
    expect(story.watched).toEqual(['shipped']);
    expect(story.reasons).toEqual([null, 'quiet']);
  });

  test('a watched call that is run again shows anew what it would send', () => {
    const call = { ...orderFacts({ statuses: ['processing'] }), isWatched: true };
    expect(play([call, { ...call, isAgain: true }]).watched).toEqual(['confirmed', 'confirmed']);
  });

  test('what a carrier reports is shown if it would nudge, and never reported later', () => {
    const event = (status: 'delivered' | 'in_transit') => ({
      shipmentId: '1',
      status,
      at: later(NOW, MINUTE),
      description: null,
      location: null,
    });
    const shipped = { ...orderFacts({ shipments: [shipmentFacts('1', 'A1')] }), isWatched: true };
    const delivered = {
      ...orderFacts({ minute: 1 }),
      events: [event('delivered'), event('in_transit')],
      isWatched: true,
    };
    const story = play([shipped, delivered, orderFacts({ minute: 2 })]);
    expect(story.watched).toEqual(['shipped A1', 'delivered A1']);
    expect(story.events).toEqual([]);
  });
});

test('"confirmed" is skipped where "shipped" was only remembered', () => {
  const old = { statusAt: earlier(NOW, 9 * DAY), createdAt: earlier(NOW, 9 * DAY) };
  const story = play([
    orderFacts({ statuses: ['completed'], ...old }),
    orderFacts({ statuses: ['processing'], minute: 1, ...old }),
  ]);
  expect(story.told).toEqual([]);
  expect(story.reasons).toEqual(['too_old', 'shipped_known']);
});

describe('while watching', () => {
  const watched = (facts: OrderFacts) => ({ ...facts, isWatched: true });

  test('tracking that comes after "shipped" was shown would be added quietly', () => {
    const story = play([
      watched(orderFacts({ statuses: ['completed'] })),
      watched(orderFacts({ statuses: ['completed'], minute: 1, shipments: [shipmentFacts('1', 'A1')] })),
    ]);
    expect(story.watched).toEqual(['shipped']);
    expect(story.reasons).toEqual([null, 'quiet']);
  });

  test('a call that is run again shows what it says itself, and nothing of it is sent later', () => {
    const calls = [
      orderFacts({ statuses: ['processing'] }),
      orderFacts({ statuses: ['processing'], minute: 1, shipments: [shipmentFacts('1', 'A1')] }),
      orderFacts({ statuses: ['completed'], minute: 2, shipments: [shipmentFacts('1', 'A1')] }),
    ].map(watched);
    const [first, second] = calls;
    if (!first || !second) throw new Error('no calls');
    const live = orderFacts({ statuses: ['completed'], minute: 3, shipments: [shipmentFacts('1', 'A1')] });
    const story = play([...calls, { ...first, isAgain: true }, { ...second, isAgain: true }, live]);
    expect(story.watched).toEqual(['confirmed', 'shipped A1', 'confirmed', 'shipped A1']);
    expect(story.told).toEqual([]);
  });
});

describe('run again', () => {
  test('tells an old order that was only remembered, and a status that tells something by now', () => {
    const old = { statusAt: earlier(NOW, 9 * DAY), createdAt: earlier(NOW, 9 * DAY) };
    const call = orderFacts({ statuses: ['processing'], ...old });
    expect(play([call, { ...call, isAgain: true }]).told).toEqual(['confirmed']);
    const held = orderFacts({ statuses: ['on-hold'] });
    expect(play([held, { ...held, isAgain: true, settings: { 'on-hold': 'delayed' } }]).told).toEqual([
      'delayed',
    ]);
  });

  test('tells nothing that was told, and nothing that was watched', () => {
    const call = orderFacts({ statuses: ['processing'] });
    expect(play([call, { ...call, isAgain: true }]).told).toEqual(['confirmed']);
    expect(
      play([
        { ...call, isWatched: true },
        { ...call, isAgain: true },
      ]).told,
    ).toEqual([]);
  });

  test('tells the refund that completed what the order cost', () => {
    const order = orderFacts({ statuses: ['processing'], total: 5_000 });
    const refund = { ...orderFacts({}), order: null, refunds: [{ id: 'r', amount: 5_000 }] };
    const story = play([order, { ...refund, settings: { refunded: null } }, { ...refund, isAgain: true }]);
    expect(story.told).toEqual(['confirmed', 'refunded']);
  });

  test('tells of what the call itself names only', () => {
    const old = { statusAt: earlier(NOW, 9 * DAY), createdAt: earlier(NOW, 9 * DAY) };
    const refund = { ...orderFacts({}), order: null, refunds: [{ id: 'r', amount: 1 }] };
    const story = play([
      orderFacts({ statuses: ['processing'], ...old }),
      refund,
      { ...refund, isAgain: true },
    ]);
    expect(story.told).toEqual([]);
  });
});

test('what the carrier reports waits for the number of its parcel, and is reported once', () => {
  const event = {
    shipmentId: '1',
    status: 'delivered' as const,
    at: later(NOW, MINUTE),
    description: 'Left with a neighbour',
    location: null,
  };
  const story = play([
    { ...orderFacts({}), order: null, events: [event] },
    orderFacts({ statuses: ['processing'], minute: 1 }),
    orderFacts({ statuses: ['processing'], minute: 2, shipments: [shipmentFacts('1', 'A1')] }),
    orderFacts({ statuses: ['processing'], minute: 3 }),
  ]);
  expect(story.events).toEqual(['A1 delivered']);
});
