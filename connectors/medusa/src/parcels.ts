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
  const carrier = oneLine(carriers[providerId ?? ''] ?? '') || null;
  const parcels = labels.flatMap(({ trackingNumber, trackingUrl }) => {
    const number = trackingNumber?.trim() ?? '';
    if (number.length > TRACKING_NUMBER_MAX || !NUMBER.test(number)) return [];
    return [{ tracking_number: number, carrier, tracking_url: secureUrl(trackingUrl) }];
  });
  return [...new Map(parcels.map((parcel) => [parcel.tracking_number, parcel])).values()];
}

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, CARRIER_MAX);

/** As a browser would follow it, spaces encoded. Medusa asks for a URL with each label, so shops enter `#` where they have none. */
export function secureUrl(text: string | null): string | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  return url.href.length <= TRACKING_URL_MAX ? url.href : null;
}
