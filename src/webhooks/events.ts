import type { EventContent } from '../contract/eventTypes.ts';
import { recordEventBusinesses } from '../db/committedEvents.ts';
import type { Queryable } from '../db/statement.ts';
import { newId } from '../kit/ids.ts';
import { insertEvents } from './deliveriesSql.ts';
import { canonicalJson, type JsonValue } from './signature.ts';

/** A fact to report to the merchant. An event about a person names the recipient, so that an erasure finds it. */
export type NewEvent = EventContent & {
  businessId: string;
  messageId: string | null;
  recipientId: string | null;
};

/** Of an event that is about no message and no person. */
export const ofBusinessAlone = (businessId: string) => ({ businessId, messageId: null, recipientId: null });

/**
 * Writes events in the transaction of the change that they report, with one delivery for each endpoint subscribed
 * at this moment. Returns the number of deliveries; with none, no worker needs waking.
 */
export async function recordEvents(tx: Queryable, events: readonly NewEvent[], now: Date): Promise<number> {
  if (events.length === 0) return 0;
  recordEventBusinesses(tx, events);
  const rows = events.map((event, ordinal) => eventRow(event, now, ordinal));
  const [deliveries] = await insertEvents(tx, JSON.stringify(rows));
  return deliveries?.counted ?? 0;
}

/** `ordinal` keeps the events of one transaction in order. */
export const eventRow = (event: NewEvent, now: Date, ordinal = 0) => ({
  business_id: event.businessId,
  id: newId(now, ordinal),
  type: event.type,
  occurred_at: now,
  message_id: event.messageId,
  recipient_id: event.recipientId,
  data: event.data,
});

export type EventRow = ReturnType<typeof eventRow>;

export interface StoredEvent {
  id: string;
  type: string;
  occurred_at: Date;
  data: JsonValue;
}

/** The body of a delivery: exactly four fields, sorted keys at every depth, no white space (interface 6.1). */
export const envelope = ({ id, type, occurred_at, data }: StoredEvent): string =>
  canonicalJson({ id, type, occurred_at: occurred_at.toISOString(), data });
