import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { TrackingKindName } from './kinds/kind.ts';

export interface RegisteringConnection {
  id: string;
  business_id: string;
  kind: TrackingKindName;
  store_url: string | null;
  created_at: Date;
  next_read_at: Date;
  read_up_to: string | null;
  last_error: string | null;
}

/** Of these kinds, the longest due first. */
export const dueConnections = statement<
  [kinds: readonly TrackingKindName[], now: Date, limit: number],
  RegisteringConnection
>(`
  select id, business_id, kind, store_url, created_at, next_read_at, read_up_to, last_error from connections
  where next_read_at <= $2 and kind = any ($1::text[]) and status <> 'off'
  order by next_read_at, id limit $3`);

export const nextDueConnection = statement<
  [kinds: readonly TrackingKindName[], after: Date],
  { due_at: Date | null }
>(`
  select min(next_read_at) as due_at from connections
  where next_read_at > $2 and kind = any ($1::text[]) and status <> 'off'`);

/** The lease is the time itself: of several processes that read the same one, only the first changes it. */
export const takeConnection = statement<[id: string, dueAt: Date, until: Date], { id: string }>(`
  update connections set next_read_at = $3 where id = $1 and next_read_at = $2 and status <> 'off' returning id`);

/** Nothing, if the connection was changed meanwhile: then it is due already. */
export const releaseConnection = statement<
  [id: string, until: Date, nextReadAt: Date, readUpTo: string, lastError: string | null]
>(`
  update connections set next_read_at = $3, read_up_to = $4, last_error = $5 where id = $1 and next_read_at = $2`);

/** When the oldest change happened that is not in `orders` yet. */
export const oldestWaitingChange = statement<[businessId: string], { at: Date }>(`
  select at from order_changes where business_id = $1 order by id limit 1`);

export interface ChangedOrder {
  change_id: string;
  /** A shipment of it that is still to be registered; null: it has none. */
  tracking_number: string | null;
  carrier: string | null;
}

/** As in the index orders_by_change. */
const CHANGED = `(business_id || ' ' || change_id)`;

/**
 * Orders that changed after `from`, oldest change first, with the shipments that were named since `namedSince` and are not registered.
 * One that was given up counts if its carrier is another by now.
 */
export const changedOrders = statementOfBusinesses<
  [businessId: string, from: string, connectionId: string, namedSince: string, limit: number],
  ChangedOrder
>(
  ['business', 'same', 'same', 'same', 'same'],
  `
  select o.change_id, s.tracking_number, s.carrier
  from (select reference, change_id from orders
    where ${CHANGED} > $1::text || ' ' || $2::text and ${CHANGED} < $1::text || ' ~'
    order by ${CHANGED} limit $5) o
  left join shipments s on s.business_id = $1 and s.reference = o.reference and s.id >= $4 and not exists (
    select from tracking_registrations r
    where r.business_id = $1 and r.connection_id = $3 and r.tracking_number = s.tracking_number
      and (r.registered_at is not null or r.due_at is not null or r.carrier is not distinct from s.carrier))
  order by o.change_id`,
);

export const registrationRow = (
  businessId: string,
  connectionId: string,
  { trackingNumber, carrier }: { trackingNumber: string; carrier: string | null },
) => ({
  business_id: businessId,
  connection_id: connectionId,
  tracking_number: trackingNumber,
  carrier: carrier ?? undefined,
});

/** Shipments to register, a JSON recordset with each number once. What is registered or due stays as it is. */
export const insertRegistrations = statementOfBusinesses<[registrations: string, now: Date]>(
  ['rows', 'same'],
  `
  insert into tracking_registrations as r (business_id, connection_id, tracking_number, carrier, created_at, due_at)
  select business_id, connection_id, tracking_number, carrier, $2, $2
  from json_populate_recordset(null::tracking_registrations, $1::json)
  order by business_id, connection_id, tracking_number
  on conflict (business_id, connection_id, tracking_number) do update
    set carrier = excluded.carrier, due_at = excluded.due_at, attempts = 0, error = null
    where r.registered_at is null and r.due_at is null`,
);

export interface DueRegistration {
  tracking_number: string;
  carrier: string | null;
  attempts: number;
}

export const dueRegistrations = statement<
  [businessId: string, connectionId: string, now: Date, limit: number],
  DueRegistration
>(`
  select tracking_number, carrier, attempts from tracking_registrations
  where business_id = $1 and connection_id = $2 and due_at <= $3
  order by due_at, tracking_number limit $4`);

export const recordRegistration = statement<
  [
    businessId: string,
    connectionId: string,
    trackingNumber: string,
    attempts: number,
    dueAt: Date | null,
    registeredAt: Date | null,
    error: string | null,
  ]
>(`
  update tracking_registrations set attempts = $4, due_at = $5, registered_at = $6, error = $7
  where business_id = $1 and connection_id = $2 and tracking_number = $3`);
