import { hash } from 'node:crypto';
import type { Fingerprinted } from '../idempotency/idempotency.ts';
import { isObject } from '../kit/json.ts';
import type { Hasher } from '../kit/seal.ts';

/**
 * What "the same request" means to an idempotency key: the JSON value, whatever its key order and white space,
 * together with the ids in the path. Anybody can try out what it was made of: it may be stored only in a row that an
 * erasure deletes with the person, as the row of a push is. Everything else stores the keyed one.
 */
export const fingerprint = (body: unknown, path: Record<string, unknown> = {}): string =>
  hash('sha256', `[${inOrder(path)},${inOrder(body ?? null)}]`, 'hex');

/** For a row that may outlive a person whom the request names. */
export const keyedFingerprint = (hasher: Hasher, unkeyed: string): Fingerprinted => ({
  fingerprint: hasher.hex('request', unkeyed),
  unkeyedFingerprint: unkeyed,
});

/**
 * The value as JSON with its keys sorted. Every push comes by here: a replacer of `JSON.stringify` takes twice as long. Unlike
 * what webhooks sign, it refuses nothing: whatever a request may say has a fingerprint.
 */
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  let members = '';
  for (const key of Object.keys(value).sort())
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${inOrder(value[key])}`;
  return `{${members}}`;
}
