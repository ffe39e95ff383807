import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { insertEvents } from './deliveriesSql.ts';
import type { EventContent } from './eventTypes.ts';
import { canonicalJson, type Json } from './signature.ts';

/** A fact worth telling the merchant; personal facts name the recipient, so that an erasure finds them. */
export type NewEvent = EventContent & {
  businessId: string;
  messageId: string | null;
  recipientId: string | null;
};

/**
 * Writes events in the transaction of the change that they report, and queues one delivery for every endpoint that
 * is subscribed at this moment. Answers how many deliveries were queued: none means nobody needs waking.
 */
export async function recordEvents(tx: Queryable, events: readonly NewEvent[], now: Date): Promise<number> {
  if (events.length === 0) return 0;
  const rows = events.map((event, ordinal) => eventRow(event, now, ordinal));
  const [counted] = await insertEvents(tx, JSON.stringify(rows));
  return counted?.deliveries ?? 0;
}

export interface EventRow {
  business_id: string;
  id: string;
  type: string;
  occurred_at: Date;
  message_id: string | null;
  recipient_id: string | null;
  data: EventContent['data'];
}

/** `ordinal` keeps events of one transaction in the order they were told in. */
export const eventRow = (event: NewEvent, now: Date, ordinal = 0): EventRow => ({
  business_id: event.businessId,
  id: newId(now, ordinal),
  type: event.type,
  occurred_at: now,
  message_id: event.messageId,
  recipient_id: event.recipientId,
  data: event.data,
});

/** A stored event, as it is read for a delivery. */
export interface StoredEvent {
  id: string;
  type: string;
  occurred_at: Date;
  data: Json;
}

/** The body of a delivery: exactly four fields, sorted keys at every depth, no white space (interface 6.1). */
export const envelope = ({ id, type, occurred_at, data }: StoredEvent): string =>
  canonicalJson({ id, type, occurred_at: occurred_at.toISOString(), data });
