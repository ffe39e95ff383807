import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { TrackingStatus } from '../contract/orders.ts';
import { milestoneStatus } from '../orders/trackingStatus.ts';
import type { LeftOut, OrderFacts, Parcel } from './facts.ts';
import { eventChange, isRefundedInFull, type KnownOrder, orderChange, shipmentChange } from './knownOrder.ts';
import { type ConnectionSettings, statusToldFor } from './settings.ts';

export interface Rules {
  /** What the kind's statuses tell by default. */
  defaults: Readonly<Record<string, OrderStatus | null>>;
  settings: Pick<ConnectionSettings, 'statuses'>;
  tellsEachShipment: boolean;
  /** The tracking statuses that nudge. */
  trackingNudges: readonly TrackingStatus[];
}

export interface Change {
  name: string;
  /** Null: it tells nothing. */
  status: OrderStatus | null;
  at: string | null;
  kind: 'order' | 'shipment' | 'event';
  isQuiet: boolean;
  parcels: readonly Parcel[];
  leftOut: readonly LeftOut[];
}

/** The store's word for an order whose refunds add up to what it cost. */
const REFUNDED = 'refunded';

/** All that is true of the order, oldest first where the store says when. */
export function changesOfOrder(known: KnownOrder, { defaults, settings, trackingNudges }: Rules): Change[] {
  const told = (word: string): OrderStatus | null => statusToldFor(defaults, settings, word);
  const statuses = [...(known.order?.statuses ?? [])];
  if (isRefundedInFull(known) && !statuses.some(({ status }) => status === REFUNDED))
    statuses.push({ status: REFUNDED, at: null });
  return [
    ...statuses.map(
      ({ status, at }): Change => ({
        name: orderChange(status),
        status: told(status),
        at,
        kind: 'order',
        isQuiet: false,
        parcels: [],
        leftOut: [],
      }),
    ),
    ...known.shipments.map(
      ({ id, status, at, isQuiet, parcels, leftOut = [] }): Change => ({
        name: shipmentChange(id, status),
        status: told(status),
        at,
        kind: 'shipment',
        isQuiet,
        parcels,
        leftOut,
      }),
    ),
    ...known.events.map(
      ({ shipmentId, status, at }): Change => ({
        name: eventChange(shipmentId, status),
        status: trackingNudges.includes(status) ? milestoneStatus(status) : null,
        at,
        kind: 'event',
        isQuiet: false,
        parcels: parcelsOf(known, shipmentId),
        leftOut: [],
      }),
    ),
  ];
}

export const parcelsOf = ({ shipments }: KnownOrder, shipmentId: string): readonly Parcel[] =>
  shipments.find(({ id }) => id === shipmentId)?.parcels ?? [];

export const hasParcel = (known: KnownOrder, { shipmentId }: { shipmentId: string }): boolean =>
  known.order !== null && parcelsOf(known, shipmentId).length > 0;

export const isNamedBy = (
  { order, shipments, events, refunds }: OrderFacts,
  { name }: Change,
  isLate: boolean,
): boolean =>
  (refunds.length > 0 && name === orderChange(REFUNDED)) ||
  (!isLate && (order?.statuses ?? []).some(({ status }) => orderChange(status) === name)) ||
  shipments.some(({ id, status }) => shipmentChange(id, status) === name) ||
  events.some(({ shipmentId, status }) => eventChange(shipmentId, status) === name);
