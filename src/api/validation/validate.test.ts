import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  Anything,
  Bool,
  DateTime,
  Email,
  Formatted,
  FutureDateTime,
  Int,
  List,
  Nullable,
  OneOf,
  Optional,
  Reference,
  type Schema,
  Shape,
  Text,
  WithDefault,
} from '../../contract/schema.ts';
import { type Clock, DAY } from '../../kit/clock.ts';
import type { FaultType } from '../../kit/errors.ts';
import type { Format } from './strings.ts';
import { compile } from './validate.ts';

const clock: Clock = { now: () => new Date('2026-08-20T09:15:00.000Z') };
const channels = OneOf(['email', 'sms', 'whatsapp']);
const sendAt = FutureDateTime({ within: 90 * DAY });

/** A format that an operation brings along: what it stands for is its length. */
const even: Format = (text) =>
  text.length % 2 === 0
    ? { ok: true, value: text.length }
    : { ok: false, fault: `it has ${text.length} characters` };
const options = { clock, formats: { even } };

/** What a caller is told of `value` in the field `x`: type and message of each fault. */
function told(schema: Schema, value: unknown): string[] {
  const checked = compile(Shape({ x: schema }), options)({ x: value }, ['body']);
  return checked.ok ? [] : checked.faults.map((fault) => `${fault.type} ${fault.msg}`);
}

const refusals: [schema: Schema, value: unknown, type: FaultType, msg: string][] = [
  [Text(), 5, 'string_type', 'Input should be a valid string'],
  [Text(), null, 'string_type', 'Input should be a valid string'],
  [Text({ max: 300 }), 'a'.repeat(301), 'string_too_long', 'String should have at most 300 characters'],
  [Text({ max: 1 }), 'ab', 'string_too_long', 'String should have at most 1 character'],
  [Text({ max: 3 }), '🎁🎁🎁🎁', 'string_too_long', 'String should have at most 3 characters'],
  [Text({ min: 2 }), 'a', 'string_too_short', 'String should have at least 2 characters'],
  [Text({ min: 2 }), '🎁', 'string_too_short', 'String should have at least 2 characters'],
  [Text({ blank: false }), '', 'string_too_short', 'String should have at least 1 character'],
  [Text({ blank: false }), ' \t\u00a0\n', 'string_too_short', 'String should have at least 1 character'],
  [
    Reference({ max: 64 }),
    'A 1',
    'string_pattern_mismatch',
    "String should match pattern '^[A-Za-z0-9#_./-]+$'",
  ],
  [
    Reference({ max: 64 }),
    'A1\n',
    'string_pattern_mismatch',
    "String should match pattern '^[A-Za-z0-9#_./-]+$'",
  ],
  [
    Reference({ max: 64 }),
    'Ä1',
    'string_pattern_mismatch',
    "String should match pattern '^[A-Za-z0-9#_./-]+$'",
  ],
  [Reference({ max: 64 }), '1'.repeat(65), 'string_too_long', 'String should have at most 64 characters'],
  [Reference({ max: 64 }), '', 'string_too_short', 'String should have at least 1 character'],
  [Email(), 'nobody', 'value_error', 'value is not a valid email address'],
  [Email(), ' ', 'value_error', 'value is not a valid email address'],
  [Email(), 5, 'string_type', 'Input should be a valid string'],
  [Formatted('even'), 'odd', 'value_error', 'Value error, it has 3 characters'],
  [Formatted('even', { max: 4 }), 'longer', 'string_too_long', 'String should have at most 4 characters'],
  [Formatted('even'), 5, 'string_type', 'Input should be a valid string'],
  [Int({ min: 5, max: 10_080 }), 4, 'greater_than_equal', 'Input should be greater than or equal to 5'],
  [Int({ min: 5, max: 10_080 }), 10_081, 'less_than_equal', 'Input should be less than or equal to 10080'],
  [Int({ min: 5, max: 10_080 }), 1e300, 'less_than_equal', 'Input should be less than or equal to 10080'],
  [Int(), 5.5, 'int_type', 'Input should be a valid integer'],
  [Int(), '5', 'int_type', 'Input should be a valid integer'],
  [Int(), true, 'int_type', 'Input should be a valid integer'],
  [Int(), Number.POSITIVE_INFINITY, 'int_type', 'Input should be a valid integer'],
  [Bool(), 'true', 'bool_type', 'Input should be a valid boolean'],
  [Bool(), 1, 'bool_type', 'Input should be a valid boolean'],
  [Bool(), null, 'bool_type', 'Input should be a valid boolean'],
  [List(Text()), 'a', 'list_type', 'Input should be a valid list'],
  [List(Text()), { 0: 'a' }, 'list_type', 'Input should be a valid list'],
  [List(Text()), null, 'list_type', 'Input should be a valid list'],
  [
    List(Text(), { max: 100 }),
    Array(101).fill(5),
    'too_long',
    'List should have at most 100 items after validation, not 101',
  ],
  [List(Text(), { max: 1 }), ['', ''], 'too_long', 'List should have at most 1 item after validation, not 2'],
  [List(Text(), { min: 1 }), [], 'too_short', 'List should have at least 1 item after validation, not 0'],
  [Shape({}), true, 'dict_type', 'Input should be a valid dictionary'],
  [Shape({}), [], 'dict_type', 'Input should be a valid dictionary'],
  [Shape({}), null, 'dict_type', 'Input should be a valid dictionary'],
  [OneOf(['one_off', 'updateable']), 'other', 'enum', "Input should be 'one_off' or 'updateable'"],
  [OneOf(['one_off', 'updateable']), null, 'enum', "Input should be 'one_off' or 'updateable'"],
  [channels, 5, 'enum', "Input should be 'email', 'sms' or 'whatsapp'"],
  [OneOf(['ping']), 'pong', 'enum', "Input should be 'ping'"],
  [Nullable(channels), 'post', 'enum', "Input should be 'email', 'sms' or 'whatsapp'"],
  [DateTime(), 1_787_217_300, 'datetime_type', 'Input should be a valid datetime'],
  [DateTime(), '2026-08-20T09:15:00', 'timezone_aware', 'Input should have timezone info'],
  [
    DateTime(),
    'tomorrow',
    'datetime_parsing',
    'Input should be a valid datetime, expected RFC 3339 such as 2026-08-20T09:15:00Z',
  ],
  [sendAt, '2026-08-20T09:15:00Z', 'value_error', 'Value error, must be in the future'],
  [sendAt, '2026-11-18T09:15:00.001Z', 'value_error', 'Value error, must be at most 90 days from now'],
];

