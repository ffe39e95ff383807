import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJsonExactly } from './exactIds.ts';

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['-9007199254740993', '-9007199254740993'],
  ['{"id":12345678901234567890,"n":1}', { id: '12345678901234567890', n: 1 }],
  ['["12345678901234567890","\\"12345678901234567890"]', ['12345678901234567890', '"12345678901234567890']],
  ['[0.12345678901234567890,1e30,12345678901234567890.5]', [0.12345678901234568, 1e30, 12345678901234567000]],
  ['{"id":12345678901234567890', undefined],
  ['', undefined],
])('reads %s with every digit of an id', (text, value) => {
  expect(parseJsonExactly(text)).toEqual(value);
});

test('changes nothing in a text without large numbers', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const plain: unknown = JSON.parse(text);
      fc.pre(!/\d{16}/.test(JSON.stringify(plain).replace(/"(?:[^"\\]|\\.)*"/g, '')));
      expect(parseJsonExactly(text)).toEqual(plain);
    }),
  );
});

test('reads a megabyte of escapes in time', () => {
  const text = `{"id":12345678901234567890,"name":"${'\\/'.repeat(500_000)}"}`;
  const before = performance.now();
  expect(parseJsonExactly(text)).toEqual({ id: '12345678901234567890', name: '/'.repeat(500_000) });
  expect(performance.now() - before).toBeLessThan(1_000);
});
