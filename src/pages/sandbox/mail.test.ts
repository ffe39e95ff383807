import { expect, test } from 'vitest';
import { MAIL_HEADERS, openingElsewhere } from './mail.ts';

test('links of a mail open elsewhere, and the mail stays in standards mode', () => {
  expect(openingElsewhere('<!doctype html><html><head></head></html>')).toBe(
    '<!doctype html><base target="_blank"><html><head></head></html>',
  );
  expect(openingElsewhere('<p>Hello</p>')).toBe('<base target="_blank"><p>Hello</p>');
});

test('a mail may show itself and nothing more', () => {
  const policy = MAIL_HEADERS['content-security-policy'].split('; ');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("form-action 'none'");
  const sandbox = policy.find((rule) => rule.startsWith('sandbox'));
  expect(sandbox).not.toMatch(/allow-(scripts|same-origin|forms|top-navigation)/);
});
