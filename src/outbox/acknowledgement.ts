import { lockAccounts } from '../businesses/billingSql.ts';
import { moveCredits, spendable } from '../businesses/credits.ts';
import type { Settings } from '../businesses/settings.ts';
import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { insertUnpaidAcknowledgement, queueServiceSend } from './sendsSql.ts';

/**
 * Queues the acknowledgement of a reply and sets aside what it costs now, or skips it if there are not enough credits. The
 * caller has locked the recipient. Returns whether it was queued.
 */
export async function queueAcknowledgement(
  tx: Queryable,
  { id: businessId, replyAckCredits: credits }: Pick<Settings, 'id' | 'replyAckCredits'>,
  recipientId: string,
  replyId: string,
  now: Date,
): Promise<boolean> {
  const id = newId(now, 1);
  const about = [businessId, id, recipientId, replyId] as const;
  if (credits > 0) {
    const [account] = await lockAccounts(tx, [businessId]);
    if (!account || spendable(account) < credits) {
      await insertUnpaidAcknowledgement(tx, ...about, credits, now);
      return false;
    }
    await moveCredits(tx, [{ kind: 'reserve', businessId, sendId: id, credits }], now);
  }
  await queueServiceSend(tx, ...about, 'whatsapp', 'reply_ack', credits, now);
  return true;
}
