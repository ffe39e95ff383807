import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { isUnread } from '../nudges/escalation.ts';
import type { HistoryType } from '../outbox/historyOfSend.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { cancelled, withSiblings } from '../outbox/siblings.ts';
import { OPENED_FIRST } from '../outbox/states.ts';
import { applyTransitions } from '../outbox/transition.ts';
import type { UsageFact } from '../usage/counters.ts';
import type { NewEvent } from '../webhooks/events.ts';
import { type LockedMessage, lockMessage, type MessageKey } from './lock.ts';
import { addHistory, markOpened } from './sql.ts';

type OpeningKey = MessageKey & { recipientId: string };

/**
 * Records that a person opened a message in the inbox, and cancels held escalations with their fallback texts. The first
 * opening also records the event `message.opened`; one after an update that nudged is only in the history. Opening a
 * message that is read already writes nothing. Returns the number of webhook deliveries queued.
 */
export async function openMessage(tx: Queryable, key: OpeningKey, now: Date) {
  const message = await lockMessage(tx, key);
  if (message?.recipient_id !== key.recipientId || !isUnread(message)) return { deliveries: 0 };
  await markOpened(tx, key.businessId, key.messageId, now);
  const held = message.sends.filter(isHeldEscalation);
  const ended = held.map((before) => ({ before, after: cancelled(before, OPENED_FIRST, now) }));
  const changes = withSiblings(ended, message.sends, now);
  if (message.opened_at === null) {
    const opened = [openedFact(key, message, now)];
    return { deliveries: await applyTransitions(tx, changes, now, [openedEvent(key, message)], opened) };
  }
  const type: HistoryType = 'message.reopened';
  const { businessId: business_id, messageId: message_id } = key;
  await addHistory(tx, JSON.stringify({ business_id, id: newId(now), message_id, type, at: now }));
  return { deliveries: await applyTransitions(tx, changes, now) };
}

const isHeldEscalation = ({ state, escalate_minutes }: LockedSend): boolean =>
  state === 'held' && escalate_minutes !== null;

const openedFact = (
  { businessId }: OpeningKey,
  { message_created_at }: LockedMessage,
  now: Date,
): UsageFact => ({
  businessId,
  at: now,
  counter: 'email_opened',
  amount: 1,
  openedAfterMs: now.getTime() - (message_created_at ?? now).getTime(),
});

const openedEvent = (
  { businessId, messageId, recipientId }: OpeningKey,
  { email, subject, reference }: LockedMessage,
): NewEvent => ({
  type: 'message.opened',
  businessId,
  messageId,
  recipientId,
  data: {
    message_id: messageId,
    recipient_email: email,
    subject: subject ?? '',
    reference,
    channel: 'email',
  },
});
