import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shortOrLong } from '../../test/support/shortOrLong.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { SEGMENT_SEPTETS, septets } from '../kit/gsm7.ts';
import { LANGUAGES } from '../language/languages.ts';
import { emailNudge } from './emailWording.tsx';
import { acknowledgement, newLinkMail } from './serviceWording.tsx';
import { SMS_LINK_LENGTH_MAX, smsText } from './smsWording.ts';
import { languageOnPlatform, templateOf, whatsappTemplate } from './whatsappTemplate.ts';

const link = 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A';
const linkOf = (length: number): string => `https://${'w'.repeat(length - 'https://'.length)}`;

/** The elements of a page, without what stands in them. */
const tagsIn = (html: string): string[] => html.match(/<\/?[a-z!][a-z0-9]*/gi) ?? [];

/** Names that are long, in another script, hold what could become a link, or cannot be shown at all. */
const HOSTILE_NAMES = [
  'Acme',
  'Õnnelik Šokolaad & Käsitöö Mäealuse OÜ',
  'Кафе «Щука»',
  'evil.example.com',
  'Πωλητής',
  '日本の店',
  '{business}',
  "$& $1 O'Neill",
  'A'.repeat(100),
  '',
];
const name = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const reference = fc.option(
  fc.oneof(
    fc.constantFrom('#1001', '2026/08/20-000123456789', 'A'.repeat(64), 'x.y', '{reference}'),
    fc.stringMatching(/^[A-Za-z0-9#_./-]{1,64}$/),
  ),
);
const orderStatus = fc.option(fc.constantFrom(...ORDER_STATUSES, 'on the moon'));

describe.each(LANGUAGES)('in %s', (language) => {
  test('every text is one segment, ends with its link, and has no placeholder left', () => {
    fc.assert(
      fc.property(
        name,
        reference,
        orderStatus,
        fc.integer({ min: 30, max: SEGMENT_SEPTETS }),
        (businessName, which, status, length) => {
          const to = linkOf(length);
          const text = smsText({ businessName, reference: which, orderStatus: status, link: to, language });
          expect(septets(text) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(SEGMENT_SEPTETS);
          expect(text.endsWith(to)).toBe(true);
          expect(text).not.toMatch(/\{|\}/);
        },
      ),
      { numRuns: shortOrLong(300, 3_000) },
    );
  });

  test('a usual text names the shop, the order and how to opt out; the longest link leaves a sentence', () => {
    for (const status of [...ORDER_STATUSES, null]) {
      const usual = { businessName: 'Acme', reference: '#1001', orderStatus: status, link, language };
      const text = smsText(usual);
      expect(text).toMatch(/^Acme: /);
      expect(text).toMatch(/ #1001.*STOP.* https:/);
      const short = smsText({ ...usual, link: linkOf(SMS_LINK_LENGTH_MAX) });
      expect(short.length).toBeGreaterThan(SMS_LINK_LENGTH_MAX + 10);
    }
  });

  test('a mail has its language, no placeholder, and what others wrote is escaped', () => {
    const mail = (businessName: string, subject: string, kind: 'new' | 'update', status: string | null) =>
      emailNudge({
        businessName,
        subject,
        body: 'It left us today.',
        reference: '#1001',
        orderStatus: status,
        kind,
        link,
        unsubscribeLink: `${link}/u`,
        language,
      });
    const benign = mail('Acme', 'Hello', 'new', 'shipped');
    expect(benign.html).toContain(`<html lang="${language}"`);
    expect(benign.subject).toBe('Hello');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll(/[{}]/g, '')),
        fc.constantFrom<'new' | 'update'>('new', 'update'),
        orderStatus,
        (text, kind, status) => {
          const { html, text: plain } = mail(text, text, kind, status);
          expect(tagsIn(html)).toEqual(tagsIn(mail('Acme', 'Hello', kind, status).html));
          expect(plain).not.toMatch(/\{|\}/);
          expect(html.replace(/<style>[\s\S]*?<\/style>/, '')).not.toMatch(/\{|\}/);
          expect(plain).toContain(link);
        },
      ),
      { numRuns: 100 },
    );
    for (const status of ORDER_STATUSES) {
      const said = mail('Acme', 'Hello', 'new', status)
        .text.split('\n')
        .filter((line) => line !== '');
      expect(new Set(said).size).toBe(said.length);
      if (['delayed', 'cancelled', 'refunded'].includes(status)) continue;
      expect(said.filter((line) => /^✓ \S.* · \S/.test(line))).toHaveLength(1);
    }
    const empty = mail('', '', 'new', null);
    expect(empty.subject).not.toBe('');
  });

  test('a template can be submitted: no end is a parameter, each is there once, and it fits', () => {
    const templates = ORDER_STATUSES.map((status) => templateOf(status, language));
    expect(new Set(templates.map(({ body }) => body)).size).toBe(ORDER_STATUSES.length);
    for (const { body, language: platform } of templates) {
      expect(body).not.toMatch(/^\s*\{\{|\}\}\s*$/);
      expect([...body.matchAll(/\{\{\d\}\}/g)].map(([slot]) => slot).sort()).toEqual([
        '{{1}}',
        '{{2}}',
        '{{3}}',
      ]);
      expect(body).toContain('STOP');
      expect(body.length).toBeLessThan(1_024);
      expect(languageOnPlatform(platform)).toBe(language);
    }
    expect(
      whatsappTemplate({ businessName: 'Acme', reference: '#1', orderStatus: 'shipped', link, language })
        ?.text,
    ).toMatch(/Acme.*#1[\s\S]*https:/);
  });

  test('the acknowledgement and the new link’s mail are complete', () => {
    expect(acknowledgement('Acme', language)).toMatch(/Acme.*STOP/);
    expect(acknowledgement('evil.example.com', language)).not.toMatch(/[{}]|evil/);
    const mail = newLinkMail('Acme', link, language);
    expect(mail.subject).toContain('Acme');
    expect(`${mail.text}${mail.html}`).not.toMatch(/[{}]/);
    expect(mail.html).toContain(`<html lang="${language}"`);
  });
});

test('an accent is dropped only where the alphabet of texts lacks the letter', () => {
  const text = (language: 'et' | 'pl' | 'fr' | 'de' | 'sv') =>
    smsText({ businessName: 'Acme', reference: '#1', orderStatus: 'refunded', link, language });
  expect(text('pl')).toContain('za Twoje zamowienie #1 zwrocono pieniadze.');
  expect(text('sv')).toContain('din beställning #1 har återbetalats.');
  expect(text('fr')).toContain('votre commande #1 a été remboursée.');
});
