import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkify } from './linkify.ts';

const linksIn = (text: string): string[] =>
  linkify(text).flatMap((piece) => (piece.kind === 'link' ? [piece.text] : []));

test.each([
  ['Track it: https://track.example/p/1 tonight', 'https://track.example/p/1'],
  ['(see http://a.example/b).', 'http://a.example/b'],
  ['https://a.example/wiki/Tree_(botany)', 'https://a.example/wiki/Tree_(botany)'],
  ['(https://a.example/wiki/Tree_(botany))!', 'https://a.example/wiki/Tree_(botany)'],
  ['HTTPS://A.EXAMPLE/Path', 'HTTPS://A.EXAMPLE/Path'],
  ['https://a.example/?q=1&r=%20#top, and more', 'https://a.example/?q=1&r=%20#top'],
  ['"https://a.example/quoted"', 'https://a.example/quoted'],
  ['<https://a.example/angled>', 'https://a.example/angled'],
  ['https://пример.example/путь', 'https://пример.example/путь'],
  ['https://a.example/🌲', 'https://a.example/🌲'],
  ['https://[2001:db8::1]:8080/x', 'https://[2001:db8::1]:8080/x'],
  ['mailto:x https://a.example', 'https://a.example'],
  ['https://a.example:443/x', 'https://a.example:443/x'],
  ['https://a.example./x', 'https://a.example./x'],
  ['https://a.example/x@y&commat;z', 'https://a.example/x@y&commat;z'],
  ['https://xn--e1afmkfd.example/', 'https://xn--e1afmkfd.example/'],
  ['https://straße.example/', 'https://straße.example/'],
  ['https://192.0.2.7/x', 'https://192.0.2.7/x'],
])('in %j the link is %j', (text, link) => {
  expect(linksIn(text)).toEqual([link]);
});

test.each([
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://a.example/',
  'www.a.example',
  '//a.example/x',
  'java\nscript://https:/x',
  'https://',
  'https://.',
  'https://bank.example@evil.example/',
  'https://user:secret@evil.example/',
  'http://a b',
  'https://bank.example&commat;evil.example/',
  'https://bank.example&#64;evil.example/',
  'https://bank.example&sol;@evil.example/',
  'https://bank.example%40evil.example/',
  'https://bank.example%2eevil.example/',
  'https://bank.example\\.evil.example/',
  'https://evil.example\\@bank.example/',
  'https:///evil.example/',
  'https://////evil.example/',
  'https://ｅvil.example/',
  'https://evil。example/',
  'https://evil․example/',
  'https://bank.example：evil.example/',
  'https://1.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://@evil.example/',
  'https://:@evil.example/',
  `https://a.example/${'x'.repeat(3_000)}`,
])('%j has no link', (text) => {
  expect(linksIn(text).filter((link) => link !== 'http://a')).toEqual([]);
});

test('a link ends where an invisible mark could make it look like another address', () => {
  expect(linksIn('https://a.example/\u202Egpj.exe')).toEqual(['https://a.example/']);
  expect(linksIn('https://a.example/\u200Bhidden')).toEqual(['https://a.example/']);
  expect(linksIn('https://a.example\u2066.evil.example')).toEqual(['https://a.example']);
});

const targetsIn = (text: string, trackingUrls?: ReadonlyMap<string, string>) =>
  linkify(text, trackingUrls).flatMap((piece) => (piece.kind === 'link' ? [[piece.text, piece.href]] : []));

test.each([
  ['Write to Help@Shop.example.', 'Help@Shop.example', 'mailto:help@shop.example'],
  ['(help@shop.example)', 'help@shop.example', 'mailto:help@shop.example'],
  [
    'E-Mail:ann.lee+orders@mail.shop.example, thanks',
    'ann.lee+orders@mail.shop.example',
    'mailto:ann.lee%2Borders@mail.shop.example',
  ],
  ['Call +372 5555 0134!', '+372 5555 0134', 'tel:+37255550134'],
  ['+37255550134', '+37255550134', 'tel:+37255550134'],
  ['ring +44 (0)20 7946 0958, please', '+44 (0)20 7946 0958', 'tel:+442079460958'],
  ['Free: +44 800 123 4567', '+44 800 123 4567', 'tel:+448001234567'],
  ['+49/30/901820', '+49/30/901820', 'tel:+4930901820'],
])('in %j %j can be reached', (text, shown, href) => {
  expect(targetsIn(text)).toEqual([[shown, href]]);
});

