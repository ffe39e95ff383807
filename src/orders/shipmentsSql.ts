import { statementOfBusinesses } from '../db/perBusiness.ts';
import type { ShipmentFacts } from './shipment.ts';

/** A row of the recordset that `writeShipments` takes. `id`: its place among the order's shipments, if it is new. */
export const shipmentRow = (businessId: string, reference: string, facts: ShipmentFacts, id: string) => ({
  business_id: businessId,
  reference,
  tracking_number: facts.trackingNumber,
  id,
  carrier: facts.carrier ?? undefined,
  tracking_url: facts.trackingUrl ?? undefined,
  expected_on: facts.expectedOn ?? undefined,
  expected_until: facts.expectedUntil ?? undefined,
});

/** Names shipments, a JSON recordset; of one that is known it replaces all that a caller can say. */
export const writeShipments = statementOfBusinesses<[shipments: string, now: Date]>(
  ['rows', 'same'],
  `
  insert into shipments as s (business_id, reference, tracking_number, id, carrier, tracking_url, expected_on, expected_until, updated_at)
  select business_id, reference, tracking_number, id, carrier, tracking_url, expected_on, expected_until, $2
  from json_populate_recordset(null::shipments, $1::json)
  order by business_id, reference, tracking_number
  on conflict (business_id, reference, tracking_number) do update set carrier = excluded.carrier,
    tracking_url = excluded.tracking_url, expected_on = excluded.expected_on, expected_until = excluded.expected_until,
    updated_at = excluded.updated_at`,
);

/**
 * The shipments that tracking events name, one row each with its latest event. One that is new has nothing but its number; of one that
 * is known only an event that is not older than its latest counts.
 */
export const nameShipments = (json: string, now: string): string => `
    insert into shipments as s (business_id, reference, tracking_number, id, status, status_at, updated_at)
    select business_id, reference, tracking_number, id, status, status_at, ${now}
    from json_populate_recordset(null::shipments, ${json}::json)
    order by business_id, reference, tracking_number
    on conflict (business_id, reference, tracking_number) do update set status = excluded.status,
      status_at = excluded.status_at, updated_at = excluded.updated_at
    where s.status_at is null or s.status_at <= excluded.status_at`;

/** After their shipments. Of a repetition the first is kept. */
export const insertTrackingEvents = (json: string, now: string): string => `
    insert into tracking_events (business_id, reference, tracking_number, status, at, id, description, location, received_at)
    select business_id, reference, tracking_number, status, at, id, description, location, ${now}
    from json_populate_recordset(null::tracking_events, ${json}::json)
    on conflict do nothing`;
