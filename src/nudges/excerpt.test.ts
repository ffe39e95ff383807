import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXCERPT_LENGTH_MAX, EXCERPT_SOURCE_LENGTH, messageExcerpt } from './excerpt.ts';

test.each<[string, string[]]>([
  ['It left us today.', ['It left us today.']],
  ['  Hello,\r\n\r\n\tyour   parcel\u00A0left.\n', ['Hello,', 'your parcel left.']],
  ['a\nb\nc\nd\ne', ['a', 'b', 'c', 'd …']],
  ['a\nb\nc\nd', ['a', 'b', 'c', 'd']],
  ['Thanks. Thanks! See you.', ['Thanks. See you.']],
  ['Said already. News.', ['News.']],
  ['said ALREADY\nNews.', ['News.']],
  ['Said already.', []],
  ['***\n***', ['***', '***']],
  ['', []],
  [' \n\u200B\n', []],
  ['gpj.\u202Eexe', ['[…]']],
  ['pay\u00ADpal\u200B now', ['paypal now']],
  ['x'.repeat(EXCERPT_LENGTH_MAX + 1), []],
  ['x'.repeat(EXCERPT_LENGTH_MAX), ['x'.repeat(EXCERPT_LENGTH_MAX)]],
  [`Hello,\n${'x'.repeat(300)}`, ['Hello …']],
  [`${'word '.repeat(60)}`, [`${'word '.repeat(39)}word…`]],
  [`Hello ${'👩‍👩‍👧‍👦'.repeat(100)}`, [expect.stringMatching(/^Hello (?:👩‍👩‍👧‍👦)+…$/u)]],
])('of %j a mail shows %j', (body, lines) => {
  expect(messageExcerpt(body, ['Said already!'])).toEqual(lines);
});

describe('what a mail program would make a link is left out', () => {
  test.each([
    ['See https://a.example/b?c now', 'See […] now'],
    ['See (http://a.example).', 'See […].'],
    ['HTTPS://EVIL.EXAMPLE', '[…]'],
    ['www.evil', '[…]'],
    ['evil.example/login', '[…]'],
    ['evil.\u200Dexample', '[…]'],
    ['evil．example', '[…]'],
    ['éa.éb', '[…]'],
    ['пример.рф', '[…]'],
    ['xn--e1afmkfd.xn--p1ai', '[…]'],
    ['help@shop.example, please', '[…], please'],
    ['https://bank.example@evil.example/', '[…]'],
    ['javascript:alert(1)', '[…]'],
    ['mailto:x tel:+372', '[…] […]'],
    ['\\\\server\\share', '[…]'],
    ['at 192.0.2.7 now', 'at […] now'],
    ['[click](https://evil.example)', '[…]'],
  ])('%j', (body, line) => {
    expect(messageExcerpt(body, [])).toEqual([line]);
  });

  test.each([
    'At 10 a.m. on 19.11.2026, z.B. No. 5, well...and 1.5 kg for 3.50 €',
    'C/O Ann & Co: 12:30',
    'Call +372 5555 0134',
  ])('and %j is not', (body) => {
    expect(messageExcerpt(body, [])).toEqual([body]);
  });
});

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.emailAddress(),
      fc.domain(),
      fc.constantFrom(' ', '\n', '. ', 'word ', '\u202E', '日本語', '://', '@', '.', 'e\u0301'.repeat(50)),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('whatever the text, its excerpt is short, of few clean lines, and holds nothing to click', () => {
  fc.assert(
    fc.property(text, (body) => {
      const lines = messageExcerpt(body, []);
      expect(lines.length).toBeLessThanOrEqual(4);
      expect(lines.join('').length).toBeLessThanOrEqual(EXCERPT_LENGTH_MAX + ' …'.length);
      for (const line of lines) {
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]|:\/\/|@|^\s|\s$|\s\s/u);
        expect(line.trim()).not.toBe('');
        expect(line.isWellFormed?.() ?? true).toBe(body.isWellFormed?.() ?? true);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('an excerpt ends at the end of a word, and says that there is more', () => {
  const words = fc.array(fc.stringMatching(/^[a-zõäöü]{1,12}$/), { minLength: 80, maxLength: 160 });
  fc.assert(
    fc.property(words, (list) => {
      const whole = list.join(' ');
      const [line = ''] = messageExcerpt(whole, []);
      if (whole.length <= EXCERPT_LENGTH_MAX) return;
      expect(line.endsWith('…')).toBe(true);
      expect(`${whole} `.startsWith(`${line.slice(0, -1)} `)).toBe(true);
      expect(line.length).toBeGreaterThan(EXCERPT_LENGTH_MAX - 15);
    }),
  );
});

test.each([' ', '. ', '.', 'a.', '@', '\n', '\u202E', 'e\u0301', '日', 'www.', '\u0301'])(
  'a text of many %j takes no time',
  (piece) => {
    const started = performance.now();
    messageExcerpt(piece.repeat(100_000), [piece.repeat(EXCERPT_SOURCE_LENGTH)]);
    expect(performance.now() - started).toBeLessThan(500);
  },
);
