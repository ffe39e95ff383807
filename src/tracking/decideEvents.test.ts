import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TrackingStatus } from '../contract/orders.ts';
import { HOUR, later, MINUTE } from '../kit/clock.ts';
import { decideEvents, type Fate } from './decideEvents.ts';
import type { Addressee } from './decideTracking.ts';
import type { TrackingItem } from './item.ts';
import { knownOrders, orderKey } from './knownOrders.ts';
import type { TrackingRow } from './sql.ts';

const BEGIN = new Date('2026-08-20T09:15:00.000Z');
const ORDER = { business_id: 'shop', reference: '1001' };
const [ANN, BOB] = ['ann@example.com', 'bob@example.com'] as const;

/** The order status in which a message tells an event, as the interface says it. */
const TOLD_AS: Record<TrackingStatus, string> = {
  label_created: 'shipped',
  picked_up: 'shipped',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivery_attempted: 'delivery_attempted',
  available_for_pickup: 'ready_for_pickup',
  delivered: 'delivered',
  delayed: 'delayed',
  exception: 'delayed',
  returned: '',
};

interface Report {
  kind: 'report';
  number: string;
  status: TrackingStatus;
  minute: number;
  email: string | null;
}

/** Few, so that they meet. */
const STATUSES: TrackingStatus[] = ['in_transit', 'out_for_delivery', 'delivered', 'delayed', 'exception'];

const report = fc.record<Report>({
  kind: fc.constant('report'),
  number: fc.constantFrom('JD01', 'JD02', 'JD03', 'JD04'),
  status: fc.constantFrom(...STATUSES),
  minute: fc.constantFrom(0, 0, 0, 1, 2),
  email: fc.option(fc.constantFrom(ANN, BOB), { freq: 1 }),
});
type Happening =
  | Report
  | { kind: 'push'; orderStatus: string; email: string }
  | { kind: 'retraction'; which: number }
  | { kind: 'hours'; hours: number }
  | { kind: 'group ends' };

/** Tracking events of one order with three shipments, and what its shop does between them. */
const happenings = fc.array<Happening>(
  fc.oneof(
    { weight: 14, arbitrary: report },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('push' as const),
        orderStatus: fc.constantFrom('delivered', 'delayed', 'out_for_delivery', 'shipped', 'on_hold'),
        email: fc.constantFrom(ANN, BOB),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('retraction' as const), which: fc.nat(5) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('hours' as const), hours: fc.constantFrom(1, 6, 12) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('group ends' as const) }) },
  ),
  { maxLength: 40 },
);

interface Message {
  id: string;
  email: string;
  orderStatus: string;
  pushedAt: Date;
  byHand: boolean;
  retracted: boolean;
}

/** Everything that was stored about the order, as lists. */
interface Tables {
  now: Date;
  /** The statuses that nudge. */
  chosen: readonly TrackingStatus[];
  events: Report[];
  messages: Message[];
}

const atMinute = (minute: number): Date => later(BEGIN, minute * MINUTE);

const person = (email: string, { messages }: Tables): Addressee | null =>
  messages.some((message) => message.email === email) ? { id: email, email, language: null } : null;

/** Of the addresses that events named, the one that came last. */
const lastNamed = ({ events }: Tables): string | undefined =>
  [...new Set(events.flatMap(({ email }) => email ?? []))].at(-1);

