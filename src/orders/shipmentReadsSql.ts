import type { TrackingStatus } from '../contract/orders.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { ShipmentFacts } from './shipment.ts';

/** A shipment with the status of its latest tracking event; null: it has none yet. */
export interface KnownShipment extends ShipmentFacts {
  status: TrackingStatus | null;
}

/** An order names few; the bounds keep a page, or a mail that Gmail would cut off, from growing with what a caller stored. */
const SHIPMENTS_SHOWN_MAX = 50;
/** Of one shipment, the newest. */
const EVENTS_SHOWN_MAX = 100;

const COLUMNS = `s.tracking_number as "trackingNumber", s.carrier, s.tracking_url as "trackingUrl",
    s.expected_on::text as "expectedOn", s.expected_until::text as "expectedUntil", s.status`;

/**
 * For each order one shipment, or all of them where no number is given, in the order in which they were first named. `lateral`
 * with a limit forces one index lookup per order.
 */
export const shipmentsOfOrders = statementOfBusinesses<
  [businessIds: string[], references: string[], trackingNumbers: string[]],
  KnownShipment & { business_id: string; reference: string; named: string }
>(
  ['businesses', 'parallel', 'parallel'],
  `
  select k.business_id, k.reference, k.named, ${COLUMNS}
  from unnest($1::text[], $2::text[], $3::text[]) k (business_id, reference, named)
  cross join lateral (
    select * from shipments
    where business_id = k.business_id and reference = k.reference and (k.named = '' or tracking_number = k.named)
    order by id limit ${SHIPMENTS_SHOWN_MAX}) s
  order by s.id`,
);

export interface TrackingEvent {
  at: Date;
  status: TrackingStatus;
  description: string | null;
  location: string | null;
}

export interface TrackedShipment extends KnownShipment {
  reference: string;
  events: TrackingEvent[];
}

type TrackedRow = Omit<TrackedShipment, 'events'> & {
  events: (Omit<TrackingEvent, 'at'> & { at: string })[] | null;
};

/** The shipments of a business's orders with their events, in the order in which they were first named. */
export const trackedOfOrders = statement<[businessId: string, references: string[]], TrackedRow>(`
  select k.reference, ${COLUMNS}, e.events
  from unnest($2::text[]) k (reference)
  cross join lateral (
    select * from shipments where business_id = $1 and reference = k.reference
    order by id limit ${SHIPMENTS_SHOWN_MAX}) s
  cross join lateral (
    select json_agg(json_build_object('at', t.at, 'status', t.status, 'description', t.description, 'location', t.location)
      order by t.at desc, t.id desc) as events
    from (select * from tracking_events
      where business_id = $1 and reference = k.reference and tracking_number = s.tracking_number
      order by at desc, id desc limit ${EVENTS_SHOWN_MAX}) t) e
  order by s.id`);
