import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../language/languages.ts';
import type { KnownShipment } from '../orders/shipmentReadsSql.ts';
import { type EmailNudge, emailNudge } from './emailWording.tsx';

const now = new Date('2026-11-19T09:00:00.000Z');
const url = 'https://track.example/CC1?a=1&b="2"';
const parcel = (facts: Partial<KnownShipment> = {}): KnownShipment => ({
  trackingNumber: 'CC 123-4',
  carrier: 'Omniva',
  trackingUrl: 'https://track.example/CC1',
  expectedOn: '2026-11-24',
  expectedUntil: null,
  status: null,
  ...facts,
});
const mailOf = (shipments: readonly KnownShipment[], changes: Partial<EmailNudge> = {}) =>
  emailNudge({
    businessName: 'Acme',
    subject: 'On its way',
    body: 'It left us today.',
    reference: '#1001',
    orderStatus: 'shipped',
    kind: 'new',
    link: 'https://waypost.example/i/x',
    unsubscribeLink: 'https://waypost.example/u/x',
    parcels: { shipments, now },
    ...changes,
  });

const scriptOf = (html: string): string | undefined =>
  /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1];
const dataOf = (html: string): unknown => JSON.parse(scriptOf(html) ?? 'null');
const shown = (html: string): string =>
  html
    .replace(/<(style|script).*?<\/\1>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&#34;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
const targets = (html: string): string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target ?? '');

