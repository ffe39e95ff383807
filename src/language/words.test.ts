import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINK_LIFETIME_MS } from '../config/limits.ts';
import { DAY } from '../kit/clock.ts';
import { jsx } from '../kit/jsxRuntime.ts';
import { dictionaries } from './dictionaries.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { en } from './messages/en.ts';
import { type MessageName, translation } from './translation.ts';
import { Words, wordsIn } from './words.ts';

const isName = (text: string): text is MessageName => Object.hasOwn(en, text);
const names = Object.keys(en).filter(isName);
const textOf = (language: Language, name: MessageName): string => dictionaries[language][name];
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? '').sort();

describe.each(LANGUAGES)('the messages in %s', (language) => {
  test('have the placeholders of the English ones, each once, and no stray brace', () => {
    for (const name of names) {
      const text = textOf(language, name);
      expect([name, placeholders(text)]).toEqual([name, placeholders(textOf('en', name))]);
      expect(text.replace(/\{\w+\}/g, '')).not.toMatch(/[{}<>]/);
    }
  });

  test('have no space too many, and end as the English ones do', () => {
    for (const name of names) {
      const text = textOf(language, name);
      expect([name, text]).toEqual([name, text.trim()]);
      expect(text).not.toMatch(/ {2}/);
      expect([name, /[.?:…]?$/.exec(text)?.[0]]).toEqual([name, /[.?:…]?$/.exec(textOf('en', name))?.[0]]);
    }
  });

  test('can leave out an order’s reference', () => {
    for (const name of names.filter((one) => one.startsWith('order.')))
      expect(textOf(language, name)).toMatch(/\p{L} \{reference\}/u);
    const words = wordsIn(language);
    expect(words.ofOrder('order.shipped', null)).not.toMatch(/[{}]| {2}/);
    expect(words.ofOrder('sms.update', '#1')).toContain(' #1');
  });

  test('are their own, unless a word is the same', () => {
    if (language === 'en') return;
    const same = names.filter((name) => textOf(language, name) === textOf('en', name));
    expect(same.every((name) => /^(status|inbox|message|choices)\./.test(name))).toBe(true);
    expect(same.length).toBeLessThan(6);
  });
});

test('dates are written as the language does', () => {
  const at = new Date('2026-03-05T14:07:00.000Z');
  expect(wordsIn('en').moment(at)).toBe('5 Mar 2026, 14:07 UTC');
  expect(wordsIn('et').moment(at)).toContain('5. märts 2026');
  expect(wordsIn('fi').moment(at)).toContain('5.3.2026');
  expect(wordsIn('de').moment(at)).toContain('5. März 2026');
  expect(wordsIn('lv').moment(at)).toContain('2026. g. 5. mar');
});

test('the days that a link works are in the form that each language has for 30', () => {
  expect(LINK_LIFETIME_MS / DAY).toBe(30);
  expect(wordsIn('lv').fill('deadLink.text', { days: '30' })).toContain('30 dienas');
});

test('a message in HTML is escaped, and what stands in it is markup', () => {
  const words = new Words('en', { ...en, 'inbox.onlyFrom': 'A & B from {business}' });
  const html = words.html('inbox.onlyFrom', { business: jsx('bdi', { children: 'x' }) });
  expect(String(html)).toBe('A &amp; B from <bdi>x</bdi>');
});

test('what stands in a message is not read as a message', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (business) => {
      expect(wordsIn('en').fill('email.unsubscribe', { business })).toBe(
        `Unsubscribe from all updates by ${business}`,
      );
    }),
  );
  expect(wordsIn('en').fill('email.unsubscribe', { business: '{business} $1 $&' })).toContain(
    '{business} $1 $&',
  );
});

/* These are checked by the compiler: each line would be an error if it compiled. */
test('a translation that lacks a placeholder or has another one does not compile', () => {
  const { et } = dictionaries;
  const rest = { ...en } as const;
  expect([
    // @ts-expect-error: without {business}
    translation({ ...rest, 'email.why': 'Saite selle kirja.' }),
    // @ts-expect-error: {shop} instead of {business}
    translation({ ...rest, 'email.why': 'Saite selle kirja poelt {shop}.' }),
    // @ts-expect-error: a placeholder where there is none
    translation({ ...rest, 'inbox.title': 'Postkast {business}' }),
    // @ts-expect-error: a message that English does not have
    translation({ ...rest, 'inbox.extra': 'Veel' }),
    // @ts-expect-error: all others are missing
    translation({ 'inbox.title': 'Postkast' }),
    translation(rest),
  ]).toHaveLength(6);
  expect(et['inbox.title']).toBe('Postkast');

  const words = wordsIn('en');
  // @ts-expect-error: nothing stands for {business}
  expect(() => words.fill('email.why', {})).toThrow('{business}');
});
