import type { Queryable } from '../db/statement.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { cancelled, withSiblings } from '../outbox/siblings.ts';
import { NOT_NEEDED } from '../outbox/states.ts';
import { applyTransitions, type SendTransition } from '../outbox/transition.ts';
import { lockMessage, type MessageKey } from './lock.ts';
import { markOpened } from './sql.ts';

export interface Opening {
  /** This was the first time: the merchant is told, what was armed for an unread message is called off. */
  first: boolean;
  /** Webhook deliveries that now wait to be made. */
  deliveries: number;
}

/**
 * A person has opened their message in the inbox. The first time counts: the merchant is told once, and a text or
 * WhatsApp message that waited for it to stay unread, with the text that would stand in for it, is never sent.
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
  const changes = withSiblings(message.sends.filter(isArmed).map(toNotNeeded(now)), message.sends, now);
  const opened = {
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
  return { first: true, deliveries: await applyTransitions(tx, changes, now, [opened]) };
}

const isArmed = ({ state, escalate_minutes }: LockedSend): boolean =>
  state === 'held' && escalate_minutes !== null;

const toNotNeeded =
  (now: Date) =>
  (before: LockedSend): SendTransition => ({ before, after: cancelled(before, NOT_NEEDED, now) });
