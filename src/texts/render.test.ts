import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BODY_MAX, SUBJECT_MAX } from '../config/limits.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import { LANGUAGES } from '../language/languages.ts';
import { defaultText } from './defaults.ts';
import { checkTextSource, type OrderVariables, renderOrderText } from './render.ts';
import { LONGEST_EXAMPLE, SHORTEST_EXAMPLE } from './variables.ts';

const known: OrderVariables = {
  order: { number: '1001', status: 'Shipped', url: 'https://shop.example/orders/1001' },
  customer: { first_name: 'Mari' },
  shop: { name: 'Kalev' },
  shipment: {
    carrier: 'Omniva',
    tracking_number: 'CC123456789EE',
    tracking_url: 'https://track.example/CC123456789EE',
    expected_on: '2026-11-20',
  },
  items: [
    { name: 'Scarf', quantity: 2 },
    { name: 'Hat', quantity: 1 },
  ],
};
const fallback = { subject: 'Our subject', body: 'Our body' };
const faultsOf = (body: string): string[] =>
  checkTextSource({ subject: 'x', body }).map(({ field, line, message }) => `${field} ${line}: ${message}`);
const bodyOf = (body: string, variables = known): string =>
  renderOrderText({ subject: 'x', body }, variables, fallback).body;

describe('our own texts', () => {
  const all = LANGUAGES.flatMap((language) =>
    ORDER_STATUSES.map((status) => ({ status, language, text: defaultText(status, language) })),
  );

  test('there is one for each status in each language, and no two are the same', () => {
    expect(all).toHaveLength(160);
    expect(new Set(all.map(({ text }) => text.body)).size).toBe(160);
  });

  test.each(all)('$status in $language is without a fault, and says what is known', ({ text }) => {
    expect(checkTextSource(text)).toEqual([]);
    const { subject, body } = renderOrderText(text, known, fallback);
    expect(subject).toMatch(/^\p{Lu}.*1001/u);
    expect(body).toContain('1001');
    expect(body).toContain('Kalev');
    expect(`${subject}${body}`).not.toMatch(/[{}%]|\b(undefined|null)\b/);
  });

  test.each(all)(
    '$status in $language fits in a push with the longest and the shortest values',
    ({ text }) => {
      for (const variables of [LONGEST_EXAMPLE, SHORTEST_EXAMPLE]) {
        const { subject, body } = renderOrderText(text, variables, fallback);
        expect(subject).not.toBe(fallback.subject);
        expect(body).not.toBe(fallback.body);
        expect(subject.length).toBeLessThanOrEqual(SUBJECT_MAX);
        expect(body.length).toBeLessThanOrEqual(BODY_MAX);
        expect(/\n{3}|\n.*: *$/m.test(body)).toBe(false);
      }
    },
  );
});

test('a text names what is known, and leaves out a line with an `if`', () => {
  expect(renderOrderText(defaultText('shipped', 'en'), known, fallback)).toEqual({
    subject: 'Your order 1001 has shipped',
    body: `Hello Mari,

Good news: your order 1001 has left us and is on its way to you.

Carrier: Omniva
Tracking number: CC123456789EE
Expected: 20 November 2026
Follow it here: https://track.example/CC123456789EE
Your order: https://shop.example/orders/1001

Kalev`,
  });
  expect(renderOrderText(defaultText('shipped', 'en'), SHORTEST_EXAMPLE, fallback).body).toBe(
    `Hello,

Good news: your order 1 has left us and is on its way to you.

x`,
  );
  expect(bodyOf(defaultText('confirmed', 'en').body)).toContain('\n2 × Scarf\n1 × Hat\n');
});

