import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  acceptedLanguage,
  describedTag,
  isChosen,
  LANGUAGES,
  languageFor,
  nearestLanguage,
} from './languages.ts';

describe('the nearest language', () => {
  test.each([
    ['en', 'en'],
    ['EN-us', 'en'],
    ['et-EE', 'et'],
    ['pt-BR', 'pt'],
    ['de-CH-1996', 'de'],
    ['fr-Latn-CA', 'fr'],
    ['es-419', 'es'],
    ['nl-x-shop', 'nl'],
    ['no', 'nb'],
    ['no-NO', 'nb'],
    ['nn', 'nb'],
    ['nn-NO', 'nb'],
    ['nb', 'nb'],
    // Some systems have three letters for every language.
    ['est', 'et'],
    ['deu', 'de'],
    ['nor', 'nb'],
    ['nno', 'nb'],
    ['fin-FI', 'fi'],
  ])('to %s is %s', (tag, nearest) => expect(nearestLanguage(tag)).toBe(nearest));

  // A neighbour's language is a guess about a person, and a wrong one is worse than the shop's own language.
  test.each(['sk', 'uk', 'ja', 'zh-Hant', 'tlh', 'und', 'mul', 'x-en', 'i-klingon', 'zxx', 'ca'])(
    'to %s is none',
    (tag) => expect(nearestLanguage(tag)).toBeNull(),
  );

  test('does not depend on what follows the language, nor on letter case', () => {
    const subtag = fc.stringMatching(/^[A-Za-z0-9]{2,8}$/);
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), fc.array(subtag), fc.boolean(), (language, rest, upper) => {
        const tag = [language, ...rest].join('-');
        expect(nearestLanguage(upper ? tag.toUpperCase() : tag)).toBe(language);
      }),
    );
  });

  test('is one of ours or none, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([...LANGUAGES, null]).toContain(nearestLanguage(text));
      }),
    );
  });
});

test.each<[string | null, string, string]>([
  [null, 'et', 'et'],
  ['fi-FI', 'et', 'fi'],
  ['ja', 'et', 'et'],
  // A language that a later version stored.
  ['ja', 'sk', 'en'],
])('a person with %s, of a shop with %s, reads %s', (tag, businessLanguage, language) => {
  expect(languageFor(tag, businessLanguage)).toBe(language);
});

test.each<[string | null, string, boolean]>([
  [null, 'en', false],
  ['tlh', 'en', false],
  ['en-GB', 'en', true],
  [null, 'et', true],
])('with %s, of a shop with %s, the language is a choice: %s', (tag, businessLanguage, chosen) => {
  expect(isChosen(tag, businessLanguage)).toBe(chosen);
});

test.each([
  ['pt-BR', 'Portuguese (pt-BR)'],
  ['no', 'Norwegian Bokmål (no)'],
  ['tlh', 'tlh'],
])('the dashboard describes %s as %s', (tag, described) => expect(describedTag(tag)).toBe(described));

describe('a browser’s languages', () => {
  test.each<[string | undefined, string]>([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['fi', 'fi'],
    ['et-EE,et;q=0.9,en;q=0.8', 'et'],
    ['en;q=0.5, de;q=0.9', 'de'],
    ['ja, sv;q=0.5', 'sv'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['fi;q=x, it;q=0.2', 'it'],
    [`${'xx,'.repeat(1_000)}fi`, 'en'],
  ])('%s means %s', (header, language) => expect(acceptedLanguage(header)).toBe(language));
});
