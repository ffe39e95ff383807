import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortOrLong } from '../../test/support/shortOrLong.ts';
import { NOW, orderFacts, play, type StoryCall, shipmentFacts } from '../../test/support/storeOrders.ts';
import { DAY, earlier, later, MINUTE } from '../kit/clock.ts';
import { type KnownOrder, mergeFacts } from './knownOrder.ts';

const SHIPMENTS = ['1', '1 2', '3'];
const minute = fc.integer({ min: 0, max: 4 });
const time = fc.option(minute.map((minutes) => later(NOW, minutes * MINUTE)));
const dated = fc.constantFrom(NOW, earlier(NOW, 9 * DAY));

const anyShipment = fc
  .record({
    id: fc.constantFrom(...SHIPMENTS),
    status: fc.constantFrom('tracking_added', 'approved', 'unknown'),
    modifiedAt: time,
    isQuiet: rarely(true, false),
    hasParcel: rarely(false, true),
  })
  .map(({ id, hasParcel, ...rest }) => {
    const shipment = { ...shipmentFacts(id, `N${id}`), ...rest };
    return hasParcel ? shipment : { ...shipment, parcels: [] };
  });

const anyEvent = fc.record({
  shipmentId: fc.constantFrom(...SHIPMENTS),
  status: fc.constantFrom('delivered' as const, 'delayed' as const, 'in_transit' as const),
  at: fc.constant(NOW),
  description: fc.constant(null),
  location: fc.constant(null),
});

const anyCall: fc.Arbitrary<StoryCall> = fc
  .record({
    statuses: fc.subarray(['pending', 'paid', 'processing', 'completed', 'cancelled'], { maxLength: 2 }),
    minute,
    statusAt: fc.oneof(fc.constant(null), dated),
    createdAt: dated,
    email: rarely(null, 'ann@example.com'),
    total: fc.constantFrom(null, 5_000),
    shipments: fc.uniqueArray(anyShipment, { maxLength: 2, selector: ({ id }) => id }),
    events: fc.array(anyEvent, { maxLength: 2 }),
    refunds: fc.array(
      fc.record({ id: fc.constantFrom('r1', 'r2'), amount: fc.constantFrom(2_000, 3_000, 5_000) }),
      {
        maxLength: 1,
      },
    ),
    hasOrder: rarely(false, true),
    isWatched: rarely(true, false),
    isAgain: rarely(true, false),
  })
  .map(({ events, refunds, hasOrder, isWatched, isAgain, ...choice }) => {
    const facts = { ...orderFacts(choice), events, refunds, isWatched, isAgain };
    return hasOrder ? facts : { ...facts, order: null };
  });

const anyCalls = fc.array(anyCall, { maxLength: 8 });
const RULES = { statuses: { paid: 'confirmed', approved: 'shipped' } } as const;
const RUNS = { numRuns: shortOrLong(300, 5_000) };

function rarely<T>(rare: T, usual: T): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: fc.constant(rare), weight: 1 }, { arbitrary: fc.constant(usual), weight: 5 });
}

/** Whatever a store sends of an order, in whatever order, again and again, with a change of the connection's status between. */
const holds = (check: (calls: StoryCall[]) => void): void => fc.assert(fc.property(anyCalls, check), RUNS);

const statusesOf = (told: readonly string[]): string[] => told.map((line) => line.split(' ')[0] ?? '');
function isOnce(list: readonly string[]): void {
  expect(list.toSorted()).toEqual([...new Set(list)].sort());
}

describe('whatever a store sends of an order', () => {
  test('each order status is told once at most', () =>
    holds((calls) => isOnce(statusesOf(play(calls, RULES).told))));

  test('where the store tells each shipment, each change and each shipment is told once at most', () =>
    holds((calls) => {
      const { changes, told } = play(calls, { ...RULES, tellsEachShipment: true });
      isOnce(changes);
      isOnce(changes.filter(isOfShipment).map(shipmentOf));
      isOnce(statusesOf(told).filter((status) => status !== 'shipped'));
    }));

  test('nothing that was watched is told', () =>
    holds((calls) => {
      const { changes, watchedChanges } = play(calls, RULES);
      expect(changes.filter((name) => watchedChanges.includes(name))).toEqual([]);
    }));

  test('"confirmed" is never told after "shipped"', () =>
    holds((calls) => {
      const told = statusesOf(play(calls, RULES).told);
      if (told.includes('shipped')) expect(told.slice(told.indexOf('shipped'))).not.toContain('confirmed');
    }));

  test('all of it once more tells nothing', () =>
    fc.assert(
      fc.property(anyCalls.chain(writtenApart), fc.boolean(), (calls, tellsEachShipment) => {
        const rules = { ...RULES, tellsEachShipment };
        expect(play([...calls, ...calls], rules).told).toEqual(play(calls, rules).told);
      }),
      RUNS,
    ));

  test('in another order, and with repeats, it is still told once at most', () =>
    fc.assert(
      fc.property(anyCalls.chain(repeatedAndShuffled), (calls) =>
        isOnce(statusesOf(play(calls, RULES).told)),
      ),
      RUNS,
    ));

  test('a call that is known already changes nothing of what is known', () =>
    holds((calls) => {
      let known: KnownOrder | null = null;
      for (const facts of calls) {
        const once: KnownOrder = mergeFacts(known, facts).known;
        expect(mergeFacts(once, facts).known).toEqual(once);
        known = once;
      }
    }));
});

/** No two of them at one time, in any order, and none by hand. */
const writtenApart = (calls: StoryCall[]): fc.Arbitrary<StoryCall[]> =>
  fc.shuffledSubarray([...calls.keys()], { minLength: calls.length }).map((minutes) =>
    calls.map((call, place) => {
      const modifiedAt = later(NOW, (minutes[place] ?? 0) * MINUTE);
      return {
        ...call,
        isAgain: false,
        order: call.order && { ...call.order, modifiedAt },
        shipments: call.shipments.map((shipment) => ({ ...shipment, modifiedAt })),
      };
    }),
  );

const repeatedAndShuffled = (calls: StoryCall[]): fc.Arbitrary<StoryCall[]> =>
  fc.shuffledSubarray([...calls, ...calls], { minLength: calls.length });

const isOfShipment = (name: string): boolean => name.startsWith('shipment ');
const shipmentOf = (name: string): string => name.slice(0, name.lastIndexOf(' '));