describe('what is rendered', () => {
  test.each([
    ['HTML stays text', '<script>alert(1)</script> {{ "<b>" }}', '<script>alert(1)</script> <b>'],
    ['so does a value', '{{ shop.name | append: "<i>" }}', 'Kalev<i>'],
    ['an empty variable is nothing', '{% if shipment.carrier == nil %}none{% endif %}', 'none'],
    ['and blank', '{% if shipment.carrier != blank %}x{% else %}none{% endif %}', 'none'],
    ['a default stands for it', '{{ shipment.carrier | default: "our van" }}', 'our van'],
    ['a day in words', '{{ "2026-11-20" | date: "%-d %B" }}', '20 November'],
    [
      'items by their places',
      '{{ items.first.name }}, {{ items[1].quantity }}, {{ items.size }}',
      'Scarf, 1, 2',
    ],
    [
      'a loop',
      '{% for item in items %}{{ forloop.index }}. {{ item.name }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
      '1. Scarf, 2. Hat',
    ],
    [
      'a list by another name',
      '{% assign x = items %}{% for i in x reversed %}{{ i.name }} {% endfor %}',
      'Hat Scarf',
    ],
    ['a case', '{% case order.number %}{% when "1", "1001" %}yes{% else %}no{% endcase %}', 'yes'],
    [
      'no empty lines from tags',
      'a\n{% comment %}x{% endcomment %}\n \t\n{% if order.url %}{% endif %}\nb',
      'a\n\nb',
    ],
    ['no half of a character', '{{ "🎁" | replace: "", "-" }}', '\u{FFFD}-\u{FFFD}'],
  ])('%s', (_, source, rendered) => {
    expect(faultsOf(source)).toEqual([]);
    expect(bodyOf(source, { ...known, shipment: { ...known.shipment, carrier: '' } })).toBe(rendered);
  });

  test('what renders blank is replaced by ours, each for itself', () => {
    const blank = { subject: '{{ shipment.carrier }}', body: ' {% if shipment.carrier %}x{% endif %}\n' };
    expect(checkTextSource(blank)).toEqual([]);
    expect(renderOrderText(blank, SHORTEST_EXAMPLE, fallback)).toEqual(fallback);
    expect(renderOrderText({ ...blank, subject: 'Mine' }, SHORTEST_EXAMPLE, fallback)).toEqual({
      ...fallback,
      subject: 'Mine',
    });
  });

  test('what fails is replaced by ours', () => {
    expect(bodyOf('{{ nope }}')).toBe('Our body');
    expect(bodyOf('{% if %}')).toBe('Our body');
  });

  test('a subject is one line, and one that is too long is cut at a word', () => {
    const subjectOf = (subject: string) => renderOrderText({ subject, body: 'x' }, known, fallback).subject;
    expect(subjectOf(' a\n b ')).toBe('a b');
    const words = 'word '.repeat(100);
    expect(subjectOf(words)).toBe(`${'word '.repeat(59).trim()}…`);
    expect(subjectOf('🎁'.repeat(301))).toBe(`${'🎁'.repeat(299)}…`);
    expect(subjectOf('x'.repeat(300))).toBe('x'.repeat(300));
  });

  test('values that are longer than any of ours are cut, and a URL is left out: a saved text still fits', () => {
    const long = {
      ...known,
      order: { ...known.order, url: `https://shop.example/${'x'.repeat(2_048)}` },
      items: Array.from({ length: 500 }, () => ({ name: 'y'.repeat(500), quantity: 1 })),
    };
    const body = bodyOf('{% for item in items %}{{ item.name }} {% endfor %}{{ order.url }}', long);
    expect(body.split(' ')).toHaveLength(20);
    expect(body.split(' ')[0]).toBe(`${'y'.repeat(99)}…`);
  });
});

describe('what cannot be saved', () => {
  test.each([
    ['{{ order }}', '1: unknown variable order'],
    ['{{ order.number.length }}', '1: unknown variable order.number.length'],
    ['\n{{ order.__proto__ }}', '2: unknown variable order.__proto__'],
    ['{{ order.constructor.constructor }}', '1: unknown variable order.constructor.constructor'],
    ['{{ __proto__ }}', '1: unknown variable __proto__'],
    ['{{ "a".constructor }}', '1: unknown variable "a".constructor'],
    ['{{ order[shop.name] }}', '1: unknown variable order[shop.name]'],
    ['{{ items.first }}', '1: unknown variable items.first'],
    ['{{ items }}', '1: a list cannot be shown as a text: name a field of its items'],
    ['{% for i in items %}{% endfor %}{{ i.name }}', '1: unknown variable i.name'],
    ['{% for i in items %}{{ i.price }}{% endfor %}', '1: unknown variable i.price'],
    ['{% if false %}\n{{ nope }}{% endif %}', '2: unknown variable nope'],
    ['{{ order.number | truncate: nope }}', '1: unknown variable nope'],
    ['{{ order.number | constructor }}', '1: unknown filter constructor'],
    ['{{ order.number | json }}', '1: unknown filter json'],
    ['{% constructor %}', '1: unknown tag constructor'],
    ['{% raw %}{{ x }}{% endraw %}', '1: unknown tag raw'],
    ['{% render "x" %}', '1: unknown tag render'],
    ['{% layout "x" %}', '1: unknown tag layout'],
    ['{% liquid assign x = 1 %}', '1: unknown tag liquid'],
    ['{% endif %}', '1: unknown tag endif'],
    ['{{ }}', '1: bad syntax: invalid value expression: ""'],
  ])('%s', (source, fault) => {
    expect(faultsOf(source)).toEqual([`body ${fault}`]);
  });

  test('every unknown variable is named at its line, up to ten', () => {
    const faults = faultsOf(Array.from({ length: 30 }, (_, index) => `{{ x${index} }}`).join('\n'));
    expect(faults).toHaveLength(10);
    expect(faults[9]).toBe('body 10: unknown variable x9');
  });
});

