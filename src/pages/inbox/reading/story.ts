import type { OrderStatus } from '../../../contract/orderStatuses.ts';
import { groupBy } from '../../../kit/groupBy.ts';
import type { TrackedShipment } from '../../../orders/shipmentReadsSql.ts';
import { milestoneStatus } from '../../../orders/trackingStatus.ts';

export interface InboxMessage {
  id: string;
  subject: string;
  /** Null while the message is unread: it was not opened since the last push that nudged about it. */
  body: string | null;
  status: 'active' | 'obsolete' | 'retracted';
  reference: string | null;
  orderStatus: OrderStatus | null;
  /** The time at which the order had that status. */
  statusAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** When the message was retracted or replaced. */
  endedAt: Date | null;
  replacedBy: { id: string; subject: string } | null;
}

/** The messages of one order, or one message without an order; newest first. */
export interface Story {
  /** Unique on the page. */
  key: string;
  reference: string | null;
  messages: InboxMessage[];
  /** Its parcels, in the order in which they were first named. */
  shipments: TrackedShipment[];
  progress: Progress | null;
  /** An earlier page has newer messages about the same order. */
  continued: boolean;
}

/** Where an order can be: what carriers report has the status of the message that it makes, if it makes one. */
export type Step = OrderStatus | 'returned';

export interface Progress {
  status: Step;
  /** Empty when the only status so far is a delay. */
  steps: { status: Step; reached: boolean }[];
}

/** What a message or a carrier said of an order. */
interface Word {
  status: Step;
  at: Date;
}

/** The orders that also have newer messages on earlier pages, each with its newest status there, if any. */
export type NewerStatuses = ReadonlyMap<string, Word | null>;

/**
 * Groups messages by order. A story takes the position of its newest message; a message without a reference is a story of
 * its own. No message is dropped or repeated, and the order within a story stays.
 */
export function storiesOf(
  messages: readonly InboxMessage[],
  tracked: readonly TrackedShipment[] = [],
  newer: NewerStatuses = new Map(),
): Story[] {
  const byStory = groupBy(messages, ({ id, reference }) =>
    reference === null ? `message-${id}` : `order-${reference}`,
  );
  return Array.from(byStory, ([key, ofStory]) => {
    const reference = ofStory[0]?.reference ?? null;
    const shipments = tracked.filter((shipment) => shipment.reference === reference);
    const newerWord = reference === null ? undefined : newer.get(reference);
    // Of the same time, a carrier's word counts before a message's: sorting is stable.
    const words = [...shipments.flatMap(wordsOfCarrier), newerWord ?? null, ...ofStory.map(wordOf)]
      .filter((word) => word !== null)
      .sort((one, other) => other.at.getTime() - one.at.getTime());
    const progress = progressOf(words.map(({ status }) => status));
    return { key, reference, messages: ofStory, shipments, progress, continued: newerWord !== undefined };
  });
}

/** A replaced or retracted message does not count. */
const wordOf = ({ status, orderStatus, statusAt }: InboxMessage): Word | null =>
  status === 'active' && orderStatus !== null ? { status: orderStatus, at: statusAt } : null;

const wordsOfCarrier = ({ events }: TrackedShipment): Word[] =>
  events.map(({ status, at }) => ({ status: milestoneStatus(status) ?? 'returned', at }));

/** The usual route of a parcel. A status implies those before it. */
const BY_PARCEL: readonly Step[] = ['confirmed', 'shipped', 'in_transit', 'out_for_delivery', 'delivered'];
/** What the person collects may have travelled to where it waits. */
const BEFORE_PICKUP: readonly Step[] = ['shipped', 'in_transit'];
/** The other final statuses. */
const ENDS: readonly Step[] = ['cancelled', 'returned', 'refunded'];

/** The order's progress from its statuses, newest first; null when there are none. */
export function progressOf(statuses: readonly Step[]): Progress | null {
  const [status] = statuses;
  if (status === undefined) return null;
  const route = routeOf(statuses);
  if (ENDS.includes(status)) {
    const passed = route.slice(0, furthest(route, statuses) + 1);
    const ended = ENDS.filter((end) => end === status || statuses.includes(end));
    return { status, steps: [...passed, ...ended].map((step) => ({ status: step, reached: true })) };
  }
  const at = route.includes(status) ? route.indexOf(status) : furthest(route, statuses);
  if (at < 0) return { status, steps: [] };
  return { status, steps: route.map((step, index) => ({ status: step, reached: index <= at })) };
}

function routeOf(statuses: readonly Step[]): readonly Step[] {
  if (!statuses.includes('ready_for_pickup')) return BY_PARCEL;
  const travelled = BEFORE_PICKUP.filter((step) => statuses.includes(step));
  return ['confirmed', ...travelled, 'ready_for_pickup', 'delivered'];
}

/** A delay leaves the order at the furthest step so far; an attempt to deliver it was its way out for delivery. */
const furthest = (route: readonly Step[], statuses: readonly Step[]): number =>
  Math.max(
    -1,
    ...statuses.map((status) => route.indexOf(status === 'delivery_attempted' ? 'out_for_delivery' : status)),
  );
