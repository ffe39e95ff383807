import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_DEPTH, MAX_MEMBERS, parseJson } from './parseJson.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',');

describe('a body that is JSON', () => {
  test('is the value it says', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test('may start with a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  test('may repeat a name, of which the last counts', () => {
    expect(parse('{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } });
  });

  test('may hold huge numbers', () => {
    expect(parse(`[1e400,-1e400,${'9'.repeat(1_000)}]`)).toMatchObject({ ok: true });
  });

  test('cannot reach a prototype', () => {
    const parsed = parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
    const value = parsed.ok ? parsed.value : null;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).not.toHaveProperty('admin');
    expect({}).not.toHaveProperty('admin');
  });

  test('may be as deep and as wide as the limits, and brackets and commas within texts do not count', () => {
    expect(parse('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(parse(`{${members(MAX_MEMBERS)}}`).ok).toBe(true);
    expect(parse(JSON.stringify({ text: '[{",\\"'.repeat(MAX_MEMBERS) })).ok).toBe(true);
    expect(parse(`[${'[],{},'.repeat(1_000)}0]`).ok).toBe(true);
  });
});

describe('a body that is missing or no JSON', () => {
  test('is missing when it is empty', () => {
    expect(parse('')).toEqual({
      ok: false,
      faults: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    });
  });

  test.each([
    ['{"a": 1,}', 8, 'a name in double quotes'],
    ['  ', 2, 'a value'],
    ['{"🎁": x}', 6, 'a value'],
    ['{"a": 1} x', 9, 'the end'],
    ['"a\nb"', 2, 'a closing quote'],
  ])('%j is told where it stops being JSON', (text, position, expected) => {
    const msg = `Invalid JSON: expected ${expected} at position ${position}`;
    expect(parse(text)).toEqual({
      ok: false,
      faults: [{ type: 'json_invalid', loc: ['body', position], msg, input: null }],
    });
  });
});

describe('a body that is not UTF-8', () => {
  const latin1 = (text: string) => parseJson(Buffer.from(text, 'latin1'));

  test('names the fields that are to blame', () => {
    const parsed = latin1('{"subject":"Caf\xe9","body":"plain","tags":["ok","\xff"]}');
    expect(parsed).toMatchObject({
      ok: false,
      faults: [
        { type: 'value_error', loc: ['body', 'subject'] },
        { type: 'value_error', loc: ['body', 'tags', 1] },
      ],
    });
  });

  test('is refused where no field is to blame, too', () => {
    expect(latin1('{"a":1}\xff')).toMatchObject({ faults: [{ type: 'json_invalid', loc: ['body', 7] }] });
    expect(latin1('{"a":"\xff","a":"fine"}')).toMatchObject({
      faults: [{ type: 'json_invalid', loc: ['body', 6], msg: 'Invalid JSON: not UTF-8' }],
    });
  });

  test('is refused however many bytes are wrong', () => {
    expect(latin1(`["${'\xff'.repeat(100_000)}"]`)).toMatchObject({
      ok: false,
      faults: [{ loc: ['body', 0] }],
    });
  });

  test('counts surrogates that were encoded one by one', () => {
    const parsed = parseJson(Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]));
    expect(parsed).toMatchObject({ ok: false, faults: [{ type: 'value_error', loc: ['body', 0] }] });
  });
});

describe('a body made to exhaust us is refused at once', () => {
  /** It takes about 10 ms; the rest is for busy machines. */
  const AT_ONCE_MS = 1_000;

  test.each([
    ['100,000 open brackets', '['.repeat(100_000), 'nested more than 32 levels deep'],
    ['100,000 nested objects', '{"a":'.repeat(100_000), 'nested more than 32 levels deep'],
    [
      '100,000 nested lists, closed',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'nested more than 32 levels deep',
    ],
    ['a million members', `{${members(1_000_000)}}`, 'more than 50000 members'],
    ['a million items', `[${'0,'.repeat(1_000_000)}0]`, 'more than 50000 members'],
    ['a million empty lists', `[${'[]'.repeat(1_000_000)}]`, 'more than 50000 members'],
  ])('%s', (_what, text, why) => {
    const bytes = Buffer.from(text);
    const start = performance.now();
    const parsed = parseJson(bytes);
    expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
    expect(parsed).toMatchObject({
      ok: false,
      faults: [{ type: 'json_invalid', msg: `Invalid JSON: ${why}` }],
    });
  });
});
