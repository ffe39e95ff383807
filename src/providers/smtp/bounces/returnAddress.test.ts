import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../kit/ids.ts';
import { returnAddresses } from './returnAddress.ts';

const KEY = 'k'.repeat(32);
const OLDER = 'o'.repeat(32);
const addresses = returnAddresses('bounce.example', [KEY]);

const id = fc
  .array(fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'), { minLength: 24, maxLength: 24 })
  .map((characters) => characters.join(''));
const reference = fc.tuple(id, id).map(([business, send]) => `${business}-${send}`);

const made = (name: string): string => addresses.make(name) ?? '';
const found = (text: string): string | null => addresses.find(Buffer.from(text));

test('an id is as long as the address has room for', () => {
  expect(newId(new Date())).toHaveLength(24);
});

test('an address leads back to its send, in any case, and its local part is as long as one may be', () => {
  fc.assert(
    fc.property(reference, fc.boolean(), (name, isUpper) => {
      const address = made(name);
      expect(address).toMatch(/^b\+[0-9a-z]{62}@bounce\.example$/);
      expect(found(`To: <${isUpper ? address.toUpperCase() : address}>`)).toBe(name);
    }),
  );
});

test('an address with any other character in it is nobody’s', () => {
  fc.assert(
    fc.property(reference, fc.nat({ max: 61 }), fc.constantFrom(...'0z'), (name, at, other) => {
      const address = made(name);
      const changed = address.slice(0, 2 + at) + other + address.slice(3 + at);
      expect(found(changed)).toBe(changed === address ? name : null);
    }),
  );
});

test('it survives being rewritten on the way, and quoted', () => {
  const name = `${newId(new Date())}-${newId(new Date())}`;
  const address = made(name);
  for (const text of [
    `SRS0=aaaa=zz=bounce.example=${address}`,
    `prvs=0123456789=${address}`,
    `From: x\r\nTo: "b" <${address}>\r\n\r\n`,
    `nothing, b+short@bounce.example, and then <${address}>`,
  ])
    expect(found(text), text).toBe(name);
});

test('a key that was put behind a new one still verifies, and a foreign one never', () => {
  const name = `${newId(new Date())}-${newId(new Date())}`;
  const old = Buffer.from(returnAddresses('bounce.example', [OLDER]).make(name) ?? '');
  expect(returnAddresses('bounce.example', [KEY, OLDER]).find(old)).toBe(name);
  expect(addresses.find(old)).toBeNull();
});

test('what names no send gets no return address', () => {
  for (const name of ['', 'b-s', 'a'.repeat(24), `${'a'.repeat(24)}-${'b'.repeat(25)}`])
    expect(addresses.make(name)).toBeNull();
});

test('any bytes are searched without an error, and a mail of forged addresses is not searched to its end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => addresses.find(Buffer.from(bytes)) === null),
  );
  const genuine = made(`${newId(new Date())}-${newId(new Date())}`);
  expect(found(`b+${'0'.repeat(62)}@x `.repeat(10_000) + genuine)).toBeNull();
});
