import { createHmac, createSecretKey, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { SECOND, systemClock } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import type { Sealer } from '../kit/seal.ts';

const SECRET_PREFIX = 'whsec_';

/**
 * 40 characters of 0-9a-z, 206 random bits. They are also base64 of 30 bytes: a multiple of four characters, so no
 * padding to lose, and none of + / - _, so every dialect of base64 decodes them alike.
 */
const SECRET_CHARACTERS = 40;

/** How far a receiver lets `t` lie from its own clock, either way. */
export const TOLERANCE_SECONDS = 300;

/** What an endpoint's secret signs with. */
export interface SigningKeys {
  /** The whole secret, prefix included, as UTF-8 bytes. */
  ours: KeyObject;
  /** Standard Webhooks: what the part after the prefix decodes to. */
  standard: KeyObject;
}

export const signingKeys = (secret: string): SigningKeys => ({
  ours: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
});

export interface Signing {
  keys: SigningKeys;
  eventId: string;
  eventType: string;
  /** Wall-clock time of this attempt: each attempt is signed anew. */
  unixSeconds: number;
  /** The very bytes that go on the wire. */
  rawBody: string | Uint8Array;
}

/** Every header a receiver may check: ours, and those of Standard Webhooks for ready-made verifiers. */
export function signedWebhookHeaders(signing: Signing): Record<string, string> {
  const { keys, eventId, eventType, unixSeconds, rawBody } = signing;
  return {
    'x-service-signature': sign(keys, unixSeconds, rawBody),
    'x-service-event': eventType,
    'x-service-delivery': eventId,
    ...standardHeaders(keys, eventId, unixSeconds, rawBody),
  };
}

/**
 * The same for an attempt that begins now. By the wall clock, also where the sandbox's was moved: receivers compare
 * `t` with theirs.
 */
export const signedNow = (signing: Omit<Signing, 'unixSeconds'>): Record<string, string> =>
  signedWebhookHeaders({ ...signing, unixSeconds: Math.floor(systemClock.now().getTime() / SECOND) });

/** The value of X-Service-Signature. */
export function sign({ ours }: SigningKeys, unixSeconds: number, rawBody: string | Uint8Array): string {
  return `t=${unixSeconds},v1=${hmac(ours, `${unixSeconds}.`, rawBody).digest('hex')}`;
}

/** Standard Webhooks: the same secret, but not the same key. */
export function standardHeaders(
  { standard }: SigningKeys,
  eventId: string,
  unixSeconds: number,
  rawBody: string | Uint8Array,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const digest = hmac(standard, `${eventId}.${unixSeconds}.`, rawBody).digest('base64');
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(unixSeconds),
    'webhook-signature': `v1,${digest}`,
  };
}

/** What a receiver does with X-Service-Signature: the digest in constant time, and a `t` that is not stale. */
export function verify(
  secret: string,
  header: string,
  rawBody: string | Uint8Array,
  nowSeconds: number,
  toleranceSeconds = TOLERANCE_SECONDS,
): boolean {
  const [, t, v1] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (t === undefined || v1 === undefined) return false;
  // The digest covers `t` as it was written, so that a rewritten one (a leading zero, say) does not pass.
  const { ours } = signingKeys(secret);
  const genuine = timingSafeEqual(hmac(ours, `${t}.`, rawBody).digest(), Buffer.from(v1, 'hex'));
  return genuine && Math.abs(nowSeconds - Number(t)) <= toleranceSeconds;
}

export const newSecret = (): string => SECRET_PREFIX + randomText(SECRET_CHARACTERS);

/** Where a secret may be opened: sealed for one endpoint, it is of no use in another's row. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`;

/** More endpoints than a worker is busy with at a time. */
const SECRETS_KEPT = 10_000;

/** Opens endpoints' secrets, and each only once: that costs more than signing with it. */
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

/** How a secret is listed after its creation: the prefix and the last four, as an API key is. */
export const mask = (secret: string): string => `${SECRET_PREFIX}…${secret.slice(-4)}`;

/** Of text in one go, where the body is text: to go into the library twice costs as much as the digest. */
const hmac = (key: KeyObject, head: string, rawBody: string | Uint8Array): Hmac =>
  typeof rawBody === 'string'
    ? createHmac('sha256', key).update(head + rawBody)
    : createHmac('sha256', key).update(head).update(rawBody);

/** What a webhook envelope may be made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper than any event of ours; ends a circular value with a sentence instead of an exhausted stack. */
export const MAX_DEPTH = 64;

/**
 * The value as JSON with sorted keys at every depth and no white space (interface, 6.1). Keys sort by UTF-16 code
 * unit, which for every key we send is also the order of Python's sort_keys. Text stays as it is rather than being
 * escaped to ASCII, but for a lone surrogate, which JSON.stringify escapes: the result is always valid UTF-8.
 * What JSON cannot say (undefined, NaN, a Date) is refused, never dropped or converted: a missing field would
 * reach a merchant as a silent change of the interface.
 */
export function canonicalJson(value: Json): string {
  return write(value, '$', 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError(`JSON deeper than ${MAX_DEPTH} levels at ${path}`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    // Array.from, since map would skip the holes of a sparse array.
    return `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`, depth + 1)).join(',')}]`;
  }
  if (isPlainObject(value)) return writeObject(value, path, depth);
  throw new TypeError(`no JSON for ${nameOf(value)} at ${path}`);
}

/** Members are written in order here, because an object built in order would still list integer-like keys first. */
function writeObject(value: Record<string, unknown>, path: string, depth: number): string {
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(value[key], `${path}.${key}`, depth + 1)}`);
  return `{${members.join(',')}}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : String(value);
