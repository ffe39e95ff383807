import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsx } from '../kit/jsxRuntime.ts';
import { dictionaries } from './dictionaries.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { en } from './messages/en.ts';
import { type MessageName, translation } from './translation.ts';
import { Words, wordsIn } from './words.ts';

const isName = (text: string): text is MessageName => Object.hasOwn(en, text);
const names = Object.keys(en).filter(isName);
const formsOf = (language: Language, name: MessageName): string[] => {
  const message = dictionaries[language][name];
  return typeof message === 'string' ? [message] : Object.values(message);
};
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? '').sort();

describe.each(LANGUAGES)('the messages in %s', (language) => {
  test('have the placeholders of the English ones, each once, and no stray brace', () => {
    for (const name of names) {
      const [wanted = ''] = formsOf('en', name);
      for (const text of formsOf(language, name)) {
        expect([name, placeholders(text)]).toEqual([name, placeholders(wanted)]);
        expect(text.replace(/\{\w+\}/g, '')).not.toMatch(/[{}<>]/);
      }
    }
  });

  test('have no space too many, and end as the English ones do', () => {
    for (const name of names) {
      const [wanted = ''] = formsOf('en', name);
      for (const text of formsOf(language, name)) {
        expect([name, text]).toEqual([name, text.trim()]);
        expect(text).not.toMatch(/ {2}/);
        expect([name, /[.?:…]?$/.exec(text)?.[0]]).toEqual([name, /[.?:…]?$/.exec(wanted)?.[0]]);
      }
    }
  });

  test('can leave out an order’s reference', () => {
    for (const name of names.filter((one) => one.startsWith('order.')))
      expect(formsOf(language, name)[0]).toMatch(/\p{L} \{reference\}/u);
    const words = wordsIn(language);
    expect(words.ofOrder('order.shipped', null)).not.toMatch(/[{}]| {2}/);
    expect(words.ofOrder('sms.update', '#1')).toContain(' #1');
  });

  test('have a form for every number', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    const counted = dictionaries[language]['deadLink.text'];
    expect(Object.keys(counted).sort()).toEqual([...pluralCategories].sort());
    const words = wordsIn(language);
    for (const count of [0, 1, 2, 3, 5, 11, 21, 22, 30, 100, 1.5, 1_000_000])
      expect(words.count('deadLink.text', count)).toMatch(/\d/);
  });

  test('are their own, unless a word is the same', () => {
    if (language === 'en') return;
    const same = names.filter((name) =>
      formsOf(language, name).some((text) => formsOf('en', name).includes(text)),
    );
    expect(same.every((name) => /^(status|inbox|message|choices)\./.test(name))).toBe(true);
    expect(same.length).toBeLessThan(6);
  });
});

test('dates and numbers are written as the language does', () => {
  const at = new Date('2026-03-05T14:07:00.000Z');
  expect(wordsIn('en').moment(at)).toBe('5 Mar 2026, 14:07 UTC');
  expect(wordsIn('et').moment(at)).toContain('5. märts 2026');
  expect(wordsIn('fi').moment(at)).toContain('5.3.2026');
  expect(wordsIn('de').moment(at)).toContain('5. März 2026');
  expect(wordsIn('lv').moment(at)).toContain('2026. g. 5. mar');
  expect(wordsIn('de').count('deadLink.text', 1_234)).toContain('1.234 Tage');
  expect(wordsIn('pl').count('deadLink.text', 1)).toContain('1 dzień');
  expect(wordsIn('pl').count('deadLink.text', 22)).toContain('22 dni');
  expect(wordsIn('cs').count('deadLink.text', 3)).toContain('3 dny');
  expect(wordsIn('lt').count('deadLink.text', 21)).toContain('21 dieną');
  expect(wordsIn('lv').count('deadLink.text', 21)).toContain('21 dienu');
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
test('a translation that lacks a placeholder, has another one or lacks a form does not compile', () => {
  const { et } = dictionaries;
  const rest = { ...en } as const;
  expect([
    // @ts-expect-error: without {business}
    translation('et', { ...rest, 'email.why': 'Saite selle kirja.' }),
    // @ts-expect-error: {shop} instead of {business}
    translation('et', { ...rest, 'email.why': 'Saite selle kirja poelt {shop}.' }),
    // @ts-expect-error: a placeholder where there is none
    translation('et', { ...rest, 'inbox.title': 'Postkast {business}' }),
    // @ts-expect-error: a form of Polish is missing
    translation('pl', { ...rest, 'deadLink.text': { one: '{count} dzień', other: '{count} dnia' } }),
    // @ts-expect-error: a form without its number
    translation('et', { ...rest, 'deadLink.text': { one: 'üks päev', other: '{count} päeva' } }),
    // @ts-expect-error: one text for all numbers
    translation('et', { ...rest, 'deadLink.text': '{count} päeva' }),
    // @ts-expect-error: a message that English does not have
    translation('et', { ...rest, 'inbox.extra': 'Veel' }),
    // @ts-expect-error: all others are missing
    translation('et', { 'inbox.title': 'Postkast' }),
    translation('et', rest),
  ]).toHaveLength(9);
  expect(et['inbox.title']).toBe('Postkast');

  const words = wordsIn('en');
  // @ts-expect-error: nothing stands for {business}
  expect(() => words.fill('email.why', {})).toThrow('{business}');
});
