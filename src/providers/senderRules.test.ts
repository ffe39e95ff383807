import fc from 'fast-check';
import { getCountries } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { isName, isSafeName, ruledCountries, ruleSentence, senderRule } from './senderRules.ts';

const SERVICE = `MG${'0a'.repeat(16)}`;

describe('a sender of texts', () => {
  test.each([
    ['+37255550134', false],
    ['37255550134', false],
    ['12345', false],
    [SERVICE, false],
    [SERVICE.toLowerCase(), false],
    ['ACME', true],
    ['MGM', true],
    ['4you', true],
    ['Acme Books', true],
    ['Käsitöö', true],
    ['+', true],
  ])('%s is a name: %s', (sender, expected) => {
    expect(isName(sender)).toBe(expected);
  });

  test.each([
    ['ACME', true],
    ['a', true],
    ['4you', true],
    ['elevenchars', true],
    ['twelvecharss', false],
    ['', false],
    ['12345', false],
    ['Acme Books', false],
    ['ACME-1', false],
    ['Käsi', false],
    ['ACME\n', false],
  ])('%j is a name that every carrier can show: %s', (name, expected) => {
    expect(isSafeName(name)).toBe(expected);
  });

  test('a safe name is a name, of 1 to 11 letters and digits with a letter among them', () => {
    const names = fc.oneof(
      fc.string({ maxLength: 13 }),
      fc.string({ maxLength: 13, unit: fc.constantFrom(...'aZ09 -é') }),
    );
    fc.assert(
      fc.property(names, (name) => {
        const letters = [...name].filter((one) => /[a-z]/i.test(one) && one < '\u007f').length;
        const digits = [...name].filter((one) => one >= '0' && one <= '9').length;
        const expected = letters > 0 && letters + digits === name.length && name.length <= 11;
        expect(isSafeName(name)).toBe(expected);
        if (expected) expect(isName(name)).toBe(true);
      }),
    );
  });
});

describe('the rule of a country', () => {
  test.each([
    ['ES', 'registration', '2026-09-15'],
    ['FI', 'registration', '2026-05-04'],
    ['AU', 'registration', '2026-07-01'],
    ['IE', 'registration', '2025-10-03'],
    ['SG', 'registration', '2023-01-31'],
    ['FR', 'replaced', '2026-03-01'],
    ['IN', 'registration', null],
    ['IT', 'registration', null],
    ['PR', 'refused', null],
    ['US', 'refused', null],
  ])('%s: %s since %s', (country, rule, since) => {
    expect(senderRule('ACME', country)).toMatchObject({ rule, since });
  });

  test('there is none where none is known, nor for what is no country', () => {
    for (const country of ['GB', 'EE', 'constructor', '']) expect(senderRule('ACME', country)).toBeNull();
  });

  test('a number or a service is under no rule; a name is under the rule of each country that has one', () => {
    const number = fc.stringMatching(/^\+?\d{3,15}$/);
    fc.assert(
      fc.property(fc.constantFrom(...getCountries()), number, (country, sender) => {
        expect(senderRule(sender, country)).toBeNull();
        expect(senderRule(SERVICE, country)).toBeNull();
        expect(senderRule('ACME', country) !== null).toBe(ruledCountries.includes(country));
      }),
    );
  });

  test('each has a day that exists and one sentence', () => {
    for (const country of ruledCountries) {
      expect(getCountries()).toContain(country);
      const rule = senderRule('ACME', country);
      if (rule === null) throw new Error(`${country} has no rule`);
      if (rule.since !== null) expect(new Date(rule.since).toISOString()).toContain(rule.since);
      expect(ruleSentence('There', rule)).toMatch(/^There: an? [^.]+; [a-z][^.:;]+\.$/);
    }
  });

  test('a sentence says since when, and what to do', () => {
    const rule = { rule: 'registration', since: '2026-09-15', advice: 'ask for it' } as const;
    expect(ruleSentence('Spain', rule)).toBe(
      'Spain: a name as sender must be registered since 15 September 2026; ask for it.',
    );
    expect(ruleSentence('Spain', { ...rule, rule: 'refused', since: null })).toBe(
      'Spain: a name as sender is refused; ask for it.',
    );
  });
});
