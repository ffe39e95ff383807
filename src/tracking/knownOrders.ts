import type { TrackingStatus } from '../contract/orders.ts';
import { keyOf } from '../push/snapshot.ts';
import type { Addressee, TrackedOrder } from './decideTracking.ts';
import type { TrackingItem } from './item.ts';
import type { OrderRow, TrackingRow } from './sql.ts';

export const orderKey = ({ businessId, reference }: Pick<TrackingItem, 'businessId' | 'reference'>): string =>
  keyOf(businessId, reference);

/** What was loaded about the orders of a group, by order. */
export function knownOrders(items: readonly TrackingItem[], row: TrackingRow): Map<string, TrackedOrder> {
  const orders = new Map(
    (row.orders ?? []).map((order) => [keyOf(order.business_id, order.reference), orderFrom(order)]),
  );
  for (const found of row.events ?? []) {
    const item = items[found.place];
    const order = item && orders.get(orderKey(item));
    if (!item || !order || (found.latest_at === null && !found.has_status)) continue;
    const { trackingNumber, status, at } = item.event;
    const shipment = order.shipments.get(trackingNumber) ?? {
      latestAt: found.latest_at === null ? null : new Date(found.latest_at),
      stored: new Map<TrackingStatus, Set<number>>(),
    };
    order.shipments.set(trackingNumber, shipment);
    if (!found.has_status) continue;
    const moments = shipment.stored.get(status) ?? new Set();
    shipment.stored.set(status, found.is_stored ? moments.add(at.getTime()) : moments);
  }
  return orders;
}

const orderFrom = ({ recipient, by_hand }: OrderRow): TrackedOrder => ({
  shipments: new Map(),
  recipient,
  byHand: (by_hand ?? []).map(({ id, order_status, at }) => {
    return { messageId: id, orderStatus: order_status, at: new Date(at) };
  }),
});

/** The person whom an event concerns: whom it names, else whom the order knows; null: nobody. */
export const addresseeOf = (
  { event: { recipientEmail } }: TrackingItem,
  order: TrackedOrder,
  named: Addressee | null,
): Addressee | null => {
  if (recipientEmail === null) return order.recipient;
  return named ?? { id: null, email: recipientEmail, language: null };
};
