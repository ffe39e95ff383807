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
import { type ListPage, PAGE_SIZE } from '../../kit/listPage.ts';
import type { ActionContext } from '../context.ts';
import { findRecipientById } from '../messages/sql.ts';

const unreadCursors = pageCursors('unread replies');
const readCursors = pageCursors('read replies');

export type ReplyList = ListPage<ListedReply>;

/** Where a page ends in the index; a cursor that is not ours begins with the first page. */
function endAt(cursor: string | null): string {
  const read = cursor === null ? null : readCursors.idIn(cursor);
  if (read !== null) return ` read ${read}`;
  const unread = cursor === null ? null : unreadCursors.idIn(cursor);
  return ` unread ${unread ?? AFTER_EVERY_ID}`;
}

/** The replies of a shop, unread ones first. One that is read meanwhile moves among the read ones, which come later. */
export async function readReplies(
  db: Queryable,
  businessId: string,
  cursor: string | null,
  size = PAGE_SIZE,
) {
  // One extra row shows whether there is a next page.
  const rows = await listReplies(db, businessId, endAt(cursor), size + 1);
  const items = rows.slice(0, size);
  const last = items.at(-1);
  if (rows.length <= size || !last) return { items, next_cursor: null };
  return { items, next_cursor: (last.read_at === null ? unreadCursors : readCursors).at(last.id) };
}

/** False: it was read before, or is gone. */
export const markReadAsMember = (pool: Pool, { now, ...who }: ActionContext, replyId: string) =>
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
export const markAllReadAsMember = (pool: Pool, { now, ...who }: ActionContext, upTo: string) =>
  transaction(pool, async (tx) => {
    let replies = 0;
    for (let batch = BATCH; batch === BATCH; replies += batch)
      batch = (await markRepliesRead(tx, who.businessId, upTo, now, BATCH)).length;
    if (replies > 0) await recordAudit(tx, now, { ...who, action: 'replies.read', detail: { replies } });
    return replies;
  });
