import { TRACKING_AHEAD_MAX_MS, TRACKING_LOCATION_MAX } from '../../config/limits.ts';
import type { TrackingStatus } from '../../contract/orders.ts';
import { later } from '../../kit/clock.ts';
import { listAt, textAt } from '../../kit/json.ts';
import type { ShipmentEvent, StoreShipment } from '../facts.ts';
import { type NamedParcel, parcelsFrom } from './parcel.ts';
import { lineAt, momentAt, ownId } from './shopifyFields.ts';

export interface Fulfillment {
  shipment: StoreShipment;
  /** What its carrier said last, if that is told. */
  events: ShipmentEvent[];
}

/** When the store sent the call, and when it came. */
export interface CallTimes {
  sentAt: Date | null;
  receivedAt: Date;
}

/** Null: it is waiting, was cancelled, or has failed. */
export function fulfillmentOf(fulfillment: unknown, times: CallTimes): Fulfillment | null {
  const id = ownId(fulfillment);
  const status = textAt(fulfillment, 'status') ?? 'success';
  if (id === null || status !== 'success') return null;
  const modifiedAt = momentAt(fulfillment, 'updated_at') ?? times.sentAt;
  const event = eventOf(
    {
      shipmentId: id,
      word: textAt(fulfillment, 'shipment_status'),
      at: modifiedAt,
      description: null,
      location: null,
    },
    times,
  );
  return {
    shipment: {
      id,
      status: 'fulfilled',
      at: momentAt(fulfillment, 'created_at'),
      modifiedAt,
      isQuiet: false,
      ...parcelsFrom(namedParcels(fulfillment)),
    },
    events: event === null ? [] : [event],
  };
}

/** The lists have every parcel; older versions of the store's API have only the first one, outside of a list. */
function namedParcels(fulfillment: unknown): NamedParcel[] {
  const carrier = textAt(fulfillment, 'tracking_company');
  const urls = listAt(fulfillment, 'tracking_urls');
  const first = { number: textAt(fulfillment, 'tracking_number'), url: textAt(fulfillment, 'tracking_url') };
  const listed = listAt(fulfillment, 'tracking_numbers').map((_, index) => ({
    number: textAt(fulfillment, 'tracking_numbers', index),
    url: textAt(urls, index) ?? (index === 0 ? first.url : null),
  }));
  const parcels = listed.length > 0 ? listed : [{ ...first, url: first.url ?? textAt(urls, 0) }];
  return parcels.map((parcel) => ({ ...parcel, carrier }));
}

/** `confirmed` is missing: it says only that there is a fulfilment. */
const EVENT_STATUSES: ReadonlyMap<string, TrackingStatus> = new Map([
  ['label_purchased', 'label_created'],
  ['label_printed', 'label_created'],
  ['carrier_picked_up', 'picked_up'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['attempted_delivery', 'delivery_attempted'],
  ['ready_for_pickup', 'available_for_pickup'],
  ['ready_for_recipient_pickup', 'available_for_pickup'],
  // By the person, not by the carrier.
  ['picked_up', 'delivered'],
  ['delivered', 'delivered'],
  ['delayed', 'delayed'],
  ['failure', 'exception'],
  ['buyer_action_required', 'exception'],
  ['returning_to_sender', 'returned'],
]);

/** The event in the body of `fulfillment_events/create`; null: it is not told. */
export const carrierEventOf = (event: unknown, shipmentId: string, times: CallTimes): ShipmentEvent | null =>
  eventOf(
    {
      shipmentId,
      word: textAt(event, 'status'),
      at: momentAt(event, 'happened_at') ?? momentAt(event, 'created_at') ?? times.sentAt,
      description: lineAt(event, 'message'),
      location: placeOf(lineAt(event, 'city'), lineAt(event, 'country')),
    },
    times,
  );

/** The store lets anybody with access name any time. An event that lies far ahead is none. */
function eventOf(
  { word, at, ...rest }: Omit<ShipmentEvent, 'status' | 'at'> & { word: string | null; at: Date | null },
  { receivedAt }: CallTimes,
): ShipmentEvent | null {
  const status = EVENT_STATUSES.get(word ?? '');
  const happenedAt = at ?? receivedAt;
  if (status === undefined || happenedAt > later(receivedAt, TRACKING_AHEAD_MAX_MS)) return null;
  return { ...rest, status, at: happenedAt };
}

function placeOf(city: string | null, country: string | null): string | null {
  const place = [city, country].filter((part) => part !== null).join(', ');
  return [...place].slice(0, TRACKING_LOCATION_MAX).join('') || null;
}
