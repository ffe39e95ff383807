import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_LANGUAGE, LANGUAGES, languageFor } from '../language/languages.ts';
import { chooseTemplate, translationKey } from './choice.ts';

const message = { businessName: 'Acme', reference: '#1001', orderStatus: 'shipped' };

/** The person's language, then the business's, then English: the same order wherever a nudge is written. */
test('a template is in the first of three languages in which it is approved, and in none without approval', () => {
  fc.assert(
    fc.property(
      fc.option(fc.constantFrom(...LANGUAGES)),
      fc.constantFrom(...LANGUAGES),
      fc.subarray([...LANGUAGES]),
      (language, ofBusiness, approved) => {
        const reviews = {
          inReview: new Set(approved.includes(DEFAULT_LANGUAGE) ? [] : ['shipped']),
          translated: new Set(approved.map((one) => translationKey(one, 'shipped'))),
        };
        const chosen = chooseTemplate({ ...message, language, ofBusiness }, reviews);
        const wanted = languageFor(language, ofBusiness);
        const first = [wanted, ofBusiness, DEFAULT_LANGUAGE].find((one) => approved.includes(one));
        expect(chosen).toEqual(
          first === undefined
            ? { state: 'in_review', language: wanted }
            : { state: 'sendable', language: first },
        );
      },
    ),
  );
});

test('no template fits an order without a status or a reference', () => {
  const reviews = { inReview: new Set<string>(), translated: new Set<string>() };
  const of = (given: Partial<typeof message> | { reference: null } | { orderStatus: null }) =>
    chooseTemplate({ ...message, language: null, ofBusiness: 'en', ...given }, reviews).state;
  expect([of({}), of({ orderStatus: null }), of({ reference: null })]).toEqual([
    'sendable',
    'impossible',
    'impossible',
  ]);
});