/** Each would take minutes or gigabytes without its limit. */
describe('a limit ends', () => {
  const nested = (depth: number) => '{% if order.number %}'.repeat(depth) + '{% endif %}'.repeat(depth);
  test.each([
    ['a long loop', '{% for i in (1..999999999) %}x{% endfor %}', /makes more/],
    [
      'a range that never gets further',
      '{% for i in (9007199254740992..9007199254740994) %}x{% endfor %}',
      /range starts/,
    ],
    [
      'one that begins with a value',
      '{% assign a = "1e300" %}{% for i in (a..a) %}x{% endfor %}',
      /range starts/,
    ],
    ['loops in loops', '{% for i in (1..200) %}{% for j in (1..200) %}{% endfor %}{% endfor %}', /steps/],
    ['a megabyte of output', `{% for i in (1..1000) %}${'x'.repeat(1_000)}{% endfor %}`, /renders more/],
    [
      'a text that doubles',
      `{% assign a = "xxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(40)}`,
      /makes more/,
    ],
    ['a wide date', '{{ "2026-01-01" | date: "%999999999Y" }}', /makes more/],
    ['a long format', `{{ "2026-01-01" | date: "${'%B'.repeat(60)}" }}`, /format is longer/],
    ['deep blocks', nested(21), /nested more than 20/],
    ['blocks that are never closed', '{%if 1%}'.repeat(2_400), /nested more than 20/],
    ['a deep path', `{{ ${'a['.repeat(9_000)} }}`, /longer than 1000/],
    ['a long tag', `{% if ${'order.url or '.repeat(100)} order.url %}{% endif %}`, /longer than 1000/],
    ['a body too long', '{{ order.url }}'.repeat(5), /10240 characters, and a message holds 10000/],
  ])('%s', (_, source, message) => {
    expect(faultsOf(source)).toEqual([expect.stringMatching(message)]);
    expect(bodyOf(source, LONGEST_EXAMPLE)).toBe('Our body');
  });

  test('nothing that stays within them', () => {
    expect(faultsOf(nested(20))).toEqual([]);
    expect(faultsOf('{% for i in (1..1000) %}x{% endfor %}')).toEqual([]);
    expect(faultsOf('x'.repeat(10_000))).toEqual([]);
    expect(faultsOf(' '.repeat(19_000))).toEqual([]);
  });
});

/** What shops and carriers might be called, in whatever characters and however long. */
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.constantFrom('', ' ', '\n', '\0', '\ud83c', '🎁'.repeat(400), '{{ order.number }}'),
);
const anyVariables: fc.Arbitrary<OrderVariables> = fc.record({
  order: fc.record({ number: anything, status: anything, url: anything }),
  customer: fc.record({ first_name: anything }),
  shop: fc.record({ name: anything }),
  shipment: fc.record({
    carrier: anything,
    tracking_number: anything,
    tracking_url: anything,
    expected_on: fc.constantFrom('', '2026-11-20', 'soon'),
  }),
  items: fc.array(fc.record({ name: anything, quantity: fc.integer() }), { maxLength: 30 }),
});

function expectPushable({ subject, body }: { subject: string; body: string }): void {
  expect(subject).toMatch(/^\S.{0,299}$/su);
  expect(body).toMatch(/^\S.{0,9999}$/su);
  for (const text of [subject, body]) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
  expect(subject).not.toMatch(/[\r\n]/);
}

test('our own texts fit in a push whatever an order, its shop and its carrier are called', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ORDER_STATUSES),
      fc.constantFrom(...LANGUAGES),
      anyVariables,
      (status, language, variables) =>
        expectPushable(renderOrderText(defaultText(status, language), variables, fallback)),
    ),
    { numRuns: 200 },
  );
});

test('a random text is refused with a line, or renders within a push whatever is known', () => {
  const piece = fc.constantFrom(
    ...[
      '{{ ',
      ' }}',
      '{% ',
      ' %}',
      'if ',
      'endif',
      'for i in ',
      'items',
      'endfor',
      'assign a = ',
      'i.name',
      '\n',
    ],
    ...[
      'order.number',
      'shop.name',
      ' | append: ',
      ' | replace: "", ',
      '(1..9)',
      '"',
      'a',
      '.',
      '[',
      ']',
      '🎁',
      ' = ',
    ],
    ...[
      '{% if order.url %}x{% endif %}',
      '{% for i in items %}{{ i.name }}{% endfor %}',
      '{{ order.number }}',
    ],
  );
  const source = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(source, source, anyVariables, (subject, body, variables) => {
      const faults = checkTextSource({ subject, body });
      for (const { line, field } of faults)
        expect(line).toBeLessThanOrEqual({ subject, body }[field].split('\n').length);
      for (const given of [known, LONGEST_EXAMPLE, SHORTEST_EXAMPLE, variables])
        expectPushable(renderOrderText({ subject, body }, given, fallback));
    }),
    { numRuns: 300 },
  );
});
