import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attributesIn, looseEnds } from '../../test/support/markup.ts';
import { jsx } from './jsxRuntime.ts';

const HOSTILE = [
  'https://bank.example&commat;evil.example/',
  '" onmouseover="alert(1)',
  '&quot; onmouseover=&quot;alert(1)',
  "' autofocus='",
  '</a><script>alert(1)</script>',
  '&amp;lt;b&amp;gt;',
  '&#34; x=&#x22;',
];

/** What a browser reads as the attribute. */
const attributeIn = (html: string, name: string): string | undefined =>
  attributesIn(html).find((attribute) => attribute.name === name)?.value;

test.each(HOSTILE)('an attribute means exactly %s', (value) => {
  const html = String(
    <a href={value} title={value} data-x={value} style={value} class={['a', value]}>
      text
    </a>,
  );
  expect(looseEnds(html)).toEqual([]);
  expect(attributesIn(html).map(({ name }) => name)).toEqual(['href', 'title', 'data-x', 'style', 'class']);
  for (const name of ['href', 'title', 'data-x', 'style']) expect(attributeIn(html, name)).toBe(value);
  expect(attributeIn(html, 'class')).toBe(`a ${value.trim()}`);
});

test('whatever the text, an attribute means it and ends where it ends', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.constantFrom('&', ';', '"', "'", '<', '>', '=', ' ', 'amp', 'quot', '#34', 'x'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (value) => {
      const html = String(<input value={value} />);
      expect(looseEnds(html)).toEqual([]);
      expect(attributesIn(html)).toEqual([{ name: 'value', value }]);
    }),
  );
});

test('components get what they are given, and children are left alone', () => {
  const Shown = ({ text }: { text: string }) => <b safe>{text}</b>;
  expect(String(<Shown text="a & b" />)).toBe('<b>a &amp; b</b>');
  expect(
    String(
      <p id="a">
        {'x'}
        {'y'}
      </p>,
    ),
  ).toBe('<p id="a">xy</p>');
  expect(String(<input required hidden={false} maxlength={3} />)).toBe('<input required maxlength="3"/>');
});

test.each(['attrs', 'of', 'a"b', 'x onload', 'on\u0000'])('an attribute named %j is refused', (name) => {
  expect(() => jsx('p', { [name]: 'x' })).toThrow(TypeError);
});
