import { hash } from 'node:crypto';
import { isObject } from './validation/isObject.ts';

/**
 * What "the same request" means to an idempotency key: the JSON value, whatever its key order and white space,
 * together with the ids in the path.
 */
export const fingerprint = (body: unknown, path: Record<string, unknown> = {}): string =>
  hash('sha256', JSON.stringify([path, body ?? null], sortKeys), 'hex');

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
