import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { lockAll, withKeys } from './lock.ts';
import { endWaiting } from './siblings.ts';
import { waitingOfRecipient } from './sql.ts';
import { applyTransitions } from './transition.ts';

interface CancelTarget {
  businessId: string;
  recipientId: string;
  channels: readonly Channel[];
}

/**
 * Skips what waits for a person on some channels, as its gate would have done later. It returns reserved credits, and records an
 * event for each email that will not be sent. A send that a provider may already have is left alone. Returns how many sends it
 * skipped and how many webhook deliveries it queued.
 */
export async function cancelSends(
  tx: Queryable,
  { businessId, recipientId, channels }: CancelTarget,
  reason: 'stopped' | 'unsubscribed',
  now: Date,
): Promise<{ cancelled: number; deliveries: number }> {
  const found = await waitingOfRecipient(tx, businessId, recipientId, channels);
  if (found.length === 0) return { cancelled: 0, deliveries: 0 };
  const concerned = await lockAll(tx, found);
  const { ended, changes } = endWaiting(withKeys(concerned, found), 'skipped', reason, concerned, now);
  return { cancelled: ended, deliveries: await applyTransitions(tx, changes, now) };
}
