import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesIn, decoded, looseEnds } from '../../test/support/markup.ts';
import { type Children, jsx } from './jsxRuntime.ts';

const HOSTILE = [
  'https://bank.example&commat;evil.example/',
  '" onmouseover="alert(1)',
  '&quot; onmouseover=&quot;alert(1)',
  "' autofocus='",
  '</a><script>alert(1)</script>',
  '<!--',
  '&amp;lt;b&amp;gt;',
  '&#34; x=&#x22;',
];

test.each(HOSTILE)('a child and an attribute mean exactly %s', (text) => {
  const html = String(
    <a href={text} title={text} data-x={text} style={text} class={['a', text]}>
      {text}
    </a>,
  );
  expect(looseEnds(html)).toEqual([]);
  expect(attributesIn(html)).toEqual([
    ...['href', 'title', 'data-x', 'style'].map((name) => ({ name, value: text })),
    { name: 'class', value: `a ${text}` },
  ]);
  expect(decoded(html.slice(html.indexOf('>') + 1, -'</a>'.length))).toContain(text);
});

test('whatever the text, a child opens no tag, and an attribute ends where it ends', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('&', ';', '"', "'", '<', '>', '/', '!--', '=', ' ', 'amp', 'quot', '#34', 'x'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, text, (value, child) => {
      const html = String(
        <p title={value}>
          {child}
          <b>{[child]}</b>
        </p>,
      );
      const texts = /^<p title="([^"<]*)">([^<]*)<b>([^<]*)<\/b><\/p>$/.exec(html)?.slice(1);
      expect(texts?.map(decoded)).toEqual([value, child, child]);
      expect(looseEnds(html)).toEqual([]);
    }),
  );
});

const Shown = ({ text, children }: { text: string; children?: Children }) => (
  <b>
    {text}
    {children}
  </b>
);
const Nothing = () => null;

test.each<[shown: string, element: JSX.Element]>([
  ['<b>a &amp; b</b>', <Shown text="a & b" />],
  [
    '<b>a<small>&lt;</small></b>',
    <Shown text="a">
      <small>{'<'}</small>
    </Shown>,
  ],
  ['', <Nothing />],
  ['<p></p>', <p>{[null, undefined, true, false, '', []]}</p>],
  ['<p>0-1.5</p>', <p>{[0, -1.5]}</p>],
  ['<p>xy</p>', <p>{['x', ['y']]}</p>],
  ['<p></p>', <p />],
  ['<br/>', <br />],
  [
    '<input required value="" maxlength="3"/>',
    <input required hidden={false} id={undefined} value="" maxlength={3} />,
  ],
  ['<p class="a c"></p>', <p class={['a', false, undefined, 'c']} />],
  ['<p style="font-family:\'A\'"></p>', <p style="font-family:'A'" />],
])('%j is what is written', (shown, element) => {
  expect(String(element)).toBe(shown);
});

test.each(['a"b', 'x onload', 'on\u0000', '', '1', 'a>'])('an attribute named %j is refused', (name) => {
  expect(() => jsx('p', { [name]: 'x' })).toThrow(TypeError);
});

const lookalike = { toString: () => '<b>' };

test.each([
  // @ts-expect-error
  () => <p title={lookalike} />,
  // @ts-expect-error
  () => <p title={new Date()} />,
  // @ts-expect-error
  () => <p>{lookalike}</p>,
  // @ts-expect-error
  () => <p>{new Date()}</p>,
  // @ts-expect-error
  () => <p>{Promise.resolve('x')}</p>,
])('what is neither text nor an element is refused, by the compiler too', (draw) => {
  expect(draw).toThrow(TypeError);
});

test('the compiler refuses an element or an attribute that is misspelt', () => {
  // @ts-expect-error
  expect(String(<dvi />)).toBe('<dvi></dvi>');
  // @ts-expect-error
  expect(String(<p className="a" />)).toBe('<p className="a"></p>');
});
