import { domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
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
        '\u202E',
      ),
    ),
  )
  .map((parts) => parts.join(''));

test('whatever the text, the pieces together are the text', () => {
  fc.assert(
    fc.property(textWithLinks, (text) => {
      expect(
        linkify(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

test('whatever the text, a link leads to the web, to the address it shows, and to nobody’s name before the host', () => {
  fc.assert(
    fc.property(textWithLinks, (text) => {
      for (const piece of linkify(text)) {
        if (piece.kind === 'text') continue;
        const url = new URL(piece.href);
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

test.each([
  'https://',
  'https://(',
  ')',
  'https://a.example/))))',
  'https://a.example/....',
  'http',
  '((((https://a.example/',
  'https://a@',
])('the longest text made of %j is cut in no time', (piece) => {
  const text = piece.repeat(Math.ceil(10_000 / piece.length)).slice(0, 10_000);
  const started = performance.now();
  linkify(text);
  expect(performance.now() - started).toBeLessThan(500);
});