test.each([
  'ann@shop',
  '@shop.example',
  'ann@@shop.example',
  'ann@shop.example@evil.example',
  'ann@shop.example\u0430',
  '\u0430nn@shop.example',
  'ann@sh\u043Ep.example',
  'ann@.shop.example',
  'ann@192.0.2.7',
  `${'a'.repeat(65)}@shop.example`,
  'https://bank.example@evil.example/help@shop.example',
  '+1 2',
  '+372 123',
  '+00000000000',
  '+44 909 879 0000',
  '+3725555013412345678',
  'x+37255550134',
  '5555 0134',
  '2026-11-19',
  '1+1234567',
])('in %j nothing can be reached', (text) => {
  expect(targetsIn(text)).toEqual([]);
});

describe('a tracking number', () => {
  const urls = new Map([
    ['CC123456789EE', 'https://track.example/CC1'],
    ['CC 1-2.3(4', 'https://track.example/CC2'],
    ['12345', 'https://track.example/short'],
  ]);
  test.each([
    ['Your parcel CC123456789EE is on its way', ['CC123456789EE']],
    ['(CC123456789EE), CC123456789EE.', ['CC123456789EE', 'CC123456789EE']],
    ['CC 1-2.3(4: soon', ['CC 1-2.3(4']],
    ['XCC123456789EE CC123456789EE1 \u00C4CC123456789EE', []],
    ['12345', []],
    ['https://a.example/CC123456789EE', ['https://a.example/CC123456789EE']],
  ])('in %j', (text, links) => {
    expect(targetsIn(text, urls).map(([shown]) => shown)).toEqual(links);
  });

  test('leads to its carrier', () => {
    expect(targetsIn('No CC123456789EE', urls)).toEqual([['CC123456789EE', 'https://track.example/CC1']]);
    expect(targetsIn('No CC123456789EE')).toEqual([]);
  });
});

const textWithLinks = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.constantFrom(
        'https://',
        'http://',
        'javascript:',
        '(',
        ')',
        '[',
        '.',
        ' ',
        '\n',
        '"',
        '<',
        '>',
        '@',
        '&commat;',
        '&#64;',
        '\\\\',
        '%2e',
        '/',
        'a.example',
        'ann@a.example',
        '+372 5555 0134',
        '+',
        '5555',
        'CC123456',
        '\u202E',
      ),
    ),
  )
  .map((parts) => parts.join(''));

const TRACKED = new Map([['CC123456', 'https://track.example/1']]);

test('whatever the text, the pieces together are the text', () => {
  fc.assert(
    fc.property(textWithLinks, (text) => {
      expect(
        linkify(text, TRACKED)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

test('whatever the text, a link leads to the address or the number it shows, and to nobody’s name before the host', () => {
  fc.assert(
    fc.property(textWithLinks, (text) => {
      for (const piece of linkify(text)) {
        if (piece.kind === 'text') continue;
        const url = new URL(piece.href);
        if (url.protocol === 'mailto:') {
          expect(decodeURIComponent(url.pathname)).toBe(piece.text.toLowerCase());
          expect(url.search).toBe('');
          continue;
        }
        if (url.protocol === 'tel:') {
          expect(url.pathname.replace(/\D/g, '')).toBe(piece.text.replace(/\(0\)|\D/g, ''));
          continue;
        }
        expect(['http:', 'https:']).toContain(url.protocol);
        expect(url.username + url.password).toBe('');
        expect(piece.text).not.toMatch(/[\s<>"\p{Cc}\p{Cf}]/u);
        expect(new URL(piece.text).href).toBe(piece.href);
        const shown = /^https?:\/\/([^/?#]*)/i.exec(piece.text)?.[1] ?? '';
        expect([url.host, url.hostname, domainToUnicode(url.hostname)]).toContain(
          shown.replace(/:\d+$/, '').toLowerCase(),
        );
      }
    }),
  );
});

test('an address a person would write is found wherever it stands', () => {
  const around = fc.constantFrom(['', ''], ['See ', '.'], ['(', ')'], ['„', '”'], ['نص ', ' نص']);
  fc.assert(
    fc.property(around, fc.domain(), fc.stringMatching(/^[a-z0-9]{1,20}$/), ([before, after], host, path) => {
      const address = `https://${host}/${path}`;
      expect(linksIn(`${before}${address}${after}`)).toEqual([address]);
    }),
  );
});

/** Ten times that of a body, so that more than linear work is seen. */
const LONGEST = 100_000;

test.each([
  'https://',
  'https://(',
  ')',
  'https://a.example/))))',
  'https://a.example/....',
  'http',
  '((((https://a.example/',
  'https://a@',
  'a',
  'a@',
  'a@a.',
  'a.@',
  '+1 ',
  '+123456789012',
  'CC123456',
  '\u202E',
  'https://a.example@',
])('the longest text made of %j is cut in no time', (piece) => {
  const text = piece.repeat(Math.ceil(LONGEST / piece.length)).slice(0, LONGEST);
  const started = performance.now();
  linkify(text, TRACKED);
  expect(performance.now() - started).toBeLessThan(2_000);
});
