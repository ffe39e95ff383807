import { hmacKey, utf8, webCrypto } from './crypto.ts';
import { toEvent, type WaypostEvent } from './events.ts';
import type { FeedEvent } from './generated/api.ts';
import { secretsOf } from './keys.ts';

/** Headers as any framework has them: web `Headers`, or an object by name in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** How strictly to verify. */
export interface VerifyOptions {
  /** How far the signature's time may be from this machine's, either way. By default 300 seconds. */
  toleranceSeconds?: number | undefined;
  /** The start of the header's name, if your operator changed it. By default `X-Service-`. */
  headerPrefix?: string | undefined;
  /** The time to compare with, in milliseconds. By default this machine's. */
  now?: number | undefined;
}

/** Why a request is not believed. */
export type WebhookRefusal =
  | 'body_not_raw'
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'body_not_an_event';

/** A request that did not come from Waypost, or not as it was sent. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  /** Why, to branch on. */
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, says: string) {
    super(says);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;
export const HEADER_PREFIX = 'X-Service-';

/**
 * Verifies a webhook and returns its event. Pass the body as it arrived, before anything parsed it. While a secret is
 * being rotated, pass both: `[oldSecret, newSecret]`. Rejects with a WebhookVerificationError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WaypostEvent> {
  const { toleranceSeconds = TOLERANCE_SECONDS, headerPrefix = HEADER_PREFIX, now = Date.now() } = options;
  const secrets = secretsOf('verifyWebhook', secret);
  // Every comparison with NaN is false, so a signature of any age would pass.
  for (const [name, value] of Object.entries({ toleranceSeconds, now }))
    if (!Number.isFinite(value) || value < 0)
      throw new TypeError(`verifyWebhook needs ${name} as a number from 0 up, not ${value}`);
  const body = bytesOf(rawBody);
  const name = `${headerPrefix}Signature`;
  const header = readHeader(headers, name);
  if (header === null) throw new WebhookVerificationError('header_missing', `The header ${name} is missing.`);
  const parsed = parseSignature(header);
  if (parsed === null)
    throw new WebhookVerificationError('header_malformed', `The header ${name} is not t=…,v1=….`);
  if (!(await isGenuine(parsed, body, secrets)))
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The signature does not fit: another secret, or a body that was changed or parsed on its way.',
    );
  const apart = Math.abs(Math.floor(now / 1000) - parsed.seconds);
  if (apart > toleranceSeconds)
    throw new WebhookVerificationError(
      'timestamp_outside_tolerance',
      `It was signed ${apart} seconds from this machine's time; at most ${toleranceSeconds} are accepted.`,
    );
  return eventIn(body);
}

/** The parts of `t=<unix seconds>,v1=<64 hexadecimal digits>`. */
export interface Signature {
  /** The time as it was written: it is part of what is signed. */
  t: string;
  seconds: number;
  digest: Uint8Array<ArrayBuffer>;
}

/** Null if the header is anything else. */
export function parseSignature(header: string): Signature | null {
  const [, t, v1] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (t === undefined || v1 === undefined) return null;
  const digest = Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(v1.slice(2 * index, 2 * index + 2), 16),
  );
  return { t, seconds: Number(t), digest };
}

/** Every secret is tried, so that the time it takes says nothing about which one fits. `verify` compares in constant time. */
async function isGenuine(
  { t, digest }: Signature,
  body: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<boolean> {
  const { subtle } = await webCrypto();
  const signed = signedBytes(t, body);
  const fits = await Promise.all(
    secrets.map(async (one) => subtle.verify('HMAC', await hmacKey(utf8(one), 'verify'), digest, signed)),
  );
  return fits.includes(true);
}

/** What is signed: the time, a dot, and the body. */
export function signedBytes(head: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = utf8(`${head}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  return signed;
}

export function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return utf8(rawBody);
  if (rawBody instanceof ArrayBuffer || ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody);
  throw new WebhookVerificationError(
    'body_not_raw',
    'The body must be the text or the bytes that arrived. Your framework has parsed it: turn that off for this route.',
  );
}

function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (isWebHeaders(headers)) return headers.get(name) ?? null;
  const wanted = name.toLowerCase();
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === wanted) ?? [];
  // Twice the same header: neither is to be believed.
  return typeof value === 'string' ? value : (value?.join() ?? null);
}

const isWebHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null | undefined } =>
  typeof headers.get === 'function';

function eventIn(body: Uint8Array): WaypostEvent {
  try {
    const envelope: unknown = JSON.parse(new TextDecoder().decode(body));
    if (isEnvelope(envelope)) return toEvent(envelope);
  } catch {
    // Told below.
  }
  throw new WebhookVerificationError('body_not_an_event', 'The body is signed, but it is not an event.');
}

const isEnvelope = (value: unknown): value is FeedEvent => {
  const { id, type, occurred_at, data }: Partial<Record<keyof FeedEvent, unknown>> = Object(value);
  return [id, type, occurred_at].every((field) => typeof field === 'string') && typeof data === 'object';
};
