import { CARRIER_MAX, TRACKING_NUMBER_MAX, TRACKING_URL_MAX } from '../../config/limits.ts';
import { TRACKING_NUMBER } from '../../contract/schema.ts';
import { isHttpsUrl } from '../../kit/httpsUrl.ts';
import { LEFT_OUT, type LeftOut, type Parcel } from '../facts.ts';

/** A parcel as a store names it; an empty text is none. */
export interface NamedParcel {
  number: string | null;
  carrier: string | null;
  url: string | null;
}

/** Several parcels, with what had to be left out of them. A number that is named twice is one parcel. */
export function parcelsFrom(named: readonly NamedParcel[]): { parcels: Parcel[]; leftOut: LeftOut[] } {
  const parcels = new Map<string, Parcel>();
  for (const parcel of named.map(parcelFrom))
    if (parcel !== null && !parcels.has(parcel.trackingNumber)) parcels.set(parcel.trackingNumber, parcel);
  return {
    parcels: [...parcels.values()],
    leftOut: LEFT_OUT.filter((what) => named.some((parcel) => leftOutOf(parcel).includes(what))),
  };
}

/** By the rules of a push's shipment; null: it has no number, or one that a push would refuse. */
export function parcelFrom({ number, carrier, url }: NamedParcel): Parcel | null {
  const trackingNumber = number?.trim() ?? '';
  if (!isTrackingNumber(trackingNumber)) return null;
  const trackingUrl = url?.trim() ?? '';
  return {
    trackingNumber,
    carrier: carrierFrom(carrier),
    trackingUrl: isTrackingUrl(trackingUrl) ? trackingUrl : null,
  };
}

function leftOutOf({ number, url }: NamedParcel): LeftOut[] {
  const trackingNumber = number?.trim() ?? '';
  const trackingUrl = url?.trim() ?? '';
  const leftOut: LeftOut[] = [];
  if (trackingNumber !== '' && !isTrackingNumber(trackingNumber)) leftOut.push('bad_tracking_number');
  if (trackingUrl !== '' && !isTrackingUrl(trackingUrl)) leftOut.push('bad_tracking_url');
  return leftOut;
}

const NUMBER = new RegExp(TRACKING_NUMBER, 'u');

const isTrackingNumber = (text: string): boolean => text.length <= TRACKING_NUMBER_MAX && NUMBER.test(text);

const isTrackingUrl = (text: string): boolean => text.length <= TRACKING_URL_MAX && isHttpsUrl(text);

/** On one line, cut to what a push takes. */
function carrierFrom(text: string | null): string | null {
  const line = (text ?? '').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const cut = [...line].slice(0, CARRIER_MAX).join('').trim();
  return cut === '' ? null : cut;
}
