import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type Json, MAX_DEPTH } from './canonicalJson.ts';

describe('an envelope is written the same way every time', () => {
  const cases: [string, Json, string][] = [
    [
      'an event, its four fields sorted, and data within',
      {
        type: 'message.failed',
        occurred_at: '2026-08-20T09:15:00.000Z',
        id: 'e1',
        data: { recipient_email: 'ann@example.com', message_id: 'm1', channel: 'email', reference: null },
      },
      '{"data":{"channel":"email","message_id":"m1","recipient_email":"ann@example.com","reference":null},' +
        '"id":"e1","occurred_at":"2026-08-20T09:15:00.000Z","type":"message.failed"}',
    ],
    [
      'keys sort at every depth, inside lists too',
      { b: [{ d: 1, c: 2 }], a: {} },
      '{"a":{},"b":[{"c":2,"d":1}]}',
    ],
    ['integer-like keys are text', { b: 1, '10': 2, '9': 3, a: 4 }, '{"10":2,"9":3,"a":4,"b":1}'],
    [
      'capitals come before small letters, a prefix before the longer',
      { ab: 1, a: 2, B: 3 },
      '{"B":3,"a":2,"ab":1}',
    ],
    ['letters of any script stay as they are', { é: 'Õie 🎁 訂單', z: 'ß' }, '{"z":"ß","é":"Õie 🎁 訂單"}'],
    ['quotes, backslashes and controls are escaped', { a: '"\\\n\u0001/' }, '{"a":"\\"\\\\\\n\\u0001/"}'],
    ['a lone surrogate is escaped, so the bytes are UTF-8', { a: '\ud83c' }, '{"a":"\\ud83c"}'],
    ['white space inside text is kept', { a: ' b  c ' }, '{"a":" b  c "}'],
    ['an empty envelope', {}, '{}'],
    ['lists keep their order', [3, 1, 2, []], '[3,1,2,[]]'],
    ['plain values', [null, true, false, 0, -1.5, 1e21, ''], '[null,true,false,0,-1.5,1e+21,""]'],
  ];
  test.each(cases)('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('a key named __proto__ is a key like any other', () => {
    const value: Json = JSON.parse('{"b":1,"__proto__":{"a":2}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":2},"b":1}');
  });
});

describe('what JSON cannot say is refused, and the place is named', () => {
  // Typed as Json by a parser's `any`, as a mistake in our own code would be.
  const slipped = (value: unknown): Json => JSON.parse('null', () => value);
  const circular: Record<string, unknown> = {};
  circular.self = circular;

  const cases: [string, unknown, RegExp][] = [
    ['undefined in a field', { data: { reason: undefined } }, /undefined at \$\.data\.reason/],
    ['undefined in a list', [1, undefined], /undefined at \$\[1\]/],
    ['a hole in a list', new Array(1), /undefined at \$\[0\]/],
    ['NaN', { n: Number.NaN }, /NaN at \$\.n/],
    ['Infinity', [Number.POSITIVE_INFINITY], /Infinity at \$\[0\]/],
    ['a Date, which would lose its precision unseen', { at: new Date(0) }, /Date at \$\.at/],
    ['a Map', { m: new Map() }, /Map at \$\.m/],
    ['a bigint', { n: 1n }, /1 at \$\.n/],
    ['a function', { f: () => 1 }, /at \$\.f/],
    ['a symbol', { s: Symbol('x') }, /Symbol\(x\) at \$\.s/],
    ['a circular value', circular, /deeper than 64 levels/],
  ];
  test.each(cases)('%s', (_, value, message) => {
    expect(() => canonicalJson(slipped(value))).toThrow(message);
  });

  test('undefined itself', () => {
    expect(() => canonicalJson(slipped(undefined))).toThrow('undefined at $');
  });

  test(`${MAX_DEPTH} levels are fine`, () => {
    let value: Json = 1;
    for (let level = 0; level < MAX_DEPTH; level += 1) value = [value];
    expect(canonicalJson(value)).toBe(`${'['.repeat(MAX_DEPTH)}1${']'.repeat(MAX_DEPTH)}`);
    expect(() => canonicalJson([value])).toThrow(TypeError);
  });
});

describe('for any JSON value', () => {
  const anyValue = fc
    .jsonValue({ maxDepth: 6, stringUnit: 'binary' })
    .map((value): Json => JSON.parse(JSON.stringify(value)));

  test('parsing gives the value back', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  test('the order in which keys were set does not show', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('keys are sorted at each depth', () => {
    // A letter in front, since a parsed object lists integer-like keys first whatever the text says.
    const lettered = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(
          fc.string({ unit: 'binary' }).map((key) => `k${key}`),
          tie('value'),
        ),
      ),
    })).value;
    fc.assert(fc.property(lettered, (value) => everyObject(JSON.parse(canonicalJson(value)), isSorted)));
  });
});

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function everyObject(value: unknown, holds: (value: object) => boolean): boolean {
  if (Array.isArray(value)) return value.every((item) => everyObject(item, holds));
  if (!isObject(value)) return true;
  return holds(value) && Object.values(value).every((member) => everyObject(member, holds));
}

function isSorted(value: object): boolean {
  const keys = Object.keys(value);
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
}
