import type { Queryable } from '../db/statement.ts';
import { type LockedSend, lockMessages, lockRecipients, lockUnderWay } from './lockSql.ts';
import { keyArrays, messageKeys, type OfPerson, recipientKeys } from './send.ts';

/**
 * Locks recipients, then messages, then sends: the order that every transaction keeps. The three statements are pipelined,
 * yet each starts when the one before has its locks, and sees everything committed until then. Returns the given sends
 * that are still waiting or submitting, and all other such sends of the same messages.
 */
export async function lockAll(tx: Queryable, sends: readonly OfPerson[]): Promise<LockedSend[]> {
  const messages = messageKeys(sends);
  const service = sends.filter(({ message_id }) => message_id === null);
  const [, , lockedSends] = await Promise.all([
    lockRecipients(tx, ...recipientKeys(sends)),
    lockMessages(tx, ...messages),
    lockUnderWay(tx, ...messages, ...keyArrays(service)),
  ]);
  return lockedSends;
}
