import type { TrackingKindName } from './kinds/kind.ts';

/* Carriers as shops write them, in the words of the tracking services. */

type Words = Partial<Record<TrackingKindName, string>>;

/** By the letters and digits of a carrier's name. */
const CARRIERS = new Map<string, Words>([
  ['ups', { aftership: 'ups', easypost: 'UPS', shippo: 'ups', karrio: 'ups' }],
  ['usps', { aftership: 'usps', easypost: 'USPS', shippo: 'usps', karrio: 'usps' }],
  ['fedex', { aftership: 'fedex', easypost: 'FedEx', shippo: 'fedex', karrio: 'fedex' }],
  ['dhlexpress', { aftership: 'dhl', easypost: 'DHLExpress', shippo: 'dhl_express', karrio: 'dhl_express' }],
  ['dhlecommerce', { aftership: 'dhl-global-mail', easypost: 'DhlEcs', shippo: 'dhl_ecommerce' }],
  ['dhlgermany', { aftership: 'dhl-germany', shippo: 'dhl_germany', karrio: 'dhl_parcel_de' }],
  ['dpduk', { aftership: 'dpd-uk', easypost: 'DPDUK', shippo: 'dpd_uk' }],
  [
    'canadapost',
    { aftership: 'canada-post', easypost: 'CanadaPost', shippo: 'canada_post', karrio: 'canadapost' },
  ],
  [
    'royalmail',
    { aftership: 'royal-mail', easypost: 'RoyalMail', shippo: 'royal_mail', karrio: 'royalmail' },
  ],
  [
    'australiapost',
    {
      aftership: 'australia-post',
      easypost: 'AustraliaPost',
      shippo: 'australia_post',
      karrio: 'australiapost',
    },
  ],
  ['purolator', { aftership: 'purolator', easypost: 'Purolator', shippo: 'purolator', karrio: 'purolator' }],
  ['deutschepost', { aftership: 'deutsch-post', easypost: 'DeutschePost', shippo: 'deutsche_post' }],
  ['parcelforce', { aftership: 'parcel-force', easypost: 'Parcelforce', shippo: 'parcelforce' }],
  ['ontrac', { aftership: 'ontrac', easypost: 'OnTrac', shippo: 'ontrac' }],
]);

/** How carriers are named where each shipment needs one. A name that is written like that may be one of theirs. */
const OWN_WORDS: Partial<Record<TrackingKindName, RegExp>> = {
  shippo: /^[a-z0-9_]+$/,
  karrio: /^[a-z0-9_]+$/,
};

/** Null: none that the service is known to know. */
export function carrierWord(kind: TrackingKindName, carrier: string | null): string | null {
  if (carrier === null) return null;
  const known = CARRIERS.get(carrier.toLowerCase().replace(/[^a-z0-9]/g, ''))?.[kind];
  return known ?? (OWN_WORDS[kind]?.test(carrier) ? carrier : null);
}
