import type { ListedMessage, ViewedMessage } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { coalesce } from '../kit/coalesce.ts';
import { deliveryOf, type RefusedSend } from './delivery.ts';
import { type ListQuery, readMessagePage } from './list.ts';
import { type ListedRow, messagesByKey } from './sql.ts';

/** A page of a business's messages, newest first. A push between two pages neither repeats nor hides a message. */
export async function listMessages(db: Queryable, businessId: string, query: ListQuery) {
  const { rows, next_cursor } = await readMessagePage(db, businessId, query);
  return { items: rows.map((row) => listedMessage(row)), next_cursor };
}

const CONCURRENT_GROUPS = 2;
const MAX_GROUP_SIZE = 50;
const MAX_WAITING = 20_000;

/** Requests that arrive while others are being read share one query, as pushes share a commit. */
export function createViews(db: Queryable) {
  const views = coalesce<MessageId, { message: ViewedMessage | null }>({
    run: (ids) => viewMessages(db, ids),
    concurrency: CONCURRENT_GROUPS,
    maxItems: MAX_GROUP_SIZE,
    maxWaiting: MAX_WAITING,
  });
  return async (businessId: string, id: string) => (await views.add({ businessId, id })).message;
}

interface MessageId {
  businessId: string;
  id: string;
}

async function viewMessages(db: Queryable, ids: MessageId[]): Promise<{ message: ViewedMessage | null }[]> {
  const businessIds = ids.map(({ businessId }) => businessId);
  const messageIds = ids.map(({ id }) => id);
  const rows = await messagesByKey(db, businessIds, messageIds);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return ids.map((_, index) => {
    const row = byPlace.get(index + 1);
    return { message: row ? viewedMessage(row) : null };
  });
}

export const viewedMessage = (row: ListedRow & { body: string }): ViewedMessage => ({
  ...listedMessage(row),
  body: row.body,
});

/** For the API without refusals: there a channel that never had a send is null (2.4). */
export const listedMessage = (row: ListedRow, refusals: readonly RefusedSend[] = []): ListedMessage => ({
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
  delivery: deliveryOf(row.sends, refusals, row.opened_at),
});
