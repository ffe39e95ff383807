import { recordAudit } from '../../../businesses/audit.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import type { RetractResult } from '../../../contract/messages.ts';
import type { Client, Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Hasher } from '../../../kit/seal.ts';
import type { MessageKey } from '../../../messages/lock.ts';
import { resendSms, resendWhatsapp } from '../../../messages/resend.ts';
import { retractMessage } from '../../../messages/retract.ts';
import { type ActionContext, memberTransaction } from '../context.ts';

/** What a member does to a message: the API's own functions, with an audit entry in the same transaction. */
export interface MessageAction {
  key: MessageKey;
  actor: string;
  now: Date;
}

/** Null: no such message. Retracting a second time changes nothing and leaves no entry. */
export const retractAsMember = (
  pool: Pool,
  action: MessageAction,
): Promise<{ result: RetractResult; deliveries: number } | null> =>
  memberTransaction(pool, async (tx) => {
    const retraction = await retractMessage(tx, action.key, action.now);
    if (retraction?.result.retracted) await audit(tx, action, 'message.retracted');
    return retraction;
  });

export interface ResendPreview {
  queued: boolean;
  credits: number;
  /** The gate that stops it; null when it goes. */
  skipped_reason: string | null;
}

/** Null: no such message. Throws an ApiError where the channel's message was or may have been sent. */
export const resendAsMember = (
  pool: Pool,
  hash: Hasher,
  channel: PaidChannel,
  action: MessageAction,
): Promise<ResendPreview | null> =>
  memberTransaction(pool, async (tx) => {
    const result = await resendOn(tx, hash, channel, action);
    if (result) await audit(tx, action, `message.${channel}_resent`, result);
    return result;
  });

/** What a resend would do: the same function, rolled back. */
export async function previewResend(
  pool: Pool,
  hash: Hasher,
  channel: PaidChannel,
  action: MessageAction,
): Promise<ResendPreview | null> {
  let preview: ResendPreview | null = null;
  const rollback = new Error('rolled back on purpose');
  await transaction(pool, async (tx) => {
    preview = await resendOn(tx, hash, channel, action);
    throw rollback;
  }).catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return preview;
}

async function resendOn(
  tx: Client,
  hash: Hasher,
  channel: PaidChannel,
  { key, now }: MessageAction,
): Promise<ResendPreview | null> {
  const resend = channel === 'sms' ? resendSms : resendWhatsapp;
  const resent = await resend(tx, hash, key, now);
  if (resent === null) return null;
  const { queued, credits, skipped_reason } = resent.result;
  return { queued, credits, skipped_reason };
}

/** Call it before the file leaves. The filter must name nobody; `recipient` is the customer that the messages are to, if it is one. */
export const recordMessageExport = (
  db: Queryable,
  { now, ...who }: ActionContext,
  filter: Record<string, string | true>,
  recipient: { id: string; email: string } | null,
): Promise<void> =>
  recordAudit(db, now, {
    ...who,
    action: 'message.exported',
    ...(recipient !== null && { recipient }),
    detail: { filter },
  });

/** The message's id stands for its recipient, whom no entry's detail may name. */
const audit = (tx: Client, { key, actor, now }: MessageAction, action: string, detail: object = {}) =>
  recordAudit(tx, now, {
    businessId: key.businessId,
    actor,
    action,
    detail: { message_id: key.messageId, ...detail },
  });
