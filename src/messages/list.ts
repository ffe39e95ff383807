import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { ListedMessage } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { later } from '../kit/clock.ts';
import { AFTER_EVERY_ID, idBoundAt } from '../kit/ids.ts';
import { pageCursors } from '../kit/pageCursor.ts';
import {
  endOfRecipientScan,
  endOfReferenceScan,
  endOfScan,
  pageOfActive,
  pageOfAll,
  pageOfEnded,
  pageOfRecipient,
  pageOfReference,
} from './listSql.ts';
import type { ListedRow } from './sql.ts';

/** What to list; null or left out: everything. */
export interface MessageFilters {
  /** Normalised. */
  recipientEmail: string | null;
  reference?: string | null;
  status?: ListedMessage['status'] | null;
  /** Both exclusive. */
  createdAfter?: Date | null;
  createdBefore?: Date | null;
}

export interface ListQuery extends MessageFilters {
  /** Any integer, clamped; null: the default. */
  limit: number | null;
  /** The id that `messageCursors` read; null: start at the newest. */
  before: string | null;
}

export const messageCursors = pageCursors('message list');

/**
 * The most messages that one page looks at for filters that have no index of their own. Far more than one order or one person has,
 * or lie between two active messages; a page that reaches it is short, and the next one goes on.
 */
export const MESSAGES_SCANNED_MAX = 10_000;

/**
 * A page by the narrowest filter's index: the reference's, the recipient's, the status's, or the primary key, which also serves
 * active messages. Ids begin with their time, so the times of creation are a range of each of them.
 */
export async function readMessagePage(
  db: Queryable,
  businessId: string,
  { limit: most, before, ...filters }: ListQuery,
) {
  const size = Math.min(Math.max(most ?? PAGE_DEFAULT, 1), PAGE_MAX);
  const { recipientEmail: email, reference = null, status = null } = filters;
  const range = [businessId, ...idRange(filters, before)] as const;
  // One extra row shows whether there is a next page.
  const limit = size + 1;
  if (reference !== null) {
    const scan = status === null && email === null ? limit : MESSAGES_SCANNED_MAX;
    const rows = await pageOfReference(db, ...range, reference, scan, limit, status, email);
    return cut(rows, size, scan, () => endOfReferenceScan(db, ...range, reference, scan - 1));
  }
  if (email !== null) {
    const scan = status === null ? limit : MESSAGES_SCANNED_MAX;
    const rows = await pageOfRecipient(db, ...range, email, scan, limit, status);
    return cut(rows, size, scan, () => endOfRecipientScan(db, ...range, email, scan - 1));
  }
  if (status === 'active') {
    const scan = MESSAGES_SCANNED_MAX;
    const rows = await pageOfActive(db, ...range, scan, limit);
    return cut(rows, size, scan, () => endOfScan(db, ...range, scan - 1));
  }
  const rows = await (status === null
    ? pageOfAll(db, ...range, limit)
    : pageOfEnded(db, ...range, status, limit));
  return cut(rows, size, limit, async () => []);
}

/** The ids of the messages in question, from the first (inclusive) to the last (exclusive). */
export function idRange(
  { createdAfter = null, createdBefore = null }: MessageFilters,
  before: string | null,
): [from: string, before: string] {
  const from = createdAfter === null ? '' : idBoundAt(later(createdAfter, 1));
  const end = createdBefore === null ? AFTER_EVERY_ID : idBoundAt(createdBefore);
  return [from, before !== null && before < end ? before : end];
}

async function cut(rows: ListedRow[], size: number, scan: number, findEnd: () => Promise<{ id: string }[]>) {
  const shown = rows.slice(0, size);
  const last = shown.at(-1)?.id;
  if (rows.length > size && last !== undefined) return { rows: shown, next_cursor: messageCursors.at(last) };
  // The page is not full: either there is no more, or the scan ended before there was enough.
  const [end] = scan > size + 1 ? await findEnd() : [];
  if (end === undefined) return { rows: shown, next_cursor: null };
  return { rows: shown, next_cursor: messageCursors.at(last !== undefined && last < end.id ? last : end.id) };
}
