import type { Queryable } from '../db/statement.ts';
import { type LockedSend, lockMessages, lockRecipients, lockUnderWay } from './lockSql.ts';
import { keyArrays, keyText, messageKeys, recipientKeys, type SendKey, type SendTarget } from './send.ts';
import type { SendState } from './states.ts';

/**
 * Locks recipients, then messages, then sends: the order that every transaction keeps. The three statements are pipelined,
 * yet each starts when the one before has its locks, and sees everything committed until then. Returns the given sends
 * that are still waiting or submitting, and all other such sends of the same messages.
 */
export async function lockAll(tx: Queryable, sends: readonly SendTarget[]): Promise<LockedSend[]> {
  const messages = messageKeys(sends);
  const service = sends.filter(({ message_id }) => message_id === null);
  const [, , lockedSends] = await Promise.all([
    lockRecipients(tx, ...recipientKeys(sends)),
    lockMessages(tx, ...messages),
    lockUnderWay(tx, ...messages, ...keyArrays(service)),
  ]);
  return lockedSends;
}

/** The sends with these keys. */
export function withKeys(locked: readonly LockedSend[], keys: readonly SendKey[]): LockedSend[] {
  const wanted = new Set(keys.map(keyText));
  return locked.filter((send) => wanted.has(keyText(send)));
}

/** The claimed sends that nobody else has changed or claimed since. */
export const stillClaimed = (
  locked: readonly LockedSend[],
  claimed: readonly SendKey[],
  lease: string,
  state: SendState,
): LockedSend[] => withKeys(locked, claimed).filter((send) => send.state === state && send.lease === lease);
