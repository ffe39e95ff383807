import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { septets, toGsm7 } from './gsm7.ts';

describe('septets are counted as carriers count them', () => {
  test.each([
    ['', 0],
    ['hello', 5],
    ['Übergröße', 9],
    ['@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ', 31],
    ['€', 2],
    ['[a]', 5],
    ['^{}\\[~]|€\f', 20],
    ['€'.repeat(80), 160],
    ['€'.repeat(81), 162],
  ])('%j takes %i', (text, count) => {
    expect(septets(text)).toBe(count);
  });

  test.each(['ç', '`', '\t', '’', 'š', '漢', '😀', '\u001B', '\uD800'])(
    '%j is not in the alphabet',
    (text) => {
      expect(septets(`a${text}`)).toBeNull();
    },
  );
});

describe('a text becomes its nearest likeness in GSM-7', () => {
  test.each([
    ['Café Zoë', 'Café Zoe'],
    ['Cafe\u0301', 'Café'],
    ['Äpfel & Öl', 'Äpfel & Öl'],
    ['François Ça', 'Francois Ça'],
    ['Kőszeg', 'Koszeg'],
    ['Škoda Žižkov', 'Skoda Zizkov'],
    ['Łódź', 'Lodz'],
    ['Þór & Đorđe', 'Thor & Dorde'],
    ['ŒUVRE Œuvre', 'OEUVRE Oeuvre'],
    ['STRAẞE', 'STRASSE'],
    ['İstanbul ışık', 'Istanbul isik'],
    ['Phở Hà Nội', 'Pho Hà Noi'],
    ['Борщ', 'Borshch'],
    ['БОРЩ', 'BORSHCH'],
    ['Щука и Ёж', 'Shchuka i Ezh'],
    ['Київ', 'Kiiv'],
    ['Чай', 'Chay'],
    ['Ђорђе Џез', 'Djordje Dzez'],
    ['Καφές', 'KAΦEΣ'],
    ['ΣΩΤΗΡΗΣ', 'ΣΩTHPHΣ'],
    ['“Quotes” – it’s… «fine»', '"Quotes" - it\'s... "fine"'],
    ['a\u00A0b\tc', 'a b c'],
    ['ＦＵＬＬ　ｗｉｄｔｈ', 'FULL width'],
    ['٣ and ९ and 𝟿', '3 and 9 and 9'],
    ['寿司 Sushi', ' Sushi'],
    ['Fun 🎉!', 'Fun !'],
    ['a\uD800b', 'ab'],
    ['€5 [ok]', '€5 [ok]'],
  ])('%j → %j', (text, likeness) => {
    expect(toGsm7(text)).toBe(likeness);
  });
});

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), anyCodeUnits());

/** Lone surrogates included. */
function anyCodeUnits(): fc.Arbitrary<string> {
  return fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
}

test('whatever the text, the result is in the alphabet', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(septets(toGsm7(text))).not.toBeNull();
    }),
    { numRuns: 1_000 },
  );
});

test('a second pass changes nothing', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = toGsm7(text);
      expect(toGsm7(once)).toBe(once);
    }),
    { numRuns: 1_000 },
  );
});
