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

test('keeps every digit of an integer anywhere, and every text as it is', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const read = (id: bigint) => (Number.isSafeInteger(Number(id)) ? Number(id) : String(id));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), digits, (text, id) => {
      const json = `{${JSON.stringify(`k${text}`)}:[${JSON.stringify(text)},${id}]}`;
      expect(parseJsonExactly(json)).toEqual({ [`k${text}`]: [text, read(id)] });
    }),
  );
});

/** Quadratic time would take minutes. */
const LINEAR_MS = 5_000;
const MEBIBYTE = 1_048_576;

test.each([
  ['quotes without an end', `9007199254740993${'\\"'.repeat(MEBIBYTE / 2)}`],
  ['one text of escaped quotes', `["${'\\"'.repeat(MEBIBYTE / 2 - 16)}",9007199254740993]`],
  ['one number', '9'.repeat(MEBIBYTE)],
  ['long numbers', `[${'9007199254740993,'.repeat(60_000)}1]`],
  ['short texts', `[${'"",'.repeat(349_000)}9007199254740993]`],
  ['lists in each other', `${'['.repeat(500_000)}9007199254740993${']'.repeat(500_000)}`],
])('reads a mebibyte of %s in time', (_, text) => {
  const before = performance.now();
  parseJsonExactly(text);
  expect(performance.now() - before).toBeLessThan(LINEAR_MS);
});
