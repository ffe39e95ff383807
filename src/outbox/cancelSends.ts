import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { lockAll } from './lock.ts';
import type { LockedSend } from './lockSql.ts';
import { keyText } from './send.ts';
import { cancelled, withSiblings } from './siblings.ts';
import { waitingOfMessages, waitingOfRecipient } from './sql.ts';
import { isWaiting } from './states.ts';
import { applyTransitions, type SendTransition } from './transition.ts';

/** What is called off: all that waits for some messages, or what waits for a person on some channels. */
export type CancelTarget =
  | { businessId: string; messageIds: readonly string[] }
  | { businessId: string; recipientId: string; channels: readonly Channel[] };

export type CancelReason =
  | 'message_retracted'
  | 'message_obsolete'
  | 'stopped'
  | 'unsubscribed'
  | 'not_needed';

/**
 * Ends what has not been handed to a provider yet, in the transaction that makes it moot: credits that were set
 * aside are given back, and the merchant is told of emails that will not be sent. What a provider may already have
 * is left alone. Answers how many sends that were, and how many webhook deliveries it queued.
 */
export async function cancelSends(
  tx: Queryable,
  target: CancelTarget,
  reason: CancelReason,
  now: Date,
): Promise<{ cancelled: number; deliveries: number }> {
  const found =
    'messageIds' in target
      ? await waitingOfMessages(tx, target.businessId, target.messageIds)
      : await waitingOfRecipient(tx, target.businessId, target.recipientId, target.channels);
  if (found.length === 0) return { cancelled: 0, deliveries: 0 };
  const concerned = await lockAll(tx, found);
  const meant = new Set(found.map(keyText));
  const changes = concerned
    .filter((send) => meant.has(keyText(send)) && isWaiting(send.state))
    .map((before): SendTransition => ({ before, after: ended(before, reason, now) }));
  const deliveries = await applyTransitions(tx, withSiblings(changes, concerned, now), now);
  return { cancelled: changes.length, deliveries };
}

/** What a rule stops is skipped, as it would have been when its turn came; what became moot is cancelled. */
const ended = (send: LockedSend, reason: CancelReason, now: Date): LockedSend => ({
  ...cancelled(send, reason, now),
  state: reason === 'stopped' || reason === 'unsubscribed' ? 'skipped' : 'cancelled',
});
