import { expect, test } from 'vitest';
import { distinctCallers, refusalOf } from './callers.ts';

const CALLERS = [
  { business_id: 'b1', id: 'k1', active: true },
  { business_id: 'b2', id: 'k2', active: false },
];

test.each([
  ['a key that counts', 'b1', 'k1', null],
  ['a key that was revoked', 'b1', 'k3', 'business.invalid_api_key'],
  ['a key of another business', 'b1', 'k2', 'business.invalid_api_key'],
  ['a key of a business that was closed', 'b2', 'k2', 'business.inactive'],
])('%s', (_, businessId, keyId, code) => {
  expect(refusalOf(CALLERS, { businessId, keyId })?.code ?? null).toBe(code);
});

test('nobody is let in where nothing was found', () => {
  expect(refusalOf([], { businessId: 'b1', keyId: 'k1' })?.code).toBe('business.invalid_api_key');
});

test('each key is asked for once, with its business', () => {
  const calling = { businessId: 'b1', keyId: 'k1' };
  expect(distinctCallers([calling, { businessId: 'b2', keyId: 'k1' }, { ...calling }])).toEqual([
    ['b1', 'b2'],
    ['k1', 'k1'],
  ]);
});
