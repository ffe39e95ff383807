import type { Queryable } from '../db/statement.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { cancelled, withSiblings } from '../outbox/siblings.ts';
import { OPENED_FIRST } from '../outbox/states.ts';
import { applyTransitions, type SendTransition } from '../outbox/transition.ts';
import type { UsageFact } from '../usage/counters.ts';
import { lockMessage, type MessageKey } from './lock.ts';
import { markOpened } from './sql.ts';

export interface Opening {
  /** Whether this was the first opening. */
  first: boolean;
  /** The number of webhook deliveries queued. */
  deliveries: number;
}

/**
 * Records that a person opened a message in the inbox. The first opening records the event `message.opened`, and cancels
 * held escalations with their fallback texts.
 */
export async function openMessage(
  tx: Queryable,
  key: MessageKey & { recipientId: string },
  now: Date,
): Promise<Opening> {
  const message = await lockMessage(tx, key);
  if (message?.recipient_id !== key.recipientId || message.opened_at !== null) {
    return { first: false, deliveries: 0 };
  }
  await markOpened(tx, key.businessId, key.messageId, now);
  const changes = withSiblings(message.sends.filter(isArmed).map(toOpenedFirst(now)), message.sends, now);
  const opened: UsageFact = {
    businessId: key.businessId,
    at: now,
    counter: 'email_opened',
    amount: 1,
    openedAfterMs: now.getTime() - (message.message_created_at ?? now).getTime(),
  };
  const event = {
    type: 'message.opened' as const,
    businessId: key.businessId,
    messageId: key.messageId,
    recipientId: key.recipientId,
    data: {
      message_id: key.messageId,
      recipient_email: message.email,
      subject: message.subject ?? '',
      reference: message.reference,
      channel: 'email' as const,
    },
  };
  return { first: true, deliveries: await applyTransitions(tx, changes, now, [event], [opened]) };
}

const isArmed = ({ state, escalate_minutes }: LockedSend): boolean =>
  state === 'held' && escalate_minutes !== null;

const toOpenedFirst =
  (now: Date) =>
  (before: LockedSend): SendTransition => ({ before, after: cancelled(before, OPENED_FIRST, now) });
