import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { ListedMessage, MessageList, ViewedMessage } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { coalesce } from '../kit/coalesce.ts';
import { sha256 } from '../kit/ids.ts';
import { deliveryOf } from './delivery.ts';
import { type ListedRow, messagesByKey, newest, newestBefore, newestOf, newestOfBefore } from './sql.ts';

export interface ListQuery {
  /** Normalised. Null: everyone. */
  recipientEmail: string | null;
  /** Any whole number; clamped. Null: the default. */
  limit: number | null;
  /** The id to go on from, as `idAt` reads it from a cursor. Null: from the newest. */
  before: string | null;
}

/** A page of a business's messages, newest first. What is pushed meanwhile neither repeats nor hides another. */
export async function listMessages(
  db: Queryable,
  businessId: string,
  query: ListQuery,
): Promise<MessageList> {
  const limit = Math.min(Math.max(query.limit ?? PAGE_DEFAULT, 1), PAGE_MAX);
  // One more than asked for tells whether there is a next page.
  const rows = await readPage(db, businessId, query, limit + 1);
  const items = rows.slice(0, limit).map(listed);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last ? cursorAt(last.id) : null };
}

/** One message of this business and no other, or null. */
export async function viewMessage(
  db: Queryable,
  businessId: string,
  id: string,
): Promise<ViewedMessage | null> {
  return (await viewMessages(db, [{ businessId, id }]))[0]?.message ?? null;
}

export type ViewMessage = (businessId: string, id: string) => Promise<ViewedMessage | null>;

const LANES = 2;
const LIST_MAX = 50;
const WAITING_MAX = 20_000;

/** Views that are asked for while one is being read share the next reading, as pushes share a commit. */
export function createViews(db: Queryable): ViewMessage {
  const views = coalesce<Asked, { message: ViewedMessage | null }>({
    run: (asked) => viewMessages(db, asked),
    concurrency: LANES,
    maxItems: LIST_MAX,
    maxWaiting: WAITING_MAX,
    maxWaitingBytes: Number.POSITIVE_INFINITY,
    sizeOf: () => 0,
  });
  return async (businessId, id) => (await views.add({ businessId, id })).message;
}

interface Asked {
  businessId: string;
  id: string;
}

async function viewMessages(db: Queryable, asked: Asked[]): Promise<{ message: ViewedMessage | null }[]> {
  const rows = await messagesByKey(
    db,
    asked.map(({ businessId }) => businessId),
    asked.map(({ id }) => id),
  );
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return asked.map((_, index) => {
    const row = byPlace.get(index + 1);
    return { message: row ? { ...listed(row), body: row.body } : null };
  });
}

function readPage(
  db: Queryable,
  businessId: string,
  { recipientEmail, before }: ListQuery,
  limit: number,
): Promise<ListedRow[]> {
  if (recipientEmail === null) {
    return before === null ? newest(db, businessId, limit) : newestBefore(db, businessId, before, limit);
  }
  return before === null
    ? newestOf(db, businessId, recipientEmail, limit)
    : newestOfBefore(db, businessId, recipientEmail, before, limit);
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
  delivery: deliveryOf(row.sends, row.opened_at),
});

const CHECK_BYTES = 6;
const ID = /^[0-9a-z]{12,64}$/;

/** Where a page ended, as text that means nothing to its reader. It names a place in time, so it fits any filter. */
export const cursorAt = (id: string): string =>
  Buffer.concat([checkOf(id), Buffer.from(id)]).toString('base64url');

/**
 * The id that a cursor names, or null for text that is none of ours. The check catches a cursor cut short or glued
 * together, which would otherwise hide messages silently; it is no secret, since a cursor opens nothing.
 */
export function idAt(cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const id = bytes.subarray(CHECK_BYTES).toString('latin1');
  return ID.test(id) && cursorAt(id) === cursor ? id : null;
}

const checkOf = (id: string): Buffer => sha256(`message list before ${id}`).subarray(0, CHECK_BYTES);
