import { knownStatus, ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import type { Queryable } from '../../../db/statement.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { readTrackedShipments } from '../../../orders/shipmentReads.ts';
import { type MessageRow, messagesBefore, newerOfOrders, oneMessage } from '../sql.ts';
import { type InboxMessage, type NewerStatuses, type Story, storiesOf } from './story.ts';

const INBOX_PAGE = 20;

export interface Reader {
  businessId: string;
  recipientId: string;
}

export type InboxPage = Awaited<ReturnType<typeof readInbox>>;

/** One page of a person's inbox. `before` is the last page's `older`; `shown` is the requested message. */
export async function readInbox(
  db: Queryable,
  reader: Reader,
  { before, shown }: { before: string | null; shown: string | null },
) {
  const first = before === null;
  const { businessId, recipientId } = reader;
  const rows = await messagesBefore(db, businessId, recipientId, before ?? AFTER_EVERY_ID, INBOX_PAGE + 1);
  const messages = rows.slice(0, INBOX_PAGE).map(asMessage);
  const pinned =
    shown === null || messages.some(({ id }) => id === shown) ? null : await readMessage(db, reader, shown);
  const [tracked, newer] = await Promise.all([
    readTrackedShipments(db, businessId, referencesOf(messages)),
    first ? new Map() : newerStatuses(db, reader, before, messages),
  ]);
  return {
    /** The requested message, when it is too old for this page. */
    pinned: pinned === null ? null : pinnedStory(pinned),
    stories: storiesOf(messages, tracked, newer),
    /** The `before` of the next page, when there are older messages. */
    older: rows.length > INBOX_PAGE ? (messages.at(-1)?.id ?? null) : null,
    first,
  };
}

/** Shown alone, even when its order's story is on the page. */
const pinnedStory = (message: InboxMessage): Story => ({
  key: `pinned-${message.id}`,
  reference: message.reference,
  messages: [message],
  shipments: [],
  progress: null,
  continued: false,
});

/** The parcels of its order. */
export const readShipmentsAbout = (db: Queryable, { businessId }: Reader, { reference }: InboxMessage) =>
  readTrackedShipments(db, businessId, reference === null ? [] : [reference]);

/** Null when the message is not this person's. */
export async function readMessage(db: Queryable, reader: Reader, id: string): Promise<InboxMessage | null> {
  const [row] = await oneMessage(db, reader.businessId, reader.recipientId, id);
  return row ? asMessage(row) : null;
}

async function newerStatuses(
  db: Queryable,
  { businessId, recipientId }: Reader,
  before: string,
  messages: readonly InboxMessage[],
): Promise<NewerStatuses> {
  const references = referencesOf(messages);
  if (references.length === 0) return new Map();
  const rows = await newerOfOrders(db, businessId, recipientId, before, references, ORDER_STATUSES);
  return new Map(
    rows.map(({ reference, status, order_status, at }) => {
      const known = status === 'active' ? knownStatus(order_status) : null;
      return [reference, known === null ? null : { status: known, at }];
    }),
  );
}

const referencesOf = (messages: readonly InboxMessage[]): string[] => [
  ...new Set(messages.flatMap(({ reference }) => reference ?? [])),
];

const asMessage = ({ order_status, ...row }: MessageRow): InboxMessage => ({
  ...row,
  orderStatus: knownStatus(order_status),
});
