import { expect, test } from 'vitest';
import { isConflict, isUnavailable } from './errors.ts';

const withoutCode = (message: string): Error => Object.assign(new Error(message), { code: 'XX000' });

test.each([
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
  'no connection to the server',
  'connection not open',
  'could not receive data from server: Connection reset by peer',
  'could not send data to server: Broken pipe',
])('a worker of a cluster that broke its connection is unavailable: %s', (message) => {
  expect(isUnavailable(withoutCode(message))).toBe(true);
});

test('a shard that refuses a copied row tells why in words alone', () => {
  expect(isConflict(withoutCode('duplicate key value violates unique constraint "sends_pkey_102040"'))).toBe(
    true,
  );
  expect(isUnavailable(withoutCode('cache lookup failed for relation 16384'))).toBe(false);
});
