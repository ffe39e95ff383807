import type { PushedShipment } from '@waypost/client';
import { CARRIER_MAX, TRACKING_NUMBER_MAX, TRACKING_URL_MAX } from '../../../src/config/limits.ts';
import { TRACKING_NUMBER } from '../../../src/contract/schema.ts';
import type { StoreFulfilment } from './storeOrder.ts';

const NUMBER = new RegExp(TRACKING_NUMBER);

/** A fulfilment's parcels as Waypost takes them: what it would refuse is left out. */
export function parcelsOf(
  { providerId, labels }: StoreFulfilment,
  carriers: Readonly<Record<string, string>>,
): PushedShipment[] {
  const carrier = (providerId === null ? undefined : carriers[providerId])?.trim().slice(0, CARRIER_MAX);
  const parcels = labels.flatMap(({ trackingNumber, trackingUrl }) => {
    const number = trackingNumber?.trim() ?? '';
    if (number.length > TRACKING_NUMBER_MAX || !NUMBER.test(number)) return [];
    return [{ tracking_number: number, carrier: carrier ?? null, tracking_url: secureUrl(trackingUrl) }];
  });
  return [...new Map(parcels.map((parcel) => [parcel.tracking_number, parcel])).values()];
}

/** Medusa asks for a URL with each label, so shops enter `#` where they have none. */
export function secureUrl(text: string | null): string | null {
  const url = text !== null && text.length <= TRACKING_URL_MAX && URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? text : null;
}
