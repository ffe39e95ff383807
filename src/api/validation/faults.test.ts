import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_INPUT_BYTES, shownInput } from './faults.ts';

const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a value is shown exactly when its JSON takes at most 16 KiB', () => {
  const padded = fc.tuple(fc.jsonValue(), fc.integer({ min: -40, max: 40 })).map(([value, around]) => {
    const rest = size([value, '']);
    return [value, 'x'.repeat(Math.max(0, MAX_INPUT_BYTES - rest + around))];
  });
  fc.assert(
    fc.property(padded, (value) => {
      expect(shownInput(value)).toBe(size(value) > MAX_INPUT_BYTES ? null : value);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['text', 'x'.repeat(MAX_INPUT_BYTES - 2)],
  ['text of three bytes a character', '€'.repeat(5_460)],
  ['text of six bytes a character', '\u0001'.repeat(2_730)],
  ['a list', Array(5_000).fill(10)],
  ['an object', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`name_${n}`, null]))],
  [
    'an object of many short names',
    Object.fromEntries(Array.from({ length: 2_200 }, (_, n) => [String.fromCharCode(256 + n), 0])),
  ],
])('%s just fits', (_what, value) => {
  expect(size(value)).toBeLessThanOrEqual(MAX_INPUT_BYTES);
  expect(shownInput(value)).toBe(value);
});

test.each([
  ['text', 'x'.repeat(MAX_INPUT_BYTES - 1)],
  ['text of three bytes a character', '€'.repeat(5_461)],
  ['a list of many', Array(1_000_000).fill(0)],
  ['an object of many', Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [n, 0]))],
  ['something large far inside', [[[['x'.repeat(MAX_INPUT_BYTES)]]]]],
])('%s beyond 16 KiB is null', (_what, value) => {
  expect(shownInput(value)).toBeNull();
});
