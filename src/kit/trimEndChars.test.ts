import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trimEndChars } from './trimEndChars.ts';

test.each([
  ['http://x//', '/', 'http://x'],
  ['/a/b', '/', '/a/b'],
  ['///', '/', ''],
  ['', '/', ''],
  ['Smith & ', " &'", 'Smith'],
])('%j without %j at its end is %j', (text, characters, rest) => {
  expect(trimEndChars(text, characters)).toBe(rest);
});

test('it is a beginning of the text that ends in none of them, and only they are gone', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '/', '.') }), (text) => {
      const rest = trimEndChars(text, '/.');
      return text.startsWith(rest) && !/[/.]$/.test(rest) && /^[/.]*$/.test(text.slice(rest.length));
    }),
  );
});
