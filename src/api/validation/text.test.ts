import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoints, isStorable, storable } from './text.ts';

const bad = fc.constantFrom('\0', '\ud800', '\udfff', '\udc00\ud800', 'a\0b', 'a\udbff');

test('text is storable when it would come back from UTF-8 as it was, and has no NUL', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'é', '🎁', '\0', '\ud83c', '\udf81', '\uffff') }),
      (text) => {
        const comesBack = Buffer.from(text, 'utf8').toString('utf8') === text;
        expect(isStorable(text)).toBe(comesBack && !text.includes('\0'));
      },
    ),
  );
});

test('length counts code points', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '🎁', '\ud83c', '\udf81') }), (text) => {
      expect(codePoints(text)).toBe([...text].length);
    }),
  );
});

test('nothing is found in a value of storable texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(isStorable(JSON.stringify(value)) && !JSON.stringify(value).includes('\\u'));
      expect(storable(value, ['body'])).toEqual([]);
    }),
  );
});

test('a text that cannot be stored is found wherever it stands, and its place is named', () => {
  const step = fc.oneof(
    fc.nat({ max: 3 }),
    fc.string({ minLength: 1, maxLength: 5 }).filter((s) => s !== '__proto__'),
  );
  fc.assert(
    fc.property(bad, fc.array(step, { maxLength: 20 }), fc.jsonValue(), (text, steps, neighbour) => {
      fc.pre(!JSON.stringify(neighbour).includes('\\u'));
      const value = steps.reduceRight<unknown>((inner, at) => {
        if (typeof at === 'string') return { zz_neighbour: neighbour, [at]: inner };
        return [...Array<unknown>(at).fill(neighbour), inner];
      }, text);
      expect(storable(value, ['body'])).toEqual([
        expect.objectContaining({ type: 'value_error', loc: ['body', ...steps], input: text }),
      ]);
    }),
  );
});

test('the name of a field must be storable, too', () => {
  expect(storable({ outer: { 'a\0': 1 } }, ['body'])).toEqual([
    expect.objectContaining({ type: 'value_error', loc: ['body', 'outer', 'a\0'], input: 'a\0' }),
  ]);
});

test('a member named __proto__ is looked into like any other', () => {
  const value: unknown = JSON.parse('{"__proto__":{"a":"\\u0000"}}');
  expect(storable(value, ['body'])).toMatchObject([{ loc: ['body', '__proto__', 'a'] }]);
});

test('what the caller looks at itself is left out, by its own name only', () => {
  const value = { items: ['\0'], other: { items: '\0' } };
  expect(storable(value, ['body'], 'items')).toMatchObject([{ loc: ['body', 'other', 'items'] }]);
});

test('a thousand bad texts under one huge name give an answer of modest size', () => {
  const faults = storable({ ['k'.repeat(1_000_000)]: Array(1_000).fill('\0') }, ['body']);
  expect(faults).toHaveLength(100);
  expect(JSON.stringify(faults).length).toBeLessThan(100_000);
});
