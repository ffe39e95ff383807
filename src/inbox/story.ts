import type { OrderStatus } from '../nudges/orderStatus.ts';

export interface InboxMessage {
  id: string;
  subject: string;
  /** Null until it was opened. */
  body: string | null;
  status: 'active' | 'obsolete' | 'retracted';
  reference: string | null;
  orderStatus: OrderStatus | null;
  createdAt: Date;
  updatedAt: Date;
  /** When it was taken back or replaced. */
  endedAt: Date | null;
  openedAt: Date | null;
  replacedBy: { id: string; subject: string } | null;
}

/** What happened to one order, or a message about none: newest first. */
export interface Story {
  /** Tells it from every other story on the page. */
  key: string;
  reference: string | null;
  messages: InboxMessage[];
  progress: Progress | null;
  /** Newer messages about the same order are on a page before this one. */
  continued: boolean;
}

export interface Progress {
  status: OrderStatus;
  /** The way of the order, as far as it can be told; empty when nothing was told but a delay. */
  steps: Step[];
}

export interface Step {
  status: OrderStatus;
  reached: boolean;
}

/** What an earlier page knows about an order of this one: the status told there last, if any was. */
export type TellsNewer = ReadonlyMap<string, OrderStatus | null>;

/**
 * Messages of one order become one story that stands where its newest message does; messages without a reference
 * stand alone. No message is lost or repeated, and their order within a story stays.
 */
export function storiesOf(messages: readonly InboxMessage[], newer: TellsNewer = new Map()): Story[] {
  const stories: Pick<Story, 'key' | 'reference' | 'messages'>[] = [];
  const byReference = new Map<string, InboxMessage[]>();
  for (const message of messages) {
    const known = message.reference === null ? undefined : byReference.get(message.reference);
    if (known) {
      known.push(message);
      continue;
    }
    const key = message.reference === null ? `message-${message.id}` : `order-${message.reference}`;
    const story = { key, reference: message.reference, messages: [message] };
    stories.push(story);
    if (message.reference !== null) byReference.set(message.reference, story.messages);
  }
  return stories.map(({ key, reference, messages: told }) => {
    const newerStatus = reference === null ? undefined : newer.get(reference);
    const statuses = [newerStatus ?? null, ...told.map(currentStatus)].filter((status) => status !== null);
    return {
      key,
      reference,
      messages: told,
      progress: progressOf(statuses),
      continued: newerStatus !== undefined,
    };
  });
}

/** Only a message that still stands says where the order is. */
const currentStatus = ({ status, orderStatus }: InboxMessage): OrderStatus | null =>
  status === 'active' ? orderStatus : null;

/** The ways an order usually goes; a status further along means those before it were passed. */
const BY_PARCEL: readonly OrderStatus[] = ['confirmed', 'shipped', 'delivered'];
const TO_COLLECT: readonly OrderStatus[] = ['confirmed', 'ready_for_pickup', 'delivered'];
const SENT_TO_COLLECT: readonly OrderStatus[] = ['confirmed', 'shipped', 'ready_for_pickup', 'delivered'];
/** Where the way ends otherwise. */
const ENDS: readonly OrderStatus[] = ['cancelled', 'refunded'];

/** How far the order is, from the statuses told about it, newest first; null when none was. */
export function progressOf(statuses: readonly OrderStatus[]): Progress | null {
  const [status] = statuses;
  if (status === undefined) return null;
  const way = wayOf(statuses);
  if (ENDS.includes(status)) {
    const passed = way.slice(0, furthest(way, statuses) + 1);
    const ended = ENDS.filter((end) => end === status || statuses.includes(end));
    return { status, steps: [...passed, ...ended].map((step) => ({ status: step, reached: true })) };
  }
  // A delay stands where the order last was; anything else stands where it says.
  const at = status === 'delayed' ? furthest(way, statuses) : way.indexOf(status);
  if (at < 0) return { status, steps: [] };
  return { status, steps: way.map((step, index) => ({ status: step, reached: index <= at })) };
}

function wayOf(statuses: readonly OrderStatus[]): readonly OrderStatus[] {
  if (!statuses.includes('ready_for_pickup')) return BY_PARCEL;
  return statuses.includes('shipped') ? SENT_TO_COLLECT : TO_COLLECT;
}

const furthest = (way: readonly OrderStatus[], statuses: readonly OrderStatus[]): number =>
  Math.max(-1, ...statuses.map((status) => way.indexOf(status)));
