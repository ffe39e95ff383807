import type { FinalWrites } from '../db/transaction.ts';
import { newId } from '../kit/ids.ts';
import { shipmentRow, writeShipments } from '../orders/shipmentsSql.ts';
import { writeGroupChanges, writeGroupInserts } from './applySql.ts';
import { ChangeRows } from './changeRows.ts';
import { insertRows } from './insertRows.ts';
import { keyOf } from './snapshot.ts';
import type { WriteSet } from './writeSet.ts';

/** Writes the decisions of a group. Returns the number of webhook deliveries queued. `hasExpired`: whether a response may overwrite an expired one. */
export function apply(now: Date, writes: WriteSet, hasExpired: boolean): FinalWrites<number> {
  const shipments = shipmentRows(now, writes);
  const writeRest = applyRest(now, writes, hasExpired);
  if (shipments.length === 0) return writeRest;
  return (send) => {
    // Before the counters, as tracking events do.
    send(writeShipments, JSON.stringify(shipments), now);
    return writeRest(send);
  };
}

/** In one statement. */
function applyRest(now: Date, writes: WriteSet, hasExpired: boolean): FinalWrites<number> {
  const inserts = hasExpired ? null : insertRows(now, writes);
  if (inserts !== null)
    return (send) => {
      send(writeGroupInserts, now, ...inserts);
      return () => 0;
    };
  const changes = new ChangeRows(now, writes).parameters();
  return (send) => {
    const applied = send(writeGroupChanges, now, ...changes);
    return () => applied()[0]?.counted ?? 0;
  };
}

/** Of each shipment of an order what the last push of the group says. */
function shipmentRows(now: Date, { decided }: WriteSet) {
  const rows = new Map<string, ReturnType<typeof shipmentRow>>();
  for (const { businessId, message, shipment } of decided.map(({ decision }) => decision)) {
    if (shipment === null || message.reference === null) continue;
    const row = shipmentRow(businessId, message.reference, shipment, newId(now, rows.size));
    rows.set(keyOf(businessId, message.reference, shipment.trackingNumber), row);
  }
  return [...rows.values()];
}
