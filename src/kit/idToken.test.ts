import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unsubscribeTokens } from './idToken.ts';

const KEY = 'a secret key of tests only';
const tokens = unsubscribeTokens(KEY);
const id = fc.stringMatching(/^[0-9a-z]{12,24}$/);
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

const NAMED = {
  businessId: 'business00000001',
  recipientId: 'recipient0000001',
  emailHash: Buffer.alloc(32, 2),
};
const TOKEN = tokens.make(NAMED.businessId, NAMED.recipientId, NAMED.emailHash);

test('a token names the business, the recipient and the hash of the address, in one line of an address', () => {
  fc.assert(
    fc.property(id, id, hash, (businessId, recipientId, emailHash) => {
      const token = tokens.make(businessId, recipientId, emailHash);
      expect(tokens.read(token)).toEqual({ businessId, recipientId, emailHash });
      expect(token).toMatch(/^[0-9A-Za-z._-]{1,150}$/);
    }),
  );
});

test('a token with any character changed, taken away or added is nobody’s', () => {
  fc.assert(
    fc.property(fc.nat(TOKEN.length - 1), fc.stringMatching(/^[A-Za-z0-9_.-]?$/), (place, other) => {
      const changed = TOKEN.slice(0, place) + other + TOKEN.slice(place + 1);
      fc.pre(changed !== TOKEN);
      expect(tokens.read(changed)).toBeNull();
    }),
  );
  expect(tokens.read(`${TOKEN}A`)).toBeNull();
  expect(tokens.read(` ${TOKEN}`)).toBeNull();
  expect(tokens.read('')).toBeNull();
});

test('a token cannot be given another hash, or none', () => {
  const [business, recipient, , mac] = TOKEN.split('.');
  const otherHash = Buffer.alloc(32, 1).toString('base64url');
  expect(tokens.read([business, recipient, otherHash, mac].join('.'))).toBeNull();
  expect(tokens.read([business, recipient, mac].join('.'))).toBeNull();
});

test('whatever text arrives, it is read without a fault and is not a token', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(tokens.read(text)).toBeNull();
    }),
  );
});

test('another installation’s token is not ours, one signed with an older key of ours is', () => {
  expect(unsubscribeTokens('another key of tests').read(TOKEN)).toBeNull();
  expect(unsubscribeTokens('another key of tests', KEY).read(TOKEN)).toEqual(NAMED);
});

test('an id that does not fit into a token is refused', () => {
  expect(() => tokens.make('a.b', NAMED.recipientId, NAMED.emailHash)).toThrow(RangeError);
});