/** Reads the tables as the first round trip of a group does. */
function read(tables: Tables, group: readonly TrackingItem[]): TrackingRow {
  const { events, messages } = tables;
  const newest = messages.at(-1);
  const [businessId, reference] = [ORDER.business_id, ORDER.reference];
  return {
    callers: null,
    records: null,
    businesses: [
      {
        id: businessId,
        name: 'Shop',
        language: 'en',
        tracking_nudges: [...tables.chosen],
        tracking_channels: [],
        tracking_escalate_minutes: null,
      },
    ],
    orders: [
      {
        business_id: businessId,
        reference,
        recipient: newest ? { id: newest.email, email: newest.email, language: null } : null,
        by_hand: messages
          .filter(({ byHand, retracted }) => byHand && !retracted)
          .map(({ id, orderStatus, pushedAt }) => ({
            id,
            order_status: orderStatus,
            at: pushedAt.toISOString(),
          })),
      },
    ],
    events: group.map(({ event }, place) => {
      const own = events.filter(({ number }) => number === event.trackingNumber);
      const ofStatus = own.filter(({ status }) => status === event.status);
      const named = event.recipientEmail === null ? null : person(event.recipientEmail, tables);
      return {
        business_id: businessId,
        place,
        latest_at:
          own.length === 0 ? null : atMinute(Math.max(...own.map(({ minute }) => minute))).toISOString(),
        carrier: null,
        tracking_url: null,
        expected_on: null,
        is_stored: ofStatus.some(({ minute }) => atMinute(minute).getTime() === event.at.getTime()),
        has_status: ofStatus.length > 0,
        named: named?.id ? { ...named, id: named.id } : null,
      };
    }),
  };
}

const reported = (status: TrackingStatus, email: string | null, minute = 0): Report => ({
  kind: 'report',
  number: 'JD01',
  status,
  minute,
  email,
});

const itemOf = ({ number, status, minute, email }: Report): TrackingItem => ({
  businessId: ORDER.business_id,
  keyId: 'key',
  key: 'key',
  fingerprint: '',
  bytes: 0,
  reference: ORDER.reference,
  event: {
    trackingNumber: number,
    status,
    at: atMinute(minute),
    description: null,
    location: null,
    recipientEmail: email,
    isQuiet: false,
  },
});

/** What an event became: whom it was told to, or why to nobody. */
type Told = string;

function toldBy(fate: Fate): Told {
  if (fate.kind !== 'decided') return 'refused';
  const { verdict, milestone } = fate.event;
  const first = verdict.isFirst ? 'first, ' : '';
  return `${first}${milestone === null ? verdict.untold : `told as ${milestone.status} to ${milestone.addressee.email}`}`;
}

/** What the interface says of an event, by a look at all that is stored. */
function expectedOf({ number, status, minute, email }: Report, tables: Tables): Told {
  const { now, chosen, events, messages } = tables;
  const addressee = email ?? messages.at(-1)?.email ?? lastNamed(tables);
  if (addressee === undefined) return 'refused';
  const own = events.filter((one) => one.number === number);
  const before = own.filter((one) => one.status === status);
  if (before.some((one) => one.minute === minute)) return 'repeated';
  const first = before.length === 0 ? 'first, ' : '';
  if (own.some((one) => one.minute > minute)) return `${first}late`;
  if (first === '') return 'not_first';
  if (status === 'returned' || !chosen.includes(status)) return `${first}not_chosen`;
  const byHand = messages.some(
    (one) =>
      one.byHand &&
      !one.retracted &&
      one.orderStatus === TOLD_AS[status] &&
      now.getTime() - one.pushedAt.getTime() < 12 * HOUR,
  );
  return `${first}${byHand ? 'told_by_hand' : `told as ${TOLD_AS[status]} to ${addressee}`}`;
}

/** A milestone updates the message of its person and status, or makes one. */
function store(tables: Tables, { email, ...said }: Report, told: Told): void {
  if (told === 'refused' || told === 'repeated') return;
  tables.events.push({ ...said, email });
  const [, status, to] = /told as (\S+) to (\S+)/.exec(told) ?? [];
  if (status === undefined || to === undefined) return;
  const same = tables.messages.find(
    (one) => !one.byHand && !one.retracted && one.email === to && one.orderStatus === status,
  );
  if (same) same.pushedAt = tables.now;
  else
    tables.messages.push({
      id: `m${tables.messages.length}`,
      email: to,
      orderStatus: status,
      pushedAt: tables.now,
      byHand: false,
      retracted: false,
    });
}

