import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../kit/json.ts';
import { createHasher } from '../kit/seal.ts';
import { keyedFingerprint, requestFingerprint } from './fingerprint.ts';

/** The same value with the keys of every object the other way round. */
const reversed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).reverse()) : member,
  );

test('the order of keys and the white space say nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const spaced: unknown = JSON.parse(JSON.stringify(value, null, 2));
      expect(requestFingerprint(reversed(value))).toBe(requestFingerprint(value));
      expect(requestFingerprint(spaced)).toBe(requestFingerprint(value));
    }),
  );
});

test('two requests are the same exactly when their values are', () => {
  const parsed = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(parsed, parsed, (one, other) => {
      expect(requestFingerprint(one) === requestFingerprint(other)).toBe(isDeepStrictEqual(one, other));
    }),
  );
});

test.each([
  ['a list and its text', [1, 2], '[1,2]'],
  ['a number and its text', 1, '1'],
  ['a member that is null and none', { a: null }, {}],
  ['a list within a list', [[1], 2], [1, [2]]],
  ['a quote within a key', { 'a":1,"b': 2 }, { a: 1, b: 2 }],
  ['nothing and an empty object', null, {}],
])('%s differ', (_, one, other) => {
  expect(requestFingerprint(one)).not.toBe(requestFingerprint(other));
});

test('the ids in the path are a part of the request', () => {
  expect(requestFingerprint({}, { id: 'a' })).not.toBe(requestFingerprint({}, { id: 'b' }));
  expect(requestFingerprint(undefined, { id: 'a' })).toBe(requestFingerprint(null, { id: 'a' }));
});

test('a keyed one needs the installation’s own secret', () => {
  const here = createHasher(Buffer.alloc(32, 1));
  const elsewhere = createHasher(Buffer.alloc(32, 2));
  const unkeyed = requestFingerprint({ a: 1 });
  const keyed = keyedFingerprint(here, unkeyed);
  expect(keyed).toBe(keyedFingerprint(here, requestFingerprint({ a: 1 })));
  expect(keyed).not.toBe(unkeyed);
  expect(keyed).not.toBe(keyedFingerprint(elsewhere, unkeyed));
  expect(keyed).not.toBe(keyedFingerprint(here, requestFingerprint({ a: 2 })));
});