test.each(refusals)('%# %j refuses %j as %s', (schema, value, type, msg) => {
  expect(told(schema, value)).toEqual([`${type} ${msg}`]);
});

test.each<[schema: Schema, value: unknown, result?: unknown]>([
  [Text(), ''],
  [Text({ max: 3 }), '🎁🎁🎁'],
  [Text({ min: 2 }), '🎁🎁'],
  [Text({ blank: false }), ' kept as sent '],
  [Reference({ max: 64 }), '#A-1_2/3.4'],
  [Email(), ' Jane.Doe@Shop.Example ', 'jane.doe@shop.example'],
  [Formatted('even'), 'four', 4],
  [Int({ min: 5, max: 10 }), 5],
  [Int({ min: 5, max: 10 }), 10],
  [Bool(), false],
  [List(channels), []],
  [List(channels), ['sms', 'sms', 'email']],
  [Nullable(List(channels)), null],
  [Nullable(Text()), ''],
  [Nullable(OneOf(['a', 'b'])), null],
  [OneOf(['a']), 'a'],
  [DateTime(), '2026-08-20T11:15:00+02:00', new Date('2026-08-20T09:15:00Z')],
  [sendAt, '2026-08-20T09:15:00.001Z', new Date('2026-08-20T09:15:00.001Z')],
  [sendAt, '2026-11-18T09:15:00Z', new Date('2026-11-18T09:15:00Z')],
  [Anything(), { any: ['thing', null] }],
])('%# %j takes %j', (schema, value, result = value) => {
  const checked = compile(Shape({ x: schema }), options)({ x: value }, ['body']);
  expect(checked).toEqual({ ok: true, value: { x: result } });
});

