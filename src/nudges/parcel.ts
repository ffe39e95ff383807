import type { TrackingStatus } from '../contract/orders.ts';
import type { Words } from '../language/words.ts';
import type { KnownShipment } from '../orders/shipmentReadsSql.ts';

/** The shipments that a mail shows, on the day on which it goes out. */
export interface ShownParcels {
  shipments: readonly KnownShipment[];
  now: Date;
}

/** Nothing is on its way any more. */
const ARRIVED: readonly TrackingStatus[] = ['available_for_pickup', 'delivered', 'returned'];

/** The days on which a parcel is still expected; null: none are known, or they have passed. Days end in UTC. */
export function expectedDays(
  words: Words,
  { expectedOn, expectedUntil, status }: KnownShipment,
  now: Date,
): string | null {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const last = expectedUntil ?? expectedOn;
  if (expectedOn === null || last === null || last < today) return null;
  if (status !== null && ARRIVED.includes(status)) return null;
  // Days of this form sort as texts.
  const first = expectedOn < today ? today : expectedOn;
  return words.days(new Date(first), new Date(last), now);
}
