import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodableUrl, decodeUrlText, parseQuery } from './urlText.ts';

describe('a part of a URL', () => {
  test('is the text that was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeUrlText(encodeURIComponent(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['caf%e9', 'caf\0'],
    ['%ed%a0%80', '\0\0\0'],
    ['%c3', '\0'],
    ['%00', '\0'],
    ['100%', '100\0'],
    ['%zz', '\0zz'],
    ['%f0%9f%8e%81%ff', '🎁\0'],
  ])('%s holds a NUL where it cannot be decoded', (raw, text) => {
    expect(decodeUrlText(raw)).toBe(text);
  });
});

describe('a URL given to the router', () => {
  test.each([
    ['/api/v1/recipients/caf%e9%40shop.test/sms', '/api/v1/recipients/caf%00%40shop.test/sms'],
    ['/a/%?x=%ff', '/a/%00?x=%00'],
    ['/a/%2f%ff', '/a/%2F%00'],
    ['/a/b?c=d', '/a/b?c=d'],
    ['/a/%F0%9F%8E%81%2f', '/a/%F0%9F%8E%81%2f'],
  ])('%s becomes %s', (url, decodable) => {
    expect(decodableUrl(url)).toBe(decodable);
  });

  test('can always be decoded, and nothing that could be decoded before has changed', () => {
    const piece = fc.constantFrom(
      'a',
      '/',
      '%',
      '%4',
      '%41',
      '%e9',
      '%c3%a9',
      '%00',
      '%f0%9f',
      '?',
      '&',
      '=',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join('')),
        (url) => {
          const text = decodeURIComponent(decodableUrl(url));
          expect(text).toBe(decodeUrlText(url));
          if (!text.includes('\0')) expect(decodableUrl(url)).toBe(url);
        },
      ),
    );
  });
});

describe('a query', () => {
  test('is read as a form is written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })),
        (values) => {
          const query = parseQuery(new URLSearchParams(values).toString());
          expect(Object.entries(query).sort()).toEqual(Object.entries(values).sort());
        },
      ),
    );
  });

  test.each([
    ['', {}],
    ['limit', { limit: '' }],
    ['limit=5&limit=7', { limit: '7' }],
    ['&&a=b=c&', { a: 'b=c' }],
    ['a+b=c+d%2B', { 'a b': 'c d+' }],
    ['a=%ff&b%00=1', { a: '\0', 'b\0': '1' }],
  ])('%j', (query, parameters) => {
    expect(parseQuery(query)).toEqual(parameters);
  });

  test('cannot reach a prototype', () => {
    const query = parseQuery('__proto__=x');
    expect(Object.getPrototypeOf(query)).toBe(Object.prototype);
    expect(Object.keys(query)).toEqual(['__proto__']);
  });
});
