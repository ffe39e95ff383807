import type { TrackingResult } from '../contract/orders.ts';
import { newId } from '../kit/ids.ts';
import type { OrderChangeRow } from '../orders/changesSql.ts';
import type { HistoryType } from '../outbox/historyOfSend.ts';
import type { Decision } from '../push/decide.ts';
import { type PushResponse, responseRow } from '../push/outcomes.ts';
import { keyOf } from '../push/snapshot.ts';
import type { DecidedEvent } from './decideEvents.ts';
import { trackingKey } from './load.ts';

/** The decision of the push that an event made; null: it made none. */
export type PushOf = (event: DecidedEvent) => Decision | null;

const ACCEPTED = 202;

export function answerTo({ item, verdict }: DecidedEvent, push: Decision | null): PushResponse {
  const answer: TrackingResult = {
    status: item.event.status,
    is_first: verdict.isFirst,
    nudged: push?.result.nudged ?? false,
    message_id: push?.message.id ?? null,
  };
  return { status: ACCEPTED, body: JSON.stringify(answer), replayed: false };
}

/** The parameters of `writeTracking` after `now`, in order. */
export function trackingRows(now: Date, events: readonly DecidedEvent[], pushOf: PushOf) {
  const stored = events.filter(({ verdict }) => verdict.stored);
  const newest = new Map(
    stored.flatMap((event, ordinal) =>
      event.verdict.isNewest ? [[shipmentKey(event), shipmentRow(event, newId(now, ordinal))] as const] : [],
    ),
  );
  return [
    JSON.stringify([...newest.values()]),
    JSON.stringify(stored.map((event, ordinal) => eventRow(event, newId(now, ordinal)))),
    JSON.stringify(
      stored.flatMap((event, ordinal) => orderChange(event, pushOf(event), newId(now, ordinal)) ?? []),
    ),
    JSON.stringify(
      events.flatMap(({ item, verdict: { toldBy } }, ordinal) =>
        toldBy === null ? [] : [alreadyTold(item.businessId, toldBy, newId(now, ordinal), now)],
      ),
    ),
    JSON.stringify(events.map((event) => recordOf(event, pushOf(event)))),
  ] as const;
}

const shipmentKey = ({ item: { businessId, reference, event } }: DecidedEvent): string =>
  keyOf(businessId, reference, event.trackingNumber);

const shipmentRow = ({ item: { businessId, reference, event } }: DecidedEvent, id: string) => ({
  business_id: businessId,
  reference,
  tracking_number: event.trackingNumber,
  id,
  status: event.status,
  status_at: event.at,
});

const eventRow = ({ item: { businessId, reference, event } }: DecidedEvent, id: string) => ({
  business_id: businessId,
  reference,
  tracking_number: event.trackingNumber,
  status: event.status,
  at: event.at,
  id,
  description: event.description,
  location: event.location,
});

/** A late event changes nothing of its order but the people whom it names. */
function orderChange(
  { item: { businessId, reference, event }, verdict, addressee }: DecidedEvent,
  push: Decision | null,
  id: string,
): OrderChangeRow | null {
  const recipientId = push?.recipient.id ?? addressee.id;
  const named = event.recipientEmail ?? (recipientId === null ? addressee.email : null);
  const person = { recipient_id: recipientId ?? undefined, email: named ?? undefined };
  const change = { business_id: businessId, id, reference, ...person };
  if (!verdict.isNewest) return event.recipientEmail === null ? null : { ...change, recounts: true };
  return {
    ...change,
    status: event.status,
    status_at: event.at.toISOString(),
    tracking_number: event.trackingNumber,
  };
}

const ALREADY_TOLD: HistoryType = 'message.already_told';

const alreadyTold = (business_id: string, message_id: string, id: string, at: Date) => ({
  business_id,
  id,
  message_id,
  type: ALREADY_TOLD,
  at,
});

const recordOf = (event: DecidedEvent, push: Decision | null) =>
  responseRow(
    trackingKey(event.item),
    event.item.fingerprint,
    ACCEPTED,
    answerTo(event, push).body,
    push?.recipient.id ?? event.addressee.id,
  );
