import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrackingStatus } from '../contract/orders.ts';
import { type EmailNudge, emailNudge, headerText } from './emailWording.tsx';

const link = 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A';
const unsubscribeLink = 'https://waypost.example/u/9vLcK8dWz1A4hX0r7Qm2sT';
const nudge = (changes: Partial<EmailNudge> = {}): EmailNudge => ({
  businessName: 'Acme',
  subject: 'Your parcel is on its way',
  body: 'It left us today.',
  reference: '#1001',
  orderStatus: 'shipped',
  kind: 'new',
  link,
  unsubscribeLink,
  ...changes,
});

/** The tags alone: what a name or a subject must never change. */
const markup = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];

/** What a reader sees, with the entities read back. */
const words = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&#34;|&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

test('the mail names the business and what happened, begins the message, and links to the inbox and to unsubscribing', () => {
  const mail = emailNudge(nudge());
  expect(mail.subject).toBe('Your parcel is on its way');
  for (const body of [mail.text, words(mail.html)]) {
    expect(body).toContain('Acme');
    expect(body).toContain('Your order #1001 has shipped.');
    expect(body).toContain('It left us today.');
    expect(body).toContain(link);
    expect(body).toContain('You get this mail because Acme has news about an order of yours.');
    expect(body).toContain('Unsubscribe from all updates by Acme');
  }
  expect(mail.text).toContain(unsubscribeLink);
  const targets = [...mail.html.matchAll(/href="([^"]*)"/g)].map((match) => match[1]);
  expect(targets).toEqual([link, link, unsubscribeLink]);
});

