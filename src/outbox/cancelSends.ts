import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { lockAll, withKeys } from './lock.ts';
import { unsent, withSiblings } from './siblings.ts';
import { waitingOfMessages, waitingOfRecipient } from './sql.ts';
import { isWaiting } from './states.ts';
import { applyTransitions, type SendTransition } from './transition.ts';

/** Which waiting sends to cancel: those of some messages, or those for a person on some channels. */
type CancelTarget =
  | { businessId: string; messageIds: readonly string[] }
  | { businessId: string; recipientId: string; channels: readonly Channel[] };

/** A stop or an unsubscription skips the send, as its gate would have done later; a retraction cancels it. */
const ENDS = { message_retracted: 'cancelled', stopped: 'skipped', unsubscribed: 'skipped' } as const;

/**
 * Cancels sends that no provider has yet, in the caller's transaction. It returns their reserved credits, and records an
 * event for each email that will not be sent. A send that a provider may already have is left alone. Returns how many
 * sends it cancelled and how many webhook deliveries it queued.
 */
export async function cancelSends(
  tx: Queryable,
  target: CancelTarget,
  reason: keyof typeof ENDS,
  now: Date,
): Promise<{ cancelled: number; deliveries: number }> {
  const found =
    'messageIds' in target
      ? await waitingOfMessages(tx, target.businessId, target.messageIds)
      : await waitingOfRecipient(tx, target.businessId, target.recipientId, target.channels);
  if (found.length === 0) return { cancelled: 0, deliveries: 0 };
  const concerned = await lockAll(tx, found);
  const changes = withKeys(concerned, found)
    .filter(({ state }) => isWaiting(state))
    .map((before): SendTransition => ({ before, after: unsent(before, ENDS[reason], reason, now) }));
  const deliveries = await applyTransitions(tx, withSiblings(changes, concerned, now), now);
  return { cancelled: changes.length, deliveries };
}
