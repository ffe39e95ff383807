import type { RetractResult } from '../contract/messages.ts';
import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { type OrderChangeRow, writeOrderChanges } from '../orders/changesSql.ts';
import { endWaiting } from '../outbox/siblings.ts';
import { mayBeAccepted } from '../outbox/states.ts';
import { applyTransitions } from '../outbox/transition.ts';
import { lockMessage, type MessageKey } from './lock.ts';
import { markRetracted } from './sql.ts';

/** Retracts an active message and cancels its waiting sends, in one transaction (interface 3.1). Null: no such message. */
export async function retractMessage(tx: Queryable, key: MessageKey, now: Date) {
  const message = await lockMessage(tx, key);
  if (!message) return null;
  const { recipient_id: recipientId, message_status: status, sends } = message;
  const already_notified = sends.some(({ state }) => mayBeAccepted(state));
  const result: RetractResult = {
    id: key.messageId,
    status,
    retracted: false,
    sends_cancelled: 0,
    already_notified,
  };
  if (status !== 'active') return { result, recipientId, deliveries: 0 };
  await markRetracted(tx, key.businessId, key.messageId, now);
  if (message.reference !== null && message.order_status !== null) {
    const change: OrderChangeRow = {
      business_id: key.businessId,
      id: newId(now),
      reference: message.reference,
      recipient_id: recipientId,
      recounts: true,
    };
    await writeOrderChanges(tx, JSON.stringify([change]), now);
  }
  const { ended, changes } = endWaiting(sends, 'cancelled', 'message_retracted', sends, now);
  const deliveries = await applyTransitions(tx, changes, now);
  const done: RetractResult = { ...result, status: 'retracted', retracted: true, sends_cancelled: ended };
  return { result: done, recipientId, deliveries };
}
