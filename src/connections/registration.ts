import { isObject, listAt, parseJsonText, textAt } from '../kit/json.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { refusalSentence } from '../webhooks/failureSentence.ts';
import type { CalledOut, CallOut } from './callOut.ts';
import { carrierWord } from './carrierWords.ts';
import { aftership } from './kinds/aftership.ts';
import { easypost } from './kinds/easypost.ts';
import { karrio } from './kinds/karrio.ts';
import type { TrackingKindName } from './kinds/kind.ts';
import { shippo } from './kinds/shippo.ts';
import { shownText } from './kinds/trackingHistory.ts';

/* How a shipment is named to each tracking service, and what its answers mean. */

export interface RegisteredParcel {
  trackingNumber: string;
  carrier: string | null;
}

/**
 * `refused`: the same call would be refused again. `failed`: another attempt may work. `busy`: the service asks us to wait, which is
 * no attempt. The errors are sentences for the shop.
 */
export type RegistrationOutcome =
  | { kind: 'registered' }
  | { kind: 'refused' | 'failed' | 'busy'; error: string };

interface TrackingApi {
  title: string;
  /** Null: each shop has its own. */
  baseUrl: string | null;
  needsCarrier: boolean;
  path: string;
  headers(key: string): Record<string, string>;
  body(trackingNumber: string, carrier: string | undefined): unknown;
}

export const AFTERSHIP_API = 'https://api.aftership.com';
export const EASYPOST_API = 'https://api.easypost.com';
export const SHIPPO_API = 'https://api.goshippo.com';

const APIS: Readonly<Record<TrackingKindName, TrackingApi>> = {
  aftership: {
    title: aftership.title,
    baseUrl: AFTERSHIP_API,
    needsCarrier: false,
    path: '/tracking/2025-01/trackings',
    headers: (key) => ({ 'as-api-key': key }),
    body: (tracking_number, slug) => ({ tracking_number, slug }),
  },
  easypost: {
    title: easypost.title,
    baseUrl: EASYPOST_API,
    needsCarrier: false,
    path: '/v2/trackers',
    headers: (key) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
    body: (tracking_code, carrier) => ({ tracker: { tracking_code, carrier } }),
  },
  shippo: {
    title: shippo.title,
    baseUrl: SHIPPO_API,
    needsCarrier: true,
    path: '/tracks/',
    headers: (key) => ({ authorization: `ShippoToken ${key}` }),
    body: (tracking_number, carrier) => ({ tracking_number, carrier }),
  },
  karrio: {
    title: karrio.title,
    baseUrl: null,
    needsCarrier: true,
    // Also a parcel of which its carrier knows nothing yet.
    path: '/v1/trackers?pending_pickup=true',
    headers: (key) => ({ authorization: `Token ${key}` }),
    body: (tracking_number, carrier_name) => ({ tracking_number, carrier_name }),
  },
};

/** Where a service's API is; a text of a connection's own comes first. */
export const apiUrlOf = (kind: TrackingKindName, storeUrl: string | null): string | null =>
  storeUrl ?? APIS[kind].baseUrl;

export const noApiUrl = (kind: TrackingKindName): string =>
  `Enter the address of ${APIS[kind].title}’s API, so that shipments can be named to it.`;

/** A text: why the service cannot be asked, which no other attempt changes. */
export function registrationCall(
  kind: TrackingKindName,
  { apiUrl, key }: { apiUrl: string; key: string },
  { trackingNumber, carrier }: RegisteredParcel,
): CallOut | string {
  const { title, needsCarrier, path, headers, body } = APIS[kind];
  const word = carrierWord(kind, carrier);
  if (needsCarrier && word === null)
    return carrier === null
      ? `${title} needs the carrier of a shipment, and this one names none.`
      : `${title} knows no carrier “${carrier}”: name it in ${title}’s own word.`;
  return {
    method: 'POST',
    url: trimEndChars(apiUrl, '/') + path,
    headers: { ...headers(key), 'content-type': 'application/json' },
    body: JSON.stringify(body(trackingNumber, word ?? undefined)),
  };
}

/** AfterShip's own code of a tracking that exists already. */
const AFTERSHIP_EXISTS = '4003';
const EXISTS = 409;
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);
const REFUSED: ReadonlySet<number> = new Set([400, 422]);
const TOO_MANY = 429;

export function registrationOutcome(
  kind: TrackingKindName,
  called: Exclude<CalledOut, { kind: 'aborted' }>,
): RegistrationOutcome {
  const { title } = APIS[kind];
  if (called.kind === 'failed') return { kind: 'failed', error: `${title}: ${called.error}.` };
  const { status, text } = called;
  const refusal = refusalSentence(status);
  const json = parseJsonText(text ?? '');
  const exists = status === EXISTS || textAt(json, 'meta', 'code') === AFTERSHIP_EXISTS;
  if (refusal === null || exists) return { kind: 'registered' };
  if (KEY_REFUSED.has(status)) return { kind: 'failed', error: `${title} refused the API key (${status}).` };
  const said = saidIn(json);
  const error = `${title} ${refusal}${said === null ? '' : `: ${said}`}.`;
  if (status === TOO_MANY) return { kind: 'busy', error };
  return { kind: REFUSED.has(status) ? 'refused' : 'failed', error };
}

const SAID_MAX = 200;

/** What the service says of an error, wherever it says it. */
function saidIn(json: unknown): string | null {
  const [first] = isObject(json) ? Object.values(json).filter(Array.isArray) : [];
  const said =
    textAt(json, 'meta', 'message') ??
    textAt(json, 'error', 'message') ??
    textAt(json, 'detail') ??
    textAt(listAt(json, 'errors')[0], 'message') ??
    textAt(first, 0);
  const shown = shownText(said, SAID_MAX);
  return shown === null ? null : trimEndChars(shown, '.');
}
