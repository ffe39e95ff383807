import { recordAudit } from '../../../businesses/audit.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import type { Client, Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import type { Hasher } from '../../../kit/seal.ts';
import type { MessageKey } from '../../../messages/lock.ts';
import { resendSms, resendWhatsapp } from '../../../messages/resend.ts';
import { retractMessage } from '../../../messages/retract.ts';
import { type ActionContext, memberTransaction } from '../context.ts';

/** What a member does to a message: the API's own functions, with an audit entry in the same transaction. */
export type MessageAction = ActionContext & MessageKey;

/** Null: no such message. Retracting a second time changes nothing and leaves no entry. */
export const retractAsMember = (pool: Pool, action: MessageAction) =>
  memberTransaction(pool, async (tx) => {
    const retraction = await retractMessage(tx, action, action.now);
    if (retraction?.result.retracted) await audit(tx, action, 'message.retracted');
    return retraction;
  });

/** Null: no such message. Throws an ApiError where the channel's message was or may have been sent. */
export const resendAsMember = (pool: Pool, hash: Hasher, channel: PaidChannel, action: MessageAction) =>
  memberTransaction(pool, async (tx) => {
    const result = await resendOn(tx, hash, channel, action);
    if (result) await audit(tx, action, `message.${channel}_resent`, result);
    return result;
  });

async function resendOn(tx: Client, hash: Hasher, channel: PaidChannel, action: MessageAction) {
  const resend = channel === 'sms' ? resendSms : resendWhatsapp;
  const resent = await resend(tx, hash, action, action.now);
  if (resent === null) return null;
  const { queued, credits, skipped_reason } = resent.result;
  return { queued, credits, skipped_reason };
}

type FileEntry = Parameters<typeof recordAudit>[2] & { action: 'message.exported' | 'recipient.exported' };

/** Comes first: no file leaves without it. */
export const recordDownload = (db: Queryable, now: Date, entry: FileEntry) => recordAudit(db, now, entry);

/** The message's id stands for its recipient, whom no entry's detail may name. */
const audit = (
  tx: Client,
  { messageId: message_id, now, ...who }: MessageAction,
  action: string,
  detail: object = {},
) => recordAudit(tx, now, { ...who, action, detail: { message_id, ...detail } });
