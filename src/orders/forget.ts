import type { Client } from '../db/pool.ts';
import { lockNumber, newId } from '../kit/ids.ts';
import { writeOrderChanges } from './changesSql.ts';
import { deleteOrdersOf, lockShipmentsOf, ordersNaming, waitForOrders } from './forgetSql.ts';

/** Held while a tracking event of the order is accepted. Taken before the locks of recipients. */
export const orderLock = (businessId: string, reference: string): bigint =>
  lockNumber('order', businessId, reference);

/**
 * For an erasure, before its other locks: tracking events of the person's orders that are being accepted come first, and those that come
 * meanwhile wait. Otherwise one that found the person before the erasure would tell them after it.
 */
export async function lockOrdersOf(tx: Client, businessId: string, email: string): Promise<void> {
  const orders = await ordersNaming(tx, businessId, email);
  const locks = orders.map(({ reference }) => orderLock(businessId, reference));
  if (locks.length > 0) await waitForOrders(tx, locks);
}

interface ForgottenOrders {
  /** Orders, shipments and tracking events. */
  deleted: number;
  /** Ids under which events name the address without a recipient. */
  namedIds: string[];
}

/**
 * Deletes the orders of an address that it shares with nobody, with their shipments and events; of the others it takes out the person.
 * Call it with the orders held (`holdOrders`), after the person's messages are deleted, in the same transaction.
 */
export async function forgetOrdersOf(
  tx: Client,
  businessId: string,
  email: string,
  now: Date,
): Promise<ForgottenOrders> {
  await lockShipmentsOf(tx, businessId, email);
  const [gone] = await deleteOrdersOf(tx, businessId, email);
  if (!gone) return { deleted: 0, namedIds: [] };
  // What the person's messages said of these orders counts no longer.
  const rows = gone.shared.map((reference, ordinal) => ({
    business_id: businessId,
    id: newId(now, ordinal),
    reference,
    recounts: true,
  }));
  if (rows.length > 0) await writeOrderChanges(tx, JSON.stringify(rows), now);
  return { deleted: gone.deleted, namedIds: gone.named_ids };
}
