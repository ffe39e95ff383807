import type { Queryable } from '../db/statement.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import type { Send } from '../outbox/send.ts';
import {
  lockMessageRow,
  lockRecipientOf,
  lockSendsOf,
  type MessageFacts,
  readMessageFacts,
  readSendsOf,
} from './sql.ts';

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
  return withSends(facts, await lockSendsOf(tx, businessId, messageId));
}

/** The same without locks, for what changes nothing. */
export async function readUnlocked(db: Queryable, { businessId, messageId }: MessageKey) {
  const [[facts], sends] = await Promise.all([
    readMessageFacts(db, businessId, messageId),
    readSendsOf(db, businessId, messageId),
  ]);
  return facts ? withSends(facts, sends) : null;
}

const withSends = (facts: MessageFacts, sends: readonly Send[]): LockedMessage => ({
  ...facts,
  sends: sends.map((send) => ({ ...send, ...facts })),
});
