import { statementOfBusinesses } from '../db/perBusiness.ts';

export interface FoundShipment {
  reference: string;
  /** Its events: status and time in milliseconds. */
  stored: string[] | null;
}

/** As in the index shipments_by_number, which no other expression can use. */
const NUMBERED = "(business_id || ' ' || tracking_number || ' ' || id)";
/** Of the newest events of a shipment, so that a repeated history is not reported again. */
const EVENTS_READ_MAX = 500;

/** The newest shipment of a business with this number. */
export const findShipmentByNumber = statementOfBusinesses<
  [businessId: string, trackingNumber: string],
  FoundShipment
>(
  ['business', 'same'],
  `
  select s.reference, (
    select array_agg(e.status || ' ' || floor(extract(epoch from e.at) * 1000)::bigint) from (
      select status, at from tracking_events
      where business_id = $1 and reference = s.reference and tracking_number = s.tracking_number
      order by at desc limit ${EVENTS_READ_MAX}) e) as stored
  from (
    select * from shipments
    where ${NUMBERED} > $1::text || ' ' || $2::text || ' ' and ${NUMBERED} < $1::text || ' ' || $2::text || ' ~'
      and tracking_number = $2
    order by ${NUMBERED} desc limit 1) s`,
);
