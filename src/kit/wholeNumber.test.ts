import { expect, test } from 'vitest';
import { LARGEST_COUNT, parseCount } from './wholeNumber.ts';

test.each([
  ['0', 0],
  ['20', 20],
  ['007', 7],
  [String(LARGEST_COUNT), LARGEST_COUNT],
])('%s is a count', (text, count) => {
  expect(parseCount(text, 0)).toBe(count);
});

test.each(['', ' 1', '-1', '1.5', '1e3', '0x10', '١', String(LARGEST_COUNT + 1), '9'.repeat(20)])(
  '%j is none',
  (text) => {
    expect(parseCount(text, 0)).toBeNull();
  },
);

test('a count can have a least', () => {
  expect(parseCount('0', 1)).toBeNull();
  expect(parseCount('1', 1)).toBe(1);
});
