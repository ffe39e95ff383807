import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml } from '../kit/jsxRuntime.ts';
import { compiledTemplate } from './compiledTemplate.ts';

const shown = (word: (name: 'who' | 'what') => string): string =>
  `<p title="${word('what')}">who: ${word('who')}${word('what')}</p> what ${word('who')}`;

test('a page that is filled in is the page that would have been drawn', () => {
  const fill = compiledTemplate(['who', 'what'], shown);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (who, what) => {
      const words = { who, what };
      expect(fill(words)).toBe(shown((name) => String(escapeHtml(words[name]))));
    }),
  );
});

test('words are words, whatever they say', () => {
  const fill = compiledTemplate(['who', 'what'], shown);
  expect(fill({ who: '\u0001what\u0001', what: '<b>"$&' })).toBe(
    '<p title="&lt;b>&#34;$&amp;">who: \u0001what\u0001&lt;b>&#34;$&amp;</p> what \u0001what\u0001',
  );
});

test('it is drawn once', () => {
  let drawings = 0;
  const fill = compiledTemplate(['who'], (word) => {
    drawings += 1;
    return word('who');
  });
  expect([fill({ who: 'a' }), fill({ who: 'b' })]).toEqual(['a', 'b']);
  expect(drawings).toBe(1);
});
