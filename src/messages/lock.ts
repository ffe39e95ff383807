import type { Queryable } from '../db/statement.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { lockMessageRow, lockRecipientOf, lockSendsOf, type MessageFacts } from './sql.ts';

export interface MessageKey {
  businessId: string;
  messageId: string;
}

export interface LockedMessage extends MessageFacts {
  /** Oldest first. */
  sends: LockedSend[];
}

/** Locks a message with its recipient and its sends, until the transaction ends; null: no such message. */
export async function lockMessage(tx: Queryable, { businessId, messageId }: MessageKey) {
  await lockRecipientOf(tx, businessId, messageId);
  const [facts] = await lockMessageRow(tx, businessId, messageId);
  if (!facts) return null;
  const sends = await lockSendsOf(tx, businessId, messageId);
  return { ...facts, sends: sends.map((send) => ({ ...send, ...facts })) };
}
