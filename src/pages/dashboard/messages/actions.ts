import { actingMember, recordAudit } from '../../../businesses/audit.ts';
import type { PaidChannel } from '../../../contract/channels.ts';
import type { RetractResult } from '../../../contract/messages.ts';
import type { Client, Pool } from '../../../db/pool.ts';
import type { Queryable } from '../../../db/statement.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Hasher } from '../../../kit/seal.ts';
import type { MessageKey } from '../../../messages/lock.ts';
import { resendSms, resendWhatsapp } from '../../../messages/resend.ts';
import { retractMessage } from '../../../messages/retract.ts';
import type { ActionContext } from '../context.ts';

/** A member's act on a message: the API's own functions, with an audit entry in the same transaction. */
interface MessageAction {
  key: MessageKey;
  memberId: string;
  now: Date;
}

const ATTEMPTS = 3;

/** Null: no such message. Retracting a second time changes nothing and leaves no entry. */
export function retractAsMember(
  pool: Pool,
  { key, memberId, now }: MessageAction,
): Promise<{ result: RetractResult; deliveries: number } | null> {
  return transaction(
    pool,
    async (tx) => {
      const retraction = await retractMessage(tx, key, now);
      if (retraction?.result.retracted) await audit(tx, { key, memberId, now }, 'message.retracted');
      return retraction;
    },
    { attempts: ATTEMPTS },
  );
}

export interface ResendPreview {
  queued: boolean;
  credits: number;
  /** The gate that stops it; null when it goes. */
  skipped_reason: string | null;
}

/** Null: no such message. Throws an ApiError where the channel's message was or may have been sent. */
export function resendAsMember(
  pool: Pool,
  hash: Hasher,
  channel: PaidChannel,
  act: MessageAction,
): Promise<ResendPreview | null> {
  return transaction(
    pool,
    async (tx) => {
      const result = await resendOn(tx, hash, channel, act);
      if (result) await audit(tx, act, `message.${channel}_resent`, result);
      return result;
    },
    { attempts: ATTEMPTS },
  );
}

/** What a resend would do: the same function, rolled back. */
export async function previewResend(
  pool: Pool,
  hash: Hasher,
  channel: PaidChannel,
  act: Omit<MessageAction, 'memberId'>,
): Promise<ResendPreview | null> {
  try {
    return await transaction(pool, async (tx): Promise<ResendPreview | null> => {
      const result = await resendOn(tx, hash, channel, act);
      if (result === null) return null;
      throw new Rollback(result);
    });
  } catch (error) {
    if (error instanceof Rollback) return error.result;
    throw error;
  }
}

class Rollback extends Error {
  readonly result: ResendPreview;

  constructor(result: ResendPreview) {
    super('rolled back on purpose');
    this.result = result;
  }
}

async function resendOn(
  tx: Client,
  hash: Hasher,
  channel: PaidChannel,
  { key, now }: Omit<MessageAction, 'memberId'>,
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
  { businessId, memberId, now }: ActionContext,
  filter: Record<string, string | true>,
  recipient: { id: string; email: string } | null,
): Promise<void> =>
  recordAudit(db, now, {
    businessId,
    actor: actingMember(memberId),
    action: 'message.exported',
    ...(recipient !== null && { recipient }),
    detail: { filter },
  });

/** The message's id stands for its recipient, whom no entry's detail may name. */
const audit = (tx: Client, { key, memberId, now }: MessageAction, action: string, detail: object = {}) =>
  recordAudit(tx, now, {
    businessId: key.businessId,
    actor: actingMember(memberId),
    action,
    detail: { message_id: key.messageId, ...detail },
  });
