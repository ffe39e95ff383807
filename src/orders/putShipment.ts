import type { ShipmentView } from '../contract/orders.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { type OrderChangeRow, writeOrderChanges } from './changesSql.ts';
import { viewShipment } from './reads.ts';
import type { ShipmentFacts } from './shipment.ts';
import { shipmentRow, writeShipments } from './shipmentsSql.ts';

/** Replaces all that a caller can say of a shipment, and sends nothing. */
export function putShipment(
  { pool, clock }: { pool: Pool; clock: Clock },
  businessId: string,
  reference: string,
  facts: ShipmentFacts,
): Promise<ShipmentView | null> {
  return transaction(pool, async (tx) => {
    const now = clock.now();
    const id = newId(now);
    const change: OrderChangeRow = { business_id: businessId, id, reference };
    await writeShipments(tx, JSON.stringify([shipmentRow(businessId, reference, facts, id)]), now);
    await writeOrderChanges(tx, JSON.stringify([change]), now);
    return viewShipment(tx, businessId, reference, facts.trackingNumber);
  });
}
