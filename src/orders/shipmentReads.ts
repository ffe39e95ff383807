import type { Queryable } from '../db/statement.ts';
import { type TrackedShipment, trackedOfOrders } from './shipmentReadsSql.ts';

/** The newest events first; of two at the same time, the one that was received later. */
export async function readTrackedShipments(
  db: Queryable,
  businessId: string,
  references: readonly string[],
): Promise<TrackedShipment[]> {
  if (references.length === 0) return [];
  const rows = await trackedOfOrders(db, businessId, [...references]);
  return rows.map((row) => ({
    ...row,
    events: (row.events ?? []).map((event) => ({ ...event, at: new Date(event.at) })),
  }));
}
