import type { Queryable } from '../db/statement.ts';
import { recordEvents } from '../webhooks/events.ts';
import { cancelArmed, markOpened } from './openSql.ts';

export interface MessageOfPerson {
  businessId: string;
  recipientId: string;
  messageId: string;
}

export interface Opening {
  /** This was the first time: the event was recorded, what was armed for an unread message is called off. */
  first: boolean;
  /** Webhook deliveries that now wait to be made. */
  deliveries: number;
}

/**
 * A person has opened the message in the inbox. The first time counts: the merchant is told once, and a text or
 * WhatsApp message that waited for it to stay unread is never sent. Rows are locked message first, then sends.
 */
export async function openMessage(
  tx: Queryable,
  { businessId, recipientId, messageId }: MessageOfPerson,
  now: Date,
): Promise<Opening> {
  const [opened] = await markOpened(tx, businessId, recipientId, messageId, now);
  if (!opened) return { first: false, deliveries: 0 };
  await cancelArmed(tx, businessId, messageId, now);
  const deliveries = await recordEvents(
    tx,
    [
      {
        type: 'message.opened',
        businessId,
        messageId,
        recipientId,
        data: {
          message_id: messageId,
          recipient_email: opened.email,
          subject: opened.subject,
          reference: opened.reference,
          channel: 'email',
        },
      },
    ],
    now,
  );
  return { first: true, deliveries };
}
