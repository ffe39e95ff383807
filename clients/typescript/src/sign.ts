import { hmacKey, toHex, utf8, webCrypto } from './crypto.ts';
import { secretsOf } from './keys.ts';
import { bytesOf, HEADER_PREFIX, signedBytes } from './webhooks.ts';

/** What is signed besides the body. */
export interface SignOptions {
  /** The time of the signature, in milliseconds. By default this machine's. */
  now?: number | undefined;
  /** The start of the headers' names. By default `X-Service-`. */
  headerPrefix?: string | undefined;
}

/**
 * The headers of a webhook with this body, as Waypost would send them: for tests of a receiver. Those of Standard Webhooks
 * are among them.
 */
export async function signWebhook(
  rawBody: string | Uint8Array,
  secret: string,
  options: SignOptions = {},
): Promise<Record<string, string>> {
  secretsOf('signWebhook', secret);
  const { now = Date.now(), headerPrefix = HEADER_PREFIX } = options;
  const body = bytesOf(rawBody);
  const { id, type }: { id?: unknown; type?: unknown } = Object(JSON.parse(new TextDecoder().decode(body)));
  const seconds = String(Math.floor(now / 1000));
  const prefix = headerPrefix.toLowerCase();
  const [ours, standard] = await Promise.all([
    digestOf(utf8(secret), signedBytes(seconds, body)),
    digestOf(standardKey(secret), signedBytes(`${id}.${seconds}`, body)),
  ]);
  return {
    'content-type': 'application/json',
    [`${prefix}signature`]: `t=${seconds},v1=${toHex(ours)}`,
    [`${prefix}event`]: String(type),
    [`${prefix}delivery`]: String(id),
    'webhook-id': String(id),
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

/** Standard Webhooks uses the bytes that the part after `whsec_` encodes in base64. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.replace(/^whsec_/, '');
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    return utf8(encoded); // a secret of the tester's own
  }
}

async function digestOf(
  secret: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { subtle } = await webCrypto();
  return new Uint8Array(await subtle.sign('HMAC', await hmacKey(secret, 'sign'), signed));
}