/** Tells what each event became. `decideGroup` decides those that come together. */
function play(
  list: readonly Happening[],
  chosen: readonly TrackingStatus[],
  isGroupOver: (group: readonly Report[]) => boolean,
  decideGroup: (tables: Tables, group: readonly Report[]) => Told[],
): Told[] {
  const tables: Tables = { now: BEGIN, chosen, events: [], messages: [] };
  const told: Told[] = [];
  let group: Report[] = [];
  const end = () => {
    told.push(...decideGroup(tables, group));
    group = [];
  };
  for (const one of list) {
    if (one.kind === 'report') {
      group.push(one);
      if (isGroupOver(group)) end();
      continue;
    }
    end();
    if (one.kind === 'push')
      tables.messages.push({
        ...one,
        id: `m${tables.messages.length}`,
        pushedAt: tables.now,
        byHand: true,
        retracted: false,
      });
    const retracted = one.kind === 'retraction' ? tables.messages[one.which] : undefined;
    if (retracted) retracted.retracted = true;
    if (one.kind === 'hours') tables.now = later(tables.now, one.hours * HOUR);
  }
  end();
  return told;
}

/** By the rules under test: all of a group from one read, and what is deferred alone after it. */
function decided(tables: Tables, group: readonly Report[]): Told[] {
  if (group.length === 0) return [];
  const items = group.map(itemOf);
  const row = read(tables, items);
  const orders = knownOrders(items, row);
  const order = orders.get(orderKey({ businessId: ORDER.business_id, reference: ORDER.reference }));
  const named = lastNamed(tables);
  if (order && named) order.recipient ??= person(named, tables) ?? { id: null, email: named, language: null };
  const fates = decideEvents(
    items,
    items.map(() => ({ kind: 'decidable' })),
    orders,
    row,
    tables.now,
  );
  const first = fates.findIndex(({ kind }) => kind === 'deferred');
  const now = first === -1 ? fates.length : first;
  const told = fates.slice(0, now).map(toldBy);
  told.forEach((one, place) => {
    const reported = group[place];
    if (reported) store(tables, reported, one);
  });
  // Events depend on those before them, so after one that is deferred all are.
  expect(fates.slice(now).every(({ kind }) => kind === 'deferred')).toBe(true);
  return [...told, ...group.slice(now).flatMap((one) => decided(tables, [one]))];
}

/** By the interface, one event after the other. */
const expected = (tables: Tables, group: readonly Report[]): Told[] =>
  group.map((one) => {
    const told = expectedOf(one, tables);
    store(tables, one, told);
    return told;
  });

test('whatever carriers report and shops push, in whatever groups: each milestone is told once, in time, and to the right person', () => {
  fc.assert(
    fc.property(happenings, fc.subarray(STATUSES, { minLength: 2 }), (list, chosen) => {
      const told = play(list, chosen, () => false, decided);
      expect(told).toEqual(play(list, chosen, () => true, expected));
      const reports = list.filter((one) => one.kind === 'report');
      const milestones = reports.flatMap(({ number, status }, place) =>
        told[place]?.includes('told as') ? [`${number} ${status}`] : [],
      );
      expect(milestones).toEqual([...new Set(milestones)]);
      const first = reports.flatMap(({ number, status }, place) =>
        told[place]?.startsWith('first') ? [`${number} ${status}`] : [],
      );
      expect(first).toEqual([...new Set(first)]);
    }),
    { numRuns: 300 },
  );
});

test.each<[string, Report[], Told]>([
  [
    'the person whom an event named last',
    [reported('delivered', ANN), reported('delivered', BOB, 1), reported('delayed', null, 2)],
    `first, told as delayed to ${BOB}`,
  ],
  [
    'the recipient of the newest message, though an older one was updated since',
    [
      reported('delayed', ANN),
      reported('out_for_delivery', BOB, 1),
      reported('exception', ANN, 2),
      reported('in_transit', null, 3),
    ],
    `first, told as in_transit to ${BOB}`,
  ],
])('in one group, too, an event that names nobody is told to %s', (_, list, last) => {
  const chosen: TrackingStatus[] = ['in_transit', 'out_for_delivery', 'delayed', 'exception'];
  expect(play(list, chosen, () => false, decided).at(-1)).toBe(last);
});
