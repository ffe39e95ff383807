import { DAY, later, SECOND } from '../../kit/clock.ts';
import { isObject, textAt } from '../../kit/json.ts';
import type { StoreShipment } from '../facts.ts';
import { carrierNameFrom } from './carrierName.ts';
import { parcelsFrom } from './parcel.ts';
import { decodeEntities } from './wordpressEntities.ts';

/** Our word: the store has no status for it. */
export const TRACKING_ADDED = 'tracking_added';

const SHIPMENTS_MAX = 100;
const ID_MAX = 100;

/** The lists that the Shipment Tracking extension, and those that follow it, keep with the order. */
export function shipmentsOf(lists: readonly unknown[], modifiedAt: Date | null): StoreShipment[] {
  const shipments = new Map<string, StoreShipment>();
  for (const item of lists.flatMap(itemsOf).slice(0, SHIPMENTS_MAX)) {
    const shipment = shipmentFrom(item, modifiedAt);
    if (shipment !== null && !shipments.has(shipment.id)) shipments.set(shipment.id, shipment);
  }
  return [...shipments.values()];
}

/** A list from which an item was removed arrives as an object whose keys are its indexes. */
const itemsOf = (list: unknown): unknown[] =>
  Array.isArray(list) ? list : isObject(list) ? Object.values(list) : [];

function shipmentFrom(item: unknown, modifiedAt: Date | null): StoreShipment | null {
  const number = textAt(item, 'tracking_number')?.trim() ?? '';
  if (number === '') return null;
  const custom = decodeEntities(textAt(item, 'custom_tracking_provider') ?? '').trim();
  const { parcels, leftOut } = parcelsFrom([
    {
      number,
      carrier: custom === '' ? carrierNameFrom(textAt(item, 'tracking_provider') ?? '') : custom,
      url: decodeEntities(textAt(item, 'custom_tracking_link') ?? ''),
    },
  ]);
  return {
    // The number and not the item's own id, which is new when the shop removes an item and enters it again.
    id: number.slice(0, ID_MAX),
    status: TRACKING_ADDED,
    at: shippedAt(textAt(item, 'date_shipped'), modifiedAt),
    modifiedAt,
    isQuiet: false,
    parcels,
    leftOut,
  };
}

/**
 * A day, as seconds or as a text. Its midnight would make a parcel of this afternoon old by tomorrow noon: it counts from the day's end,
 * or from the order's last change if that was on the same day.
 */
function shippedAt(text: string | null, modifiedAt: Date | null): Date | null {
  const shipped = timeFrom(text?.trim() ?? '');
  if (shipped === null || shipped.getTime() % DAY !== 0) return shipped;
  const end = later(shipped, DAY - SECOND);
  return modifiedAt !== null && shipped <= modifiedAt && modifiedAt < end ? modifiedAt : end;
}

function timeFrom(text: string): Date | null {
  if (/^\d{9,11}$/.test(text)) return new Date(Number(text) * SECOND);
  if (!/^[12]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)) return null;
  const iso = text.length === 10 ? `${text}T00:00:00` : text.replace(' ', 'T');
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}
