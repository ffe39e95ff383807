import { TOLD_BY_HAND_MS } from '../config/limits.ts';
import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { TrackingStatus } from '../contract/orders.ts';
import { earlier } from '../kit/clock.ts';
import { milestoneStatus } from '../orders/trackingStatus.ts';
import type { ToldByHand } from '../push/snapshot.ts';

/** What a carrier reports of a shipment. */
export interface ReportedEvent {
  trackingNumber: string;
  status: TrackingStatus;
  at: Date;
  description: string | null;
  location: string | null;
  /** The person whom the event names. */
  recipientEmail: string | null;
  /** It is stored and tells nobody. */
  isQuiet: boolean;
}

/** What is known of a shipment, as far as its next events need it. */
export interface ShipmentState {
  /** Of its latest event; null: it has none. */
  latestAt: Date | null;
  /** The moments of its stored events, by status, in milliseconds. */
  stored: Map<TrackingStatus, Set<number>>;
}

/** A person, by address; `id` null: nothing was sent to them yet. */
export interface Addressee {
  id: string | null;
  email: string;
  language: string | null;
}

/** A push by hand that made or updated a message of the order. */
export interface PushByHand extends ToldByHand {
  messageId: string;
}

/** What is known of an order. */
export interface TrackedOrder {
  shipments: Map<string, ShipmentState>;
  /** Of messages that are not retracted, newest first. */
  byHand: readonly PushByHand[];
  /** The recipient of the newest message, else somebody whom an earlier event named. */
  recipient: Addressee | null;
}

/** Why an event makes no message. `late`, `quiet` and `told_by_hand` use up its status. */
type Untold = 'repeated' | 'late' | 'quiet' | 'not_first' | 'not_chosen' | 'told_by_hand';

export interface TrackingVerdict {
  stored: boolean;
  /** The newest that is known of its shipment. */
  isNewest: boolean;
  isFirst: boolean;
  /** The order status that its message tells; null: it makes none, because of `untold`. */
  tells: OrderStatus | null;
  untold: Untold | null;
  /** The message whose push by hand told it. */
  toldBy: string | null;
}

interface Chosen {
  trackingNudges: readonly TrackingStatus[];
}

/** Whether an event is stored, what it is to its shipment, and whether it makes a message. */
export function decideTracking(
  order: TrackedOrder,
  event: ReportedEvent,
  { trackingNudges }: Chosen,
  now: Date,
): TrackingVerdict {
  const shipment = order.shipments.get(event.trackingNumber);
  const stored = shipment?.stored.get(event.status);
  if (stored?.has(event.at.getTime())) return REPEATED;
  const isFirst = stored === undefined;
  const isNewest = shipment?.latestAt == null || event.at >= shipment.latestAt;
  const placed = { stored: true, isNewest, isFirst };

  const tells = milestoneStatus(event.status);
  if (!isNewest) return { ...placed, ...untold('late') };
  if (event.isQuiet) return { ...placed, ...untold('quiet') };
  if (!isFirst) return { ...placed, ...untold('not_first') };
  if (tells === null || !trackingNudges.includes(event.status)) return { ...placed, ...untold('not_chosen') };
  const since = earlier(now, TOLD_BY_HAND_MS);
  const byHand = order.byHand.find(({ orderStatus, at }) => orderStatus === tells && at > since);
  if (byHand) return { ...placed, ...untold('told_by_hand', byHand.messageId) };
  return { ...placed, tells, untold: null, toldBy: null };
}

const untold = (why: Untold, toldBy: string | null = null) => ({ tells: null, untold: why, toldBy });

const REPEATED: TrackingVerdict = {
  stored: false,
  isNewest: false,
  isFirst: false,
  ...untold('repeated'),
};

/** Makes an event visible to the later ones of its group. */
export function applyToOrder(
  order: TrackedOrder,
  event: ReportedEvent,
  addressee: Addressee,
  { stored, isNewest }: TrackingVerdict,
): void {
  if (!stored) return;
  const { trackingNumber, status, at } = event;
  const shipment = order.shipments.get(trackingNumber) ?? { latestAt: null, stored: new Map() };
  const moments = shipment.stored.get(status) ?? new Set();
  shipment.stored.set(status, moments.add(at.getTime()));
  if (isNewest) shipment.latestAt = at;
  order.shipments.set(trackingNumber, shipment);
  order.recipient ??= addressee;
}