describe('a mail shows a parcel', () => {
  test('in both parts: carrier, number, expected day and where to follow it', () => {
    const { text, html } = mailOf([parcel()]);
    expect(text).toContain(
      '\n\nExpected delivery: Tuesday 24\u00A0November\nCarrier: Omniva\nTracking number: CC 123-4\nFollow your parcel:\nhttps://track.example/CC1\n\n',
    );
    expect(shown(html)).toContain(
      'Expected delivery Tuesday 24 November Carrier Omniva Tracking number CC 123-4 Follow your parcel',
    );
    expect(targets(html)[0]).toBe('https://track.example/CC1');
  });

  test('without what is not known, and without a button where there is no address', () => {
    const { text, html } = mailOf([parcel({ carrier: null, trackingUrl: null, expectedOn: null })]);
    expect(text).toContain('\n\nTracking number: CC 123-4\n\n');
    expect(`${text}${html}`).not.toMatch(/Carrier|Expected|Follow/);
  });

  test('each of several, in their order, by its place', () => {
    const { text, html } = mailOf([parcel({ trackingNumber: 'B' }), parcel({ trackingNumber: 'A' })]);
    expect(text).toMatch(
      /Parcel 1 of 2\n.*\n.*\nTracking number: B\n[\s\S]*Parcel 2 of 2\n.*\n.*\nTracking number: A\n/,
    );
    expect(shown(html)).toMatch(/Parcel 1 of 2 .* B .*Parcel 2 of 2 .* A /);
  });

  test.each<[string, Partial<KnownShipment>, string | null]>([
    ['today', { expectedOn: '2026-11-19' }, 'Thursday 19 November'],
    ['a past day', { expectedOn: '2026-11-18' }, null],
    ['several days', { expectedOn: '2026-11-24', expectedUntil: '2026-11-26' }, '24–26 November'],
    ['the same day twice', { expectedOn: '2026-11-24', expectedUntil: '2026-11-24' }, 'Tuesday 24 November'],
    [
      'days of which some have passed',
      { expectedOn: '2026-11-17', expectedUntil: '2026-11-21' },
      '19–21 November',
    ],
    [
      'days of which the last is today',
      { expectedOn: '2026-11-17', expectedUntil: '2026-11-19' },
      'Thursday 19 November',
    ],
    ['days that have all passed', { expectedOn: '2026-11-10', expectedUntil: '2026-11-18' }, null],
    ['a day of next year', { expectedOn: '2027-01-04' }, 'Monday 4 January 2027'],
    [
      'days into next year',
      { expectedOn: '2026-12-30', expectedUntil: '2027-01-04' },
      '30 December 2026–4 January 2027',
    ],
    ['a parcel that waits to be collected', { status: 'available_for_pickup' }, null],
    ['a parcel that was delivered', { status: 'delivered' }, null],
    ['a parcel that came back', { status: 'returned' }, null],
  ])('%s', (_, facts, expected) => {
    const { text } = mailOf([parcel(facts)]);
    const said = /Expected delivery: (.*)/
      .exec(text)?.[1]
      ?.replace(/[\s,]+/g, ' ')
      .replace(/ – /g, '–');
    expect(said ?? null).toBe(expected);
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  test('a parcel is shown in both parts, with its days in the language', () => {
    const shipment = parcel({ expectedUntil: '2026-11-26' });
    const { text, html } = mailOf([shipment, parcel({ trackingNumber: 'B' })], { language });
    for (const part of [text, shown(html)]) {
      expect(part).toMatch(/24[\s\S]*26/);
      for (const fact of ['Omniva', 'CC 123-4']) expect(part).toContain(fact);
      expect(part).not.toMatch(/[{}]/);
      if (language !== 'en') expect(part).not.toMatch(/Expected|Tracking number|Follow your|November 2/);
    }
    expect(text).toContain(':\nhttps://track.example/CC1');
    const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(now);
    // Some decline the month: its beginning is the same.
    expect(text.toLowerCase()).toContain(month.slice(0, 3).toLowerCase());
  });
});

describe('the order as data', () => {
  test('names the order, the merchant and the parcel, and nothing about the person', () => {
    expect(dataOf(mailOf([parcel()]).html)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Order',
      orderNumber: '#1001',
      merchant: { '@type': 'Organization', name: 'Acme' },
      orderDelivery: {
        '@type': 'ParcelDelivery',
        carrier: { '@type': 'Organization', name: 'Omniva' },
        trackingNumber: 'CC 123-4',
        trackingUrl: 'https://track.example/CC1',
      },
    });
  });

  test('has each of several parcels of which enough is known', () => {
    const data = dataOf(mailOf([parcel(), parcel({ carrier: null }), parcel({ trackingNumber: 'B' })]).html);
    expect(data).toMatchObject({ orderDelivery: [{ trackingNumber: 'CC 123-4' }, { trackingNumber: 'B' }] });
  });

  test.each<[string, Partial<KnownShipment>, Partial<EmailNudge>]>([
    ['without an order number', {}, { reference: null }],
    ['with an order number that cannot be shown', {}, { reference: 'evil.example' }],
    ['without a merchant', {}, { businessName: ' \n' }],
    ['without a carrier', { carrier: null }, {}],
    ['without an address', { trackingUrl: null }, {}],
  ])('is not there %s', (_, facts, changes) => {
    expect(mailOf([parcel(facts)], changes).html).not.toContain('<script');
  });

  test('is not there without a parcel', () => {
    expect(mailOf([]).html).not.toContain('<script');
    expect(mailOf([], { parcels: null }).html).toBe(mailOf([]).html);
  });

  test('cannot be left by what a merchant wrote, and holds it unchanged', () => {
    const text = fc.oneof(
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '<!--<script>',
        '"},"x":{"',
        "' \\ \u2028 😀",
        ']]>',
        '\\u003c',
      ),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
    );
    fc.assert(
      fc.property(text, text, (carrier, businessName) => {
        const { html } = mailOf([parcel({ carrier, trackingUrl: url })], {
          businessName: `A${businessName}`,
        });
        expect(html.match(/<\/?script/gi)).toEqual(['<script', '</script']);
        expect(scriptOf(html)).not.toMatch(/[<>&\u2028\u2029]/);
        expect(dataOf(html)).toMatchObject({
          orderDelivery: { carrier: { name: carrier }, trackingUrl: url },
        });
        expect(shown(html).replace(/\s/g, '')).toContain(carrier.replace(/\s/g, ''));
      }),
      { numRuns: 500 },
    );
  });
});
