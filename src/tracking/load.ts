import { TOLD_BY_HAND_MS } from '../config/limits.ts';
import type { Client } from '../db/pool.ts';
import { earlier } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { groupBy } from '../kit/groupBy.ts';
import { lockNumber } from '../kit/ids.ts';
import { orderLock } from '../orders/forget.ts';
import { distinctCallers } from '../push/callers.ts';
import { tryGroupLocks, waitForGroupLocks } from '../push/loadSql.ts';
import { ascending, type Locks } from '../push/locks.ts';
import type { RecordKey } from '../push/records.ts';
import { keyOf } from '../push/snapshot.ts';
import type { TextSource } from '../texts/defaults.ts';
import type { TrackedOrder } from './decideTracking.ts';
import type { TrackingItem } from './item.ts';
import { orderKey } from './knownOrders.ts';
import { languageOf, type Milestone } from './milestone.ts';
import { addresseesLeft, addressesNamed, loadTracking, ownTextsFor, type TrackingRow } from './sql.ts';

export const trackingKey = ({ businessId, key }: TrackingItem): RecordKey => ({
  businessId,
  scope: 'tracking',
  key,
});

/**
 * The first round trip. Events of one order are accepted one after the other, so that a milestone is told once; pushes take no locks
 * of orders. `recipients` are the locks of the orders here.
 */
export async function lockAndLoad(
  tx: Client,
  now: Date,
  items: readonly TrackingItem[],
  wait: boolean,
): Promise<{ locks: Pick<Locks, 'keys' | 'recipients'>; row: TrackingRow }> {
  const [locks, row] = await Promise.all([takeLocks(tx, items, wait), load(tx, now, items)]);
  return { locks, row };
}

async function takeLocks(
  tx: Client,
  items: readonly TrackingItem[],
  wait: boolean,
): Promise<Pick<Locks, 'keys' | 'recipients'>> {
  const keys = items.map(({ businessId, key }) => lockNumber('idempotency', businessId, 'tracking', key));
  const orders = items.map(({ businessId, reference }) => orderLock(businessId, reference));
  if (!wait) {
    const [locks] = await tryGroupLocks(tx, keys, [], orders);
    if (!locks) throw new Error('tryGroupLocks returned no row');
    return locks;
  }
  const [locks] = await waitForGroupLocks(tx, keys, [], ascending(orders));
  if (!locks) throw new Error('waitForGroupLocks returned no row');
  const all = locks.keys.every(Boolean);
  return { keys: items.map(() => all), recipients: items.map(() => all) };
}

async function load(tx: Client, now: Date, items: readonly TrackingItem[]): Promise<TrackingRow> {
  const orders = new Map(items.map((item) => [orderKey(item), item]));
  const [row] = await loadTracking(
    tx,
    now,
    recordsJson(items),
    JSON.stringify(
      Array.from(orders.values(), ({ businessId, reference }) => ({ business_id: businessId, reference })),
    ),
    JSON.stringify(items.map(eventJson)),
    [...new Set(items.map(({ businessId }) => businessId))],
    ...distinctCallers(items),
    earlier(now, TOLD_BY_HAND_MS),
  );
  if (!row) throw new Error('loadTracking returned no row');
  return row;
}

const recordsJson = (items: readonly TrackingItem[]): string =>
  JSON.stringify(
    Array.from(
      groupBy(items, ({ businessId }) => businessId),
      ([business_id, ofBusiness]) => ({
        business_id,
        scope: 'tracking',
        keys: ofBusiness.map(({ key }) => key),
      }),
    ),
  );

const eventJson = ({ businessId, reference, event }: TrackingItem, place: number) => ({
  business_id: businessId,
  place,
  reference,
  tracking_number: event.trackingNumber,
  status: event.status,
  at: event.at,
  email: event.recipientEmail,
});

/** Completes orders without a message by the person whom an earlier event named, where an event names none. Few need this read. */
export async function findAddressesNamed(
  tx: Client,
  items: readonly TrackingItem[],
  orders: ReadonlyMap<string, TrackedOrder>,
): Promise<void> {
  const unknown = items.filter(
    (item) => item.event.recipientEmail === null && orders.get(orderKey(item))?.recipient === null,
  );
  for (const [businessId, ofBusiness] of groupBy(unknown, (item) => item.businessId)) {
    const references = [...new Set(ofBusiness.map(({ reference }) => reference))];
    for (const { reference, ...addressee } of await addressesNamed(tx, businessId, references)) {
      const order = orders.get(orderKey({ businessId, reference }));
      if (order) order.recipient = addressee;
    }
  }
}

/** A person was erased after an event had found them: it is to be accepted anew. */
export class AddresseeErased extends ApiError {
  constructor() {
    super('request.conflict');
  }
}

/** With the recipients locked: what an event found of a person before may be gone, and would bring them back. */
export async function requireAddressees(tx: Client, milestones: readonly Milestone[]): Promise<void> {
  const found = milestones.filter(({ event }) => event.recipientEmail === null);
  if (found.length === 0) return;
  const left = await addresseesLeft(
    tx,
    found.map(({ business }) => business.id),
    found.map(({ reference }) => reference),
    found.map(({ addressee }) => addressee.email),
    found.map(({ addressee }) => addressee.id),
  );
  const known = new Set(
    left.map(({ business_id, reference, email }) => keyOf(business_id, reference, email)),
  );
  const isGone = ({ business, reference, addressee }: Milestone) =>
    !known.has(keyOf(business.id, reference, addressee.email));
  if (found.some(isGone)) throw new AddresseeErased();
}

/** The shop's own text for each of these milestones that has one. */
export async function loadOwnTexts(
  tx: Client,
  milestones: readonly Milestone[],
): Promise<(milestone: Milestone) => TextSource | undefined> {
  const nameOf = (milestone: Milestone): string =>
    keyOf(milestone.business.id, milestone.status, languageOf(milestone));
  const named = new Map(milestones.map((milestone) => [nameOf(milestone), milestone]));
  const rows = await ownTextsFor(
    tx,
    JSON.stringify(
      Array.from(named.values(), (milestone) => ({
        business_id: milestone.business.id,
        order_status: milestone.status,
        language: languageOf(milestone),
      })),
    ),
  );
  const texts = new Map(
    rows.map(({ business_id, order_status, language, subject, body }) => [
      keyOf(business_id, order_status, language),
      { subject, body },
    ]),
  );
  return (milestone) => texts.get(nameOf(milestone));
}
