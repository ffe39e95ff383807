import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idTokens } from './idToken.ts';

const KEY = 'a secret key of tests only';
const tokens = idTokens('unsubscribe', KEY);
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
