import { invalid } from '../kit/errors.ts';
import type { Classification } from '../push/classify.ts';
import type { PushOutcome } from '../push/outcomes.ts';
import {
  type Addressee,
  applyToOrder,
  decideTracking,
  type TrackedOrder,
  type TrackingVerdict,
} from './decideTracking.ts';
import type { TrackingItem } from './item.ts';
import { addresseeOf, orderKey } from './knownOrders.ts';
import type { Milestone } from './milestone.ts';
import type { TrackingRow } from './sql.ts';

/** An event whose consequences are known. */
export interface DecidedEvent {
  item: TrackingItem;
  verdict: TrackingVerdict;
  addressee: Addressee;
  milestone: Milestone | null;
}

/** What becomes of an event of a group. */
export type Fate = PushOutcome | { kind: 'decided'; event: DecidedEvent };

const missingRecipient = () =>
  invalid({
    type: 'missing_recipient',
    loc: ['body', 'recipient_email'],
    msg: 'Nothing names the recipient of this order yet: recipient_email is required',
    input: null,
  });

/** Decides the events in order: each sees what those before it changed. */
export function decideEvents(
  items: readonly TrackingItem[],
  classified: readonly Classification[],
  orders: ReadonlyMap<string, TrackedOrder>,
  row: TrackingRow,
  now: Date,
): Fate[] {
  const businesses = new Map((row.businesses ?? []).map((business) => [business.id, business]));
  const found = new Map((row.events ?? []).map((event) => [event.place, event]));
  /** Orders of which an event has told or named another person than the one known: who is next shows once it is written. */
  const unsure = new Set<string>();
  const deferred = new Set<string>();
  return classified.map((known, place): Fate => {
    const item = items[place];
    const key = item && orderKey(item);
    const order = key && orders.get(key);
    const business = item && businesses.get(item.businessId);
    if (known.kind !== 'decidable') return known;
    if (!item || !order || !business) throw new Error('an event was loaded without its order');
    // Those after it depend on it.
    if (deferred.has(key) || (item.event.recipientEmail === null && unsure.has(key))) {
      deferred.add(key);
      return { kind: 'deferred' };
    }
    const shipment = found.get(place);
    const addressee = addresseeOf(item, order, shipment?.named ?? null);
    if (addressee === null) return { kind: 'error', error: missingRecipient() };
    const { event, reference } = item;
    const verdict = decideTracking(order, event, { trackingNudges: business.tracking_nudges }, now);
    if (verdict.stored && order.recipient !== null && order.recipient.email !== addressee.email)
      unsure.add(key);
    applyToOrder(order, event, addressee, verdict);
    const milestone =
      verdict.tells === null
        ? null
        : { reference, event, status: verdict.tells, addressee, business, shipment };
    return { kind: 'decided', event: { item, verdict, addressee, milestone } };
  });
}
