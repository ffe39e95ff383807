import type { ShipmentBody } from '../contract/shipments.ts';

/** What a caller says of a shipment. */
export interface ShipmentFacts {
  trackingNumber: string;
  carrier: string | null;
  trackingUrl: string | null;
  /** `YYYY-MM-DD` */
  expectedOn: string | null;
  expectedUntil: string | null;
}

/** A field left out is null: what a caller says replaces all that was known. */
export const shipmentFrom = (trackingNumber: string, body: ShipmentBody): ShipmentFacts => ({
  trackingNumber,
  carrier: body.carrier ?? null,
  trackingUrl: body.tracking_url ?? null,
  expectedOn: body.expected_on ?? null,
  expectedUntil: body.expected_until ?? null,
});
