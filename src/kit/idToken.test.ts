import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idTokens, unsubscribeTokens } from './idToken.ts';

const KEY = 'a secret key of tests only';
const tokens = idTokens('unsubscribe', KEY);
const unsubscribing = unsubscribeTokens(KEY);
const id = fc.stringMatching(/^[0-9a-z]{12,24}$/);

test('a token names what it was made for', () => {
  fc.assert(
    fc.property(id, id, (businessId, thing) => {
      expect(tokens.read(tokens.make(businessId, thing))).toEqual({ businessId, id: thing });
    }),
  );
});

test('a token with any character changed, taken away or added is nobody’s', () => {
  const token = tokens.make('business00000001', 'recipient0000001');
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.stringMatching(/^[A-Za-z0-9_.-]?$/), (place, other) => {
      const changed = token.slice(0, place) + other + token.slice(place + 1);
      fc.pre(changed !== token);
      expect(tokens.read(changed)).toBeNull();
    }),
  );
  expect(tokens.read(`${token}A`)).toBeNull();
  expect(tokens.read(` ${token}`)).toBeNull();
  expect(tokens.read('')).toBeNull();
});

test('whatever text arrives, it is read without a fault and is not a token', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(tokens.read(text)).toBeNull();
    }),
  );
});

test('another installation’s token is not ours, one signed with an older key of ours is', () => {
  const token = tokens.make('business00000001', 'recipient0000001');
  expect(idTokens('unsubscribe', 'another key of tests').read(token)).toBeNull();
  expect(idTokens('unsubscribe', 'another key of tests', KEY).read(token)).toEqual({
    businessId: 'business00000001',
    id: 'recipient0000001',
  });
});

test('a token for one purpose is none for another', () => {
  expect(idTokens('reply', KEY).read(tokens.make('business00000001', 'recipient0000001'))).toBeNull();
});

test('a token fits into one line of an address', () => {
  expect(tokens.make('b'.repeat(24), 'r'.repeat(24))).toMatch(/^[0-9A-Za-z._-]{1,100}$/);
});

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

test('an unsubscribe token names the business, the recipient and the hash of the address', () => {
  fc.assert(
    fc.property(id, id, hash, (businessId, recipientId, emailHash) => {
      const token = unsubscribing.make(businessId, recipientId, emailHash);
      expect(unsubscribing.read(token)).toEqual({ businessId, recipientId, emailHash });
      expect(tokens.read(token)).toBeNull();
      expect(token).toMatch(/^[0-9A-Za-z._-]{1,150}$/);
    }),
  );
});

test('an unsubscribe token from before it held a hash still reads, and none can be given another hash', () => {
  const older = tokens.make('business00000001', 'recipient0000001');
  const named = { businessId: 'business00000001', recipientId: 'recipient0000001' };
  expect(unsubscribing.read(older)).toEqual({ ...named, emailHash: null });
  const [business, recipient, mac] = older.split('.');
  const otherHash = Buffer.alloc(32, 1).toString('base64url');
  expect(unsubscribing.read([business, recipient, otherHash, mac].join('.'))).toBeNull();
  const newer = unsubscribing.make(named.businessId, named.recipientId, Buffer.alloc(32, 2)).split('.');
  expect(unsubscribing.read([...newer.slice(0, 2), otherHash, newer[3]].join('.'))).toBeNull();
  expect(unsubscribing.read([...newer.slice(0, 2), newer[3]].join('.'))).toBeNull();
});
