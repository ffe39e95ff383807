import { type AccountRow, lockAccounts, readAccounts } from '../businesses/billingSql.ts';
import { moveCredits, spendable } from '../businesses/credits.ts';
import { type PaidChannel, paidChannels } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { writeNow } from '../db/transaction.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { type Facts, loadFacts } from '../outbox/facts.ts';
import { type HistoryType, historyRow } from '../outbox/historyOfSend.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { queueSend } from '../outbox/sendsSql.ts';
import { sendCounts } from '../usage/sql.ts';
import { type LockedMessage, lockMessage, type MessageKey, readUnlocked } from './lock.ts';
import { judgeResend, type ResendVerdict } from './resendVerdict.ts';
import { addHistory } from './sql.ts';

/**
 * Queues a text for a message whose text was never sent (interface, section 4). A gate that refuses it is a normal result;
 * if a text was or may have been sent, it throws before anything is written. Null: no such message.
 */
export const resendSms = (tx: Queryable, hash: Hasher, key: MessageKey, now: Date) =>
  resend(tx, hash, key, 'sms', now);

/** The same for WhatsApp. It does not re-arm `sms_if_whatsapp_fails`. */
export async function resendWhatsapp(tx: Queryable, hash: Hasher, key: MessageKey, now: Date) {
  const resent = await resend(tx, hash, key, 'whatsapp', now);
  return resent && { ...resent, result: { ...resent.result, sms_fallback: false } };
}

/** What a resend on a channel would do now. */
export interface JudgedResend {
  channel: PaidChannel;
  verdict: ResendVerdict;
  credits: number;
  phone: string | null;
  /** Until when quiet hours hold it back; null: it goes at once. */
  quietUntil: Date | null;
}

/** By the same rules and without a lock, since it is only said. Null: no such message. */
export async function judgeResends(
  db: Queryable,
  hash: Hasher,
  key: MessageKey,
  now: Date,
): Promise<JudgedResend[] | null> {
  const message = await readUnlocked(db, key);
  if (!message) return null;
  const drafts = paidChannels.map((channel) => draftOf(key, message, channel, now));
  const [facts, [account]] = await Promise.all([
    loadFacts(db, hash, drafts, now),
    readAccounts(db, [key.businessId]),
  ]);
  return drafts.map((draft) => {
    const context = contextFrom(facts, account, message, draft);
    const { channel, phone } = draft;
    const quietUntil = facts.quietUntil(draft);
    return { channel, verdict: judgeResend(context), credits: context.price, phone, quietUntil };
  });
}

async function resend(tx: Queryable, hash: Hasher, key: MessageKey, channel: PaidChannel, now: Date) {
  const message = await lockMessage(tx, key);
  if (!message) return null;
  const draft = draftOf(key, message, channel, now);
  const context = await contextOf(tx, hash, message, draft, now);
  const verdict = judgeResend(context);
  switch (verdict.kind) {
    case 'conflict':
      throw new ApiError(verdict.code);
    case 'skip':
      await remember(tx, draft, { type: `${channel}.skipped`, detail: verdict.reason }, null, now);
      await writeNow(tx, (send) =>
        sendCounts(send, [{ businessId: key.businessId, at: now, counter: `${channel}_skipped`, amount: 1 }]),
      );
      return { result: block(0, verdict.reason), recipientId: message.recipient_id };
    case 'send': {
      const resent = message.sends.find(({ id }) => id === verdict.held) ?? draft;
      await queue(tx, resent, context.price, now);
      await remember(tx, draft, { type: `${channel}.resent`, detail: null }, resent.id, now);
      return { result: block(context.price, null), recipientId: message.recipient_id };
    }
  }
}

/** The same block as a push's (interface 2.3). */
const block = (credits: number, skipped_reason: string | null) => ({
  queued: skipped_reason === null,
  credits,
  skipped_reason,
  escalates_at: null,
});

/** The history keeps when a message was sent again, or why not: neither has a row of its own. */
const remember = (
  tx: Queryable,
  draft: Draft,
  entry: { type: HistoryType; detail: string | null },
  sendId: string | null,
  now: Date,
) => addHistory(tx, JSON.stringify({ ...historyRow(draft, entry, now, 0), send_id: sendId }));

/** The send is queued and no longer held: an opening or a delivered WhatsApp message no longer cancels it. */
async function queue(tx: Queryable, send: LockedSend | Draft, credits: number, now: Date): Promise<void> {
  await moveCredits(tx, [{ kind: 'reserve', businessId: send.business_id, sendId: send.id, credits }], now);
  const queued = { purpose: 'resend', state: 'queued', due_at: now, credits, reserved: true } as const;
  const country = send.phone_country;
  await queueSend(tx, JSON.stringify({ ...send, ...queued, country, escalate_minutes: null }));
}

/** Loads the input of the verdict. The account is locked last, so that the balance cannot change before the reservation. */
async function contextOf(tx: Queryable, hash: Hasher, message: LockedMessage, draft: Draft, now: Date) {
  const facts = await loadFacts(tx, hash, [draft], now);
  const [account] = await lockAccounts(tx, [draft.business_id]);
  return contextFrom(facts, account, message, draft);
}

function contextFrom(facts: Facts, account: AccountRow | undefined, message: LockedMessage, draft: Draft) {
  const hourly = facts.settings(draft).paidPerRecipientHour;
  return {
    channel: draft.channel,
    messageStatus: message.message_status,
    sends: message.sends,
    account: facts.account(draft),
    person: facts.person(draft),
    templateSendable: facts.template(draft).state === 'sendable',
    price: facts.price(draft),
    spendable: account ? spendable(account) : 0,
    rateLimited: hourly !== null && facts.paidLastHour(draft) >= hourly,
  };
}

/** The new send that the resend would queue; the gates judge it. */
const draftOf = (
  { businessId, messageId }: MessageKey,
  { sends: _, ...facts }: LockedMessage,
  channel: PaidChannel,
  now: Date,
) => ({
  ...facts,
  business_id: businessId,
  id: newId(now),
  message_id: messageId,
  channel,
  fallback_of: null,
  created_at: now,
});

type Draft = ReturnType<typeof draftOf>;
