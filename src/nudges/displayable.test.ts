import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { couldBecomeLink, displayableBusinessName, displayableReference } from './displayable.ts';

/** What the API takes (test/interface/pushFields.test.ts). */
const TAKEN = /^[A-Za-z0-9#_./-]{1,64}$/;

describe('an order number is shown in a nudge', () => {
  test.each([
    '1',
    '#1001',
    'A-1',
    'EE_2024/17#3',
    'INV.2024.1',
    '1.2',
    'a/b',
    'A--1',
    'A-',
    '#A.1',
    'www',
    'x'.repeat(32),
  ])('%s', (text) => {
    expect(displayableReference(text)).toBe(text);
  });
});

describe('what could become a link, or is no order number, is not shown', () => {
  test.each([
    null,
    '',
    '#',
    '##1',
    '-1',
    '_1',
    '/1',
    '.1',
    '#.1',
    'shop.com',
    'A.b',
    '1.2.3.4',
    'a.1.2.3',
    'A..1',
    'A1.',
    'A.-1',
    'A.#1',
    'bit.ly/x',
    'www.1.com',
    'A 1',
    'É1',
    'a.１',
    'A1\n',
    'x'.repeat(33),
  ])('%j', (text) => {
    expect(displayableReference(text)).toBeNull();
  });
});

test('every reference that is shown is also one that is taken, and holds nothing like a link', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aZ09#-_./ é'), maxLength: 40 });
  fc.assert(
    fc.property(text, (candidate) => {
      const shown = displayableReference(candidate);
      if (shown === null) return;
      expect(shown).toBe(candidate);
      expect(shown).toMatch(TAKEN);
      expect(shown).toMatch(/^#?[A-Za-z0-9]/);
      expect(shown).not.toMatch(/\.(?!\d)/);
      expect(shown.replace(/[^.]/g, '').length).toBeLessThanOrEqual(2);
    }),
    { numRuns: 3_000 },
  );
});

describe('a business is called by its name', () => {
  test.each([
    ['Acme', 'Acme'],
    ["Mary's Cakes & Co., (Tartu)!", "Mary's Cakes & Co., (Tartu)!"],
    ['Studio 2.0', 'Studio 2.0'],
    ['Dr. Oetker', 'Dr. Oetker'],
    ['Acme Inc.', 'Acme Inc.'],
    ['Pood OÜ', 'Pood OÜ'],
    ['Cafe\u0301', 'Café'],
    ['  Two   spaces ', 'Two spaces'],
    ['Кафе Щука', 'Кафе Щука'],
    ['寿司屋', '寿司屋'],
    ['कॉफ़ी हाउस', 'कॉफ़ी हाउस'.normalize('NFC')],
    ['ร้านกาแฟ', 'ร้านกาแฟ'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['𝔄'.repeat(40), '𝔄'.repeat(40)],
  ])('%s', (text, name) => {
    expect(displayableBusinessName(text)).toBe(name);
  });
});

describe('a name that could become a link, or is no name, is not shown', () => {
  test.each([
    '',
    '   ',
    'Amazon.com',
    'shop.ком',
    'shop.漢字',
    'x'.repeat(41),
    'Acme\nShop',
    'Acme\tShop',
    'Acme\u00A0Shop',
    'a@b',
    'https://x',
    'Shop #1',
    'A/B',
    '<b>Acme</b>',
    'Acme "Best"',
    'Acme 🎉',
    'shop\u2024com',
    'shop。com',
    'shop.\u0301com',
    'shop.\u200Bcom',
    'Ac\u202Eme',
    '\u3164',
    '10.0.0.1',
    'a\uD800',
  ])('%j', (text) => {
    expect(displayableBusinessName(text)).toBeNull();
  });
});

test('no name that is shown could become a link', () => {
  const unit = fc.oneof(
    fc.constantFrom(...".,!()&'- aZ09éЖ漢٣\u0301\u3164"),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 45 }), (text) => {
      const shown = displayableBusinessName(text);
      if (shown === null) return;
      expect(shown).not.toMatch(/\.\p{L}/u);
      expect(shown).not.toMatch(/[\n\r\t@:/]| {2}/);
      expect([...shown].length).toBeLessThanOrEqual(40);
      expect(displayableBusinessName(shown)).toBe(shown);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['a.b', true],
  ['a. b', false],
  ['2.0', false],
  ['v1.2.3', false],
  ['call 192.168.0.1 now', true],
])('couldBecomeLink(%j) is %s', (text, answer) => {
  expect(couldBecomeLink(text)).toBe(answer);
});
