import { hash } from 'node:crypto';
import { isObject } from '../kit/json.ts';
import type { Hasher } from '../kit/seal.ts';

/**
 * Defines "the same request" for an idempotency key: the JSON value, regardless of key order and white space, and
 * the ids in the path. It is unkeyed, so its input can be guessed: store it only in a row that an erasure
 * deletes, like a push's. All other rows store the keyed one.
 */
export const requestFingerprint = (body: unknown, path: Record<string, unknown> = {}): string =>
  hash('sha256', `[${sortedJson(path)},${sortedJson(body ?? null)}]`, 'hex');

/** For a row that can outlive a person whom the request names. */
export const keyedFingerprint = (hasher: Hasher, unkeyed: string): string => hasher.hex('request', unkeyed);

/**
 * JSON with sorted keys. Every push uses it: a replacer of `JSON.stringify` takes twice as long. Unlike
 * canonicalJson, which webhooks sign, it never throws.
 */
function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  let members = '';
  for (const key of Object.keys(value).sort())
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${sortedJson(value[key])}`;
  return `{${members}}`;
}
