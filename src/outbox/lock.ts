import type { Queryable } from '../db/statement.ts';
import { type LockedSend, lockMessages, lockRecipients, lockUnderWay } from './lockSql.ts';
import { keyArrays, messageKeys, type OfPerson, recipientKeys } from './send.ts';

/**
 * Locks what is under way for some people's messages, in the order that everyone keeps: first the people, then the messages, then
 * the sends. None waits for the answer of the one before, but each begins when that has its locks, and sees what was
 * committed until then. Answers the sends named, unless they have ended, with what else is under way for their messages.
 */
export async function lockAll(tx: Queryable, sends: readonly OfPerson[]): Promise<LockedSend[]> {
  const messages = messageKeys(sends);
  const service = sends.filter(({ message_id }) => message_id === null);
  const [, , underWay] = await Promise.all([
    lockRecipients(tx, ...recipientKeys(sends)),
    lockMessages(tx, ...messages),
    lockUnderWay(tx, ...messages, ...keyArrays(service)),
  ]);
  return underWay;
}