describe('nothing stands in a mail twice', () => {
  const SAID = 'Your order #1001 has shipped';
  const sentencesOf = (text: string) =>
    text
      .split(/\n| · |(?<=[.!?…]) /)
      .map((line) => line.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase())
      .filter((line) => line !== '');

  test.each<[string, Partial<EmailNudge>]>([
    ['a subject that says what happened', { subject: SAID }],
    ['in other letters', { subject: `${SAID.toUpperCase()}!` }],
    ['a text that begins with the subject', { body: 'Your parcel is on its way. It left us today.' }],
    ['a text that says what happened', { body: `Hello,\n\n${SAID}.\nIt left us today.` }],
    ['a text of both and itself', { subject: SAID, body: `${SAID}. It left. It left.\nIt left!` }],
    ['a text that ends with the name', { body: 'It left us today.\n\nAcme' }],
    ['an update', { kind: 'update', subject: `A message has changed: your order #1001 has shipped.` }],
  ])('%s', (_, changes) => {
    const mail = emailNudge(nudge(changes));
    const [above = ''] = mail.text.split('Unsubscribe');
    const all = sentencesOf(`${mail.subject}\n${above}`);
    expect(all.filter((one, at) => all.indexOf(one) < at)).toEqual([]);
    const visible = words(mail.html).replace(/<title>.*?<\/title>/, '');
    expect(visible.match(/It left/g) ?? []).toHaveLength(mail.text.match(/It left/g)?.length ?? 0);
    expect(mail.html).not.toContain('display:none');
  });

  test('a subject that says it all leaves the order as the heading, or none', () => {
    expect(emailNudge(nudge({ subject: SAID })).text).toMatch(/^Acme\n\nOrder #1001\n\n✓/);
    const bare = emailNudge(nudge({ subject: 'Your order has shipped.', reference: null }));
    expect(bare.text).toMatch(/^Acme\n\n✓ Confirmed/);
    expect(bare.html).not.toContain('<h1');
  });
});

describe('the mail shows how far the order is', () => {
  const lineOf = (changes: Partial<EmailNudge>) => emailNudge(nudge(changes)).text.split('\n')[4] ?? '';
  const shipment = (status: TrackingStatus | null) => ({
    trackingNumber: 'A1',
    carrier: null,
    trackingUrl: null,
    expectedOn: null,
    expectedUntil: null,
    status,
  });
  const parcels = (...statuses: (TrackingStatus | null)[]) => ({
    shipments: statuses.map(shipment),
    now: new Date('2026-11-19T09:00:00.000Z'),
  });

  test.each<[Partial<EmailNudge>, string]>([
    [{ orderStatus: 'confirmed' }, '✓ Confirmed · Shipped · In transit · Out for delivery · Delivered'],
    [
      { orderStatus: 'delivered' },
      '✓ Confirmed · ✓ Shipped · ✓ In transit · ✓ Out for delivery · ✓ Delivered',
    ],
    [{ orderStatus: 'ready_for_pickup' }, '✓ Confirmed · ✓ Ready for pickup · Delivered'],
    [
      { orderStatus: 'delayed', parcels: parcels('in_transit') },
      '✓ Confirmed · ✓ Shipped · ✓ In transit · Out for delivery · Delivered',
    ],
    [
      { orderStatus: 'refunded', parcels: parcels(null, 'returned') },
      '✓ Returned to the sender · ✓ Refunded',
    ],
  ])('%j', (changes, line) => {
    expect(lineOf(changes)).toBe(line);
    expect(words(emailNudge(nudge(changes)).html).replace(/[\s\u00A0]+/g, ' ')).toContain(line);
  });

  test.each([null, 'on the moon', 'delayed', 'cancelled'])(
    'not where %s tells no more than itself',
    (orderStatus) => {
      const mail = emailNudge(nudge({ orderStatus }));
      expect(`${mail.text}${mail.html}`).not.toContain('✓');
    },
  );
});

describe('the mail says what happened to the order', () => {
  test.each<[Partial<EmailNudge>, string]>([
    [{ orderStatus: null }, 'There is an update about your order #1001.'],
    [{ orderStatus: 'returned' }, 'There is an update about your order #1001.'],
    [{ reference: null }, 'Your order has shipped.'],
    [{ reference: 'shop.com' }, 'Your order has shipped.'],
    [{ kind: 'update' }, 'A message has changed: your order #1001 has shipped.'],
    [{ kind: 'update', orderStatus: null, reference: null }, 'A message about your order has changed.'],
  ])('%j', (changes, sentence) => {
    const mail = emailNudge(nudge(changes));
    expect(mail.text).toContain(`\n\n${sentence}\n\n`);
    expect(words(mail.html)).toContain(sentence);
  });
});

describe('the subject line cannot smuggle in a header', () => {
  test.each([
    ['Hello\r\nBcc: all@example.com', 'Hello Bcc: all@example.com'],
    ['Hello\u2028there\u0085you\u0007', 'Hello there you'],
    ['  spaced \t out ', 'spaced out'],
    ['gpj.\u202Eexe', 'gpj.exe'],
    ['\n', 'An update about your order'],
    ['é'.repeat(300), `${'é'.repeat(199)}…`],
    ['😀'.repeat(200), '😀'.repeat(200)],
  ])('%j', (subject, header) => {
    expect(emailNudge(nudge({ subject })).subject).toBe(header);
  });
});

test('a subject too long for its header is whole in the mail', () => {
  const subject = 'long '.repeat(60).trim();
  const mail = emailNudge(nudge({ subject }));
  expect(mail.text).toContain(subject);
  expect(words(mail.html)).toContain(subject);
});

test('a header is one clean line of bounded length, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.integer({ min: 1, max: 300 }),
      (text, longest) => {
        const header = headerText(text, longest);
        expect(header).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
        expect([...header].length).toBeLessThanOrEqual(longest);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe('hostile names and subjects are shown as text', () => {
  const benign = markup(emailNudge(nudge()).html);
  test.each([
    '<script>alert(1)</script>',
    '</title></style><img src=x onerror=alert(1)>',
    '"><a href="https://evil.example">win</a>',
    "' onmouseover='alert(1)",
    '&lt;b&gt;',
    '<!-- -->',
    '{{1}} $& $1',
    ']]><!doctype html>',
  ])('%s', (text) => {
    const { html } = emailNudge(nudge({ businessName: text, subject: text }));
    expect(markup(html)).toEqual(benign);
    expect(words(html)).toContain(text);
  });

  test('and so is any other', () => {
    const unknown = markup(emailNudge(nudge({ orderStatus: null })).html);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'<>"\'&/=;!-a \n`$') }),
    );
    fc.assert(
      fc.property(text, text, text, (businessName, subject, reference) => {
        const mail = emailNudge(nudge({ businessName, subject, reference, orderStatus: subject }));
        expect(markup(mail.html)).toEqual(unknown);
      }),
      { numRuns: 1_000 },
    );
  });

  test('and so is what stands in a message', () => {
    const withoutBreaks = (html: string) => markup(html).filter((tag) => !tag.startsWith('<br'));
    const usual = ['', 'It left us today.'].map((body) => withoutBreaks(emailNudge(nudge({ body })).html));
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<b>', '</p><script>', '<!--', '\n', '&lt;', ' ', '"', "'", '<a href=x>'),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
        (body) => {
          expect(usual).toContainEqual(withoutBreaks(emailNudge(nudge({ body })).html));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('a link with an ampersand keeps its meaning', () => {
    const { html } = emailNudge(nudge({ link: 'https://waypost.example/i/x?a=1&b="2"' }));
    const target = /href="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(words(target)).toBe('https://waypost.example/i/x?a=1&b="2"');
  });
});

test('the mail loads nothing from anywhere and follows the reader’s colour scheme', () => {
  const { html } = emailNudge(nudge());
  expect(html).toMatch(/^<!doctype html><html lang="en"/);
  expect(html).not.toMatch(/<(?:img|link|script|iframe|video)\b|\bsrc=|url\(/);
  expect(html).toContain('<meta name="color-scheme" content="light dark"');
  expect(html).toContain('prefers-color-scheme:dark');
});
