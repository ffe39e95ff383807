import type { Pool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { transaction } from '../../src/db/transaction.ts';
import type { Clock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { type OrderChangeRow, writeOrderChanges } from '../../src/orders/changesSql.ts';
import { insertTrackingEvents, nameShipments } from '../../src/orders/shipmentsSql.ts';

const writeShipments = statement<[rows: string, now: Date]>(nameShipments('$1', '$2'));
const writeEvents = statement<[rows: string, now: Date]>(insertTrackingEvents('$1', '$2'));

interface Reported {
  status: string;
  at: Date;
  trackingNumber?: string;
  description?: string;
  location?: string;
  /** An address that the event names. */
  email?: string;
}

/** What a tracking event that is the newest of its shipment leaves in the tables of orders, and nothing else. */
export const carrierReports = (
  { pool, clock }: { pool: Pool; clock: Clock },
  { businessId }: { businessId: string },
  reference: string,
  { status, at, trackingNumber = 'CC123', email, ...words }: Reported,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const id = newId(now);
    const of = { business_id: businessId, reference, tracking_number: trackingNumber, id };
    const change: OrderChangeRow = { ...of, email, status, status_at: at.toISOString() };
    await writeShipments(tx, JSON.stringify([{ ...of, status, status_at: at }]), now);
    await writeEvents(tx, JSON.stringify([{ ...of, status, at, ...words }]), now);
    await writeOrderChanges(tx, JSON.stringify([change]), now);
  });
