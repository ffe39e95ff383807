import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TrackingStatus, trackingStatuses } from '../contract/orders.ts';
import { earlier, HOUR, later, MINUTE } from '../kit/clock.ts';
import {
  type Addressee,
  applyToOrder,
  decideTracking,
  type PushByHand,
  type ReportedEvent,
  type TrackedOrder,
} from './decideTracking.ts';

const NOW = new Date('2026-08-20T09:15:00.000Z');
const ANN: Addressee = { id: 'r', email: 'ann@example.com', language: null };
const ALL = { trackingNudges: trackingStatuses };

const event = (change: Partial<ReportedEvent> = {}): ReportedEvent => ({
  trackingNumber: 'JD01',
  status: 'delivered',
  at: NOW,
  description: null,
  location: null,
  recipientEmail: null,
  isQuiet: false,
  ...change,
});

const order = (past: readonly ReportedEvent[] = [], byHand: readonly PushByHand[] = []): TrackedOrder => {
  const known: TrackedOrder = { shipments: new Map(), byHand, recipient: ANN };
  for (const one of past) applyToOrder(known, one, ANN, decideTracking(known, one, ALL, NOW));
  return known;
};

const hand = (orderStatus: string, hoursAgo: number): PushByHand => ({
  messageId: 'm',
  orderStatus,
  at: earlier(NOW, hoursAgo * HOUR),
});

const before = earlier(NOW, MINUTE);
const after = later(NOW, MINUTE);

describe('an event', () => {
  test.each<[string, TrackedOrder, Partial<ReportedEvent>, object]>([
    [
      'that is the first of all',
      order(),
      {},
      { stored: true, isFirst: true, isNewest: true, tells: 'delivered' },
    ],
    ['that is stored already', order([event()]), {}, { stored: false, isFirst: false, untold: 'repeated' }],
    [
      'of a status that was told',
      order([event()]),
      { at: after },
      { stored: true, isFirst: false, untold: 'not_first' },
    ],
    [
      'older than the latest',
      order([event({ status: 'in_transit', at: after })]),
      {},
      { stored: true, isFirst: true, isNewest: false, untold: 'late' },
    ],
    [
      'as old as the latest',
      order([event({ status: 'in_transit' })]),
      {},
      { isNewest: true, tells: 'delivered' },
    ],
    [
      'newer than the latest',
      order([event({ status: 'in_transit', at: before })]),
      {},
      { tells: 'delivered' },
    ],
    [
      'of another shipment',
      order([event({ trackingNumber: 'JD02', at: after })]),
      {},
      { tells: 'delivered' },
    ],
    ['that nobody is to hear of', order(), { status: 'returned' }, { stored: true, untold: 'not_chosen' }],
    [
      'told by hand',
      order([], [hand('delivered', 11)]),
      {},
      { isFirst: true, untold: 'told_by_hand', toldBy: 'm' },
    ],
    ['told by hand long ago', order([], [hand('delivered', 12)]), {}, { tells: 'delivered' }],
    ['of another status than was told by hand', order([], [hand('shipped', 1)]), {}, { tells: 'delivered' }],
    [
      'told by hand in other words',
      order([], [hand('delayed', 1)]),
      { status: 'exception' },
      { untold: 'told_by_hand' },
    ],
    [
      'late and told by hand',
      order([event({ status: 'in_transit', at: after })], [hand('delivered', 1)]),
      {},
      { untold: 'late', toldBy: null },
    ],
  ])('%s', (_, known, change, expected) => {
    expect(decideTracking(known, event(change), ALL, NOW)).toMatchObject(expected);
  });

  test('makes no message if its status is not chosen', () => {
    const verdict = decideTracking(order(), event(), { trackingNudges: ['delayed'] }, NOW);
    expect(verdict).toMatchObject({ stored: true, isFirst: true, tells: null, untold: 'not_chosen' });
  });
});

const reports = fc.array(
  fc.record({
    trackingNumber: fc.constantFrom('JD01', 'JD02'),
    status: fc.constantFrom(...trackingStatuses),
    minute: fc.nat(6),
  }),
  { maxLength: 40 },
);

test('of the same events in any two orders, the shipment ends the same but for ties, and all are stored once', () => {
  fc.assert(
    fc.property(reports, (given) => {
      const stateOf = (list: typeof given) => {
        const known = order(
          list.map(({ trackingNumber, status, minute }) =>
            event({ trackingNumber, status, at: later(NOW, minute * MINUTE) }),
          ),
        );
        return [...known.shipments]
          .map(([number, { latestAt, stored }]) => ({
            number,
            latestAt,
            stored: [...stored]
              .map(([status, moments]): [TrackingStatus, number[]] => [status, [...moments].sort()])
              .sort(),
          }))
          .sort((a, b) => (a.number < b.number ? -1 : 1));
      };
      expect(stateOf(given.toReversed())).toEqual(stateOf(given));
    }),
  );
});