describe('a request with several mistakes', () => {
  const validate = compile(
    Shape({
      recipient_email: Email(),
      subject: Text({ max: 300, blank: false }),
      channels: Optional(Nullable(List(channels))),
      whatsapp_opt_in: Optional(Nullable(Shape({ source: Text({ max: 200, blank: false }) }))),
    }),
  );

  test('is told all of them together, each with its place and the offending value', () => {
    const body = { subject: ' ', channels: ['sms', 'post', 5], whatsapp_opt_in: { sauce: 'shop' } };
    const checked = validate(body, ['body']);
    expect(checked.ok ? [] : checked.faults).toEqual([
      { type: 'missing', loc: ['body', 'recipient_email'], msg: 'Field required', input: body },
      expect.objectContaining({ type: 'string_too_short', loc: ['body', 'subject'], input: ' ' }),
      expect.objectContaining({ type: 'enum', loc: ['body', 'channels', 1], input: 'post' }),
      expect.objectContaining({ type: 'enum', loc: ['body', 'channels', 2], input: 5 }),
      {
        type: 'missing',
        loc: ['body', 'whatsapp_opt_in', 'source'],
        msg: 'Field required',
        input: { sauce: 'shop' },
      },
    ]);
  });

  test('is not told more than a hundred of them', () => {
    const checked = validate({ channels: Array(5_000).fill('post') }, ['body']);
    expect(checked.ok ? [] : checked.faults).toHaveLength(100);
  });

  test('is not sent back what is larger than 16 KiB', () => {
    const checked = validate({ recipient_email: 'a@shop.test', subject: 'x'.repeat(20_000) }, ['body']);
    expect(checked).toMatchObject({ faults: [{ type: 'string_too_long', input: null }] });
  });
});

describe('the validated value', () => {
  const shape = Shape({
    kind: WithDefault(OneOf(['one_off', 'updateable']), 'one_off'),
    obsoletes: WithDefault(List(Text()), []),
    notify: Optional(Nullable(Bool())),
    send_at: Optional(Nullable(DateTime())),
  });
  const validate = compile(shape);

  test('has the type that the shape says', () => {
    const checked = validate({}, ['body']);
    if (!checked.ok) throw new Error('refused');
    expectTypeOf(checked.value).toEqualTypeOf<{
      kind: 'one_off' | 'updateable';
      obsoletes: string[];
      notify?: boolean | null;
      send_at?: Date | null;
    }>();
  });

  test('has defaults for what was left out, and nothing for the rest', () => {
    expect(validate({}, ['body'])).toStrictEqual({ ok: true, value: { kind: 'one_off', obsoletes: [] } });
  });

  test('keeps null where null may be said', () => {
    expect(validate({ notify: null }, ['body'])).toMatchObject({ ok: true, value: { notify: null } });
  });

  test('does not share a default list with the next request', () => {
    const [first, second] = [validate({}, ['body']), validate({}, ['body'])];
    if (first.ok) first.value.obsoletes.push('x');
    expect(second).toMatchObject({ value: { obsoletes: [] } });
  });

  test('holds known fields only, and an ordinary prototype whatever the caller named its fields', () => {
    const body: unknown = JSON.parse(
      '{"__proto__": {"kind": "updateable", "notify": true}, "constructor": 1, "other": 2}',
    );
    const checked = validate(body, ['body']);
    const value = checked.ok ? checked.value : null;
    expect(value).toStrictEqual({ kind: 'one_off', obsoletes: [] });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('a query', () => {
  const validate = compile(Shape({ limit: WithDefault(Int(), 50) }), { integers: 'text' });

  test.each(['x', '', '5.0', '5.5', ' 5', '+5', '0x5', '1_0', '٣', '1e3'])(
    'refuses %j as an integer',
    (limit) => {
      expect(validate({ limit }, ['query'])).toEqual({
        ok: false,
        faults: [
          {
            type: 'int_parsing',
            loc: ['query', 'limit'],
            msg: 'Input should be a valid integer, unable to parse string as an integer',
            input: limit,
          },
        ],
      });
    },
  );

  test.each([
    ['5', 5],
    ['-5', -5],
    ['0010', 10],
    ['9'.repeat(40), Number.MAX_SAFE_INTEGER],
  ])('reads %j as %j', (limit, number) => {
    expect(validate({ limit }, ['query'])).toEqual({ ok: true, value: { limit: number } });
  });

  test('takes the default when nothing is said', () => {
    expect(validate({}, ['query'])).toEqual({ ok: true, value: { limit: 50 } });
  });
});
