import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { constantTimeEqual } from './seal.ts';
import { isSignedRecently } from './signedTime.ts';

/** The headers of Standard Webhooks; Svix has other names for the same. */
export interface WebhookHeaders {
  id: string | undefined;
  timestamp: string | undefined;
  /** Several signatures, separated by spaces, during a rotation of the secret. */
  signature: string | undefined;
}

export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Standard Webhooks uses the base64-decoded part after the prefix. */
export const webhookKey = (secret: string): KeyObject =>
  createSecretKey(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');

/** Signs the id, the time and the raw body, with each of the keys. */
export const standardHeaders = (
  keys: readonly KeyObject[],
  id: string,
  unixSeconds: number,
  rawBody: string | Uint8Array,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(unixSeconds),
  'webhook-signature': keys.map((key) => signatureOf(key, `${id}.${unixSeconds}.`, rawBody)).join(' '),
});

/** Whether the headers have an id, a signature and a recent time; checked before the body is read. */
export const mayBeSignedWebhook = ({ id, timestamp, signature }: WebhookHeaders, now: Date): boolean =>
  !!id && !!signature && isSignedRecently(timestamp, now);

/** Whether an owner of the secret made this request recently. */
export function isSignedWebhook(secret: string, headers: WebhookHeaders, body: Buffer, now: Date): boolean {
  const { id, timestamp, signature } = headers;
  if (!mayBeSignedWebhook(headers, now) || signature === undefined) return false;
  const expected = signatureOf(webhookKey(secret), `${id}.${timestamp}.`, body);
  return signature.split(' ').some((one) => constantTimeEqual(one, expected));
}

const signatureOf = (key: KeyObject, head: string, rawBody: string | Uint8Array): string =>
  `v1,${hmacSha256(key, head, rawBody).digest('base64')}`;

/** One call for text: a second call into the crypto library costs as much as the digest. */
export const hmacSha256 = (key: KeyObject, head: string, rawBody: string | Uint8Array) =>
  typeof rawBody === 'string'
    ? createHmac('sha256', key).update(head + rawBody)
    : createHmac('sha256', key).update(head).update(rawBody);
