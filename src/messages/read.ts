import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { ListedMessage, MessageList, ViewedMessage } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { coalesce } from '../kit/coalesce.ts';
import { pageCursors } from '../kit/pageCursor.ts';
import { deliveryOf, refusalsOf } from './delivery.ts';
import { type MessageFilters, readMessagePage } from './list.ts';
import { listedByIds } from './listSql.ts';
import { type ListedRow, messagesByKey } from './sql.ts';
import { type UpcomingSend, upcomingSends } from './upcoming.ts';

export interface ListQuery extends MessageFilters {
  /** Any integer, clamped; null: the default. */
  limit: number | null;
  /** The id that `idAt` read from a cursor; null: start at the newest. */
  before: string | null;
}

/** A page of a business's messages, newest first. A push between two pages neither repeats nor hides a message. */
export const listMessages = (db: Queryable, businessId: string, query: ListQuery): Promise<MessageList> =>
  readList(db, businessId, query, listed);

/** A message with what the API does not show: what goes out later. */
export interface MessageWithPlan extends ListedMessage {
  upcoming: UpcomingSend[];
}

/** The same page with what goes out after `now`. */
export const listWithPlans = (
  db: Queryable,
  businessId: string,
  query: ListQuery,
  now: Date,
): Promise<Listed<MessageWithPlan>> => readList(db, businessId, query, (row) => withPlan(row, now));

/** The messages of these ids that are still there, newest first. */
export const listByIds = async (
  db: Queryable,
  businessId: string,
  ids: readonly string[],
  now: Date,
): Promise<MessageWithPlan[]> => (await listedByIds(db, businessId, ids)).map((row) => withPlan(row, now));

interface Listed<Item> {
  items: Item[];
  next_cursor: string | null;
}

async function readList<Item>(
  db: Queryable,
  businessId: string,
  { limit, before, ...filters }: ListQuery,
  itemOf: (row: ListedRow) => Item,
): Promise<Listed<Item>> {
  const size = Math.min(Math.max(limit ?? PAGE_DEFAULT, 1), PAGE_MAX);
  const { rows, nextBefore } = await readMessagePage(db, businessId, filters, before, size);
  return { items: rows.map(itemOf), next_cursor: nextBefore === null ? null : cursorAt(nextBefore) };
}

type ViewMessage = (businessId: string, id: string) => Promise<ViewedMessage | null>;

const CONCURRENT_GROUPS = 2;
const MAX_GROUP_SIZE = 50;
const MAX_WAITING = 20_000;

/** Requests that arrive while others are being read share one query, as pushes share a commit. */
export function createViews(db: Queryable): ViewMessage {
  const views = coalesce<MessageId, { message: ViewedMessage | null }>({
    run: (ids) => viewMessages(db, ids),
    concurrency: CONCURRENT_GROUPS,
    maxItems: MAX_GROUP_SIZE,
    maxWaiting: MAX_WAITING,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
  });
  return async (businessId, id) => (await views.add({ businessId, id })).message;
}

interface MessageId {
  businessId: string;
  id: string;
}

async function viewMessages(db: Queryable, ids: MessageId[]): Promise<{ message: ViewedMessage | null }[]> {
  const rows = await messagesByKey(
    db,
    ids.map(({ businessId }) => businessId),
    ids.map(({ id }) => id),
  );
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return ids.map((_, index) => {
    const row = byPlace.get(index + 1);
    return { message: row ? { ...listed(row), body: row.body } : null };
  });
}

const listed = (row: ListedRow): ListedMessage => ({
  id: row.id,
  recipient_email: row.recipient_email,
  subject: row.subject,
  kind: row.kind,
  status: row.status,
  reference: row.reference,
  order_status: row.order_status,
  scheduled_for: row.scheduled_for?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  delivery: deliveryOf(row.sends, refusalsOf(row), row.opened_at),
});

const withPlan = (row: ListedRow, now: Date): MessageWithPlan => ({
  ...listed(row),
  upcoming: upcomingSends(row.sends, now),
});

const cursors = pageCursors('message list');
export const cursorAt = cursors.at;
export const idAt = cursors.idIn;
