import { createSecretKey, type KeyObject } from 'node:crypto';
import { SECOND, systemClock } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import type { Sealer } from '../kit/seal.ts';
import { hmacSha256, standardHeaders, WEBHOOK_SECRET_PREFIX, webhookKey } from '../kit/standardWebhooks.ts';

/**
 * 40 characters of 0-9a-z, 206 random bits. They are also valid base64 of 30 bytes: a multiple of four characters
 * needs no padding, and without + / - _ every base64 variant decodes them alike.
 */
const SECRET_CHARACTERS = 40;

/** The two keys derived from an endpoint's secret. */
interface SigningKeys {
  /** The whole secret with its prefix, as UTF-8 bytes. */
  ours: KeyObject;
  standard: KeyObject;
}

export const signingKeys = (secret: string): SigningKeys => ({
  ours: createSecretKey(secret, 'utf8'),
  standard: webhookKey(secret),
});

interface Signing {
  keys: SigningKeys;
  eventId: string;
  eventType: string;
  /** By default the wall clock, even if the sandbox's clock was moved: receivers compare `t` with their own. */
  unixSeconds?: number;
  /** The exact bytes of the request's body. */
  rawBody: string | Uint8Array;
}

/** Our signature header, and those of Standard Webhooks for existing verifiers. */
export function signedWebhookHeaders(signing: Signing): Record<string, string> {
  const { keys, eventId, eventType, rawBody, unixSeconds = nowInSeconds() } = signing;
  return {
    'x-service-signature': sign(keys, unixSeconds, rawBody),
    'x-service-event': eventType,
    'x-service-delivery': eventId,
    // With the same secret, but another key.
    ...standardHeaders([keys.standard], eventId, unixSeconds, rawBody),
  };
}

const nowInSeconds = (): number => Math.floor(systemClock.now().getTime() / SECOND);

export function sign({ ours }: SigningKeys, unixSeconds: number, rawBody: string | Uint8Array): string {
  return `t=${unixSeconds},v1=${hmacSha256(ours, `${unixSeconds}.`, rawBody).digest('hex')}`;
}

export const newSecret = (): string => WEBHOOK_SECRET_PREFIX + randomText(SECRET_CHARACTERS);

/** Binds a sealed secret to its endpoint: it cannot be opened from another endpoint's row. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`;

/** An endpoint's secrets as stored, sealed. `secret_sealed` is the newest. */
export interface StoredSecrets {
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  secret_switches_at: Date | null;
}

/** The secret that signs at `now`: after a rotation the previous one, until the switch. */
export const signingSecret = (secrets: StoredSecrets, now: Date): Buffer => {
  const { secret_sealed, previous_secret_sealed: previous, secret_switches_at: switchesAt } = secrets;
  return previous !== null && switchesAt !== null && now < switchesAt ? previous : secret_sealed;
};

/** More than the endpoints that one worker serves at a time. */
const SECRETS_KEPT = 10_000;

/** Opens each endpoint's secret once and caches the keys: opening costs more than signing. */
export function openKeys(sealer: Sealer): (endpointId: string, sealed: Buffer) => SigningKeys {
  const opened = new Map<string, { sealed: Buffer; keys: SigningKeys }>();
  return (endpointId, sealed) => {
    const kept = opened.get(endpointId);
    if (kept?.sealed.equals(sealed)) return kept.keys;
    const keys = signingKeys(sealer.open(sealed, secretContext(endpointId)));
    if (opened.size >= SECRETS_KEPT) opened.clear();
    opened.set(endpointId, { sealed, keys });
    return keys;
  };
}

/** How listings show a secret: the prefix and the last four characters, as for an API key. */
export const mask = (secret: string): string => `${WEBHOOK_SECRET_PREFIX}…${secret.slice(-4)}`;

/** A value that a webhook's body can hold. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * Serialises a value with sorted keys at every depth and no white space (interface, 6.1). Keys sort by UTF-16
 * code unit, which for our keys equals the order of Python's sort_keys. Text is not escaped to ASCII;
 * JSON.stringify escapes a lone surrogate, so the result is always valid UTF-8.
 */
export function canonicalJson(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  // Joined by hand, because an object lists integer-like keys first.
  const members = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
