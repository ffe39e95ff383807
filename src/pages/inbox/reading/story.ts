import type { OrderStatus } from '../../../contract/orderStatuses.ts';
import { groupBy } from '../../../kit/groupBy.ts';
import { type Progress, progressOf, type Step, stepOf } from '../../../orders/progress.ts';
import type { TrackedShipment } from '../../../orders/shipmentReadsSql.ts';

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
  events.map(({ status, at }) => ({ status: stepOf(status), at }));
