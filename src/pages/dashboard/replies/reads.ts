import { recordAudit } from '../../../businesses/audit.ts';
import type { Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { transaction } from '../../../db/transaction.ts';
import { AFTER_EVERY_ID } from '../../../kit/ids.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import {
  type ListedReply,
  listReplies,
  markRepliesRead,
  markReplyRead,
} from '../../../recipients/repliesSql.ts';
import type { ListPage } from '../../kit/listPage.ts';
import type { ActionContext } from '../context.ts';
import { findRecipientById } from '../messages/sql.ts';

const unreadCursors = pageCursors('unread replies');
const readCursors = pageCursors('read replies');

export type ReplyList = ListPage<ListedReply>;

/** Where a page ends in the index; a cursor that is not ours begins with the first page. */
function endAt(cursor: string | null): string {
  if (cursor !== null) {
    const unread = unreadCursors.idIn(cursor);
    if (unread !== null) return ` unread ${unread}`;
    const read = readCursors.idIn(cursor);
    if (read !== null) return ` read ${read}`;
  }
  return ` unread ${AFTER_EVERY_ID}`;
}

/** The replies of a shop, unread ones first. One that is read meanwhile moves among the read ones, which come later. */
export async function readReplies(
  db: Queryable,
  businessId: string,
  cursor: string | null,
  size: number,
): Promise<ReplyList> {
  // One extra row shows whether there is a next page.
  const rows = await listReplies(db, businessId, endAt(cursor), size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  if (rows.length <= size || !last) return { items, next_cursor: null };
  return { items, next_cursor: (last.read_at === null ? unreadCursors : readCursors).at(last.id) };
}

/** False: it was read before, or is gone. */
export const markReadAsMember = (
  pool: Pool,
  { now, ...who }: ActionContext,
  replyId: string,
): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const [marked] = await markReplyRead(tx, who.businessId, replyId, now);
    if (!marked) return false;
    const [recipient] = await findRecipientById(tx, who.businessId, marked.recipient_id);
    await recordAudit(tx, now, {
      ...who,
      action: 'reply.read',
      ...(recipient && { recipient: { id: marked.recipient_id, email: recipient.email } }),
      detail: { reply_id: replyId, message_id: marked.message_id },
    });
    return true;
  });

/** A statement marks this many, so that none runs for long. */
const BATCH = 1_000;

/** Marks every unread reply up to one as read: those that came later were not on the page. Answers how many. */
export const markAllReadAsMember = (
  pool: Pool,
  { now, ...who }: ActionContext,
  upTo: string,
): Promise<number> =>
  transaction(pool, async (tx) => {
    let marked = 0;
    for (;;) {
      const batch = await markRepliesRead(tx, who.businessId, upTo, now, BATCH);
      marked += batch.length;
      if (batch.length < BATCH) break;
    }
    if (marked > 0)
      await recordAudit(tx, now, {
        ...who,
        action: 'replies.read',
        detail: { replies: marked },
      });
    return marked;
  });
