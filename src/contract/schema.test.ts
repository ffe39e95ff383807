import { expect, expectTypeOf, test } from 'vitest';
import { DAY } from '../kit/clock.ts';
import {
  Bool,
  DateTime,
  Email,
  Formatted,
  FutureDateTime,
  Int,
  KnownWord,
  List,
  Nullable,
  OneOf,
  Optional,
  Reference,
  Shape,
  Text,
  type ValueOf,
  WithDefault,
} from './schema.ts';

const description = 'What it is.';

/** The OpenAPI document shows these to merchants as they are. */
test.each([
  [
    Text({ max: 300, blank: false, description }),
    { type: 'string', minLength: 1, maxLength: 300, pattern: '\\S', description },
  ],
  [Text(), { type: 'string' }],
  [Email(), { type: 'string', format: 'email' }],
  [Formatted('uri', { max: 2048 }), { type: 'string', format: 'uri', maxLength: 2048 }],
  [Reference({ max: 64 }), { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9#_./-]+$' }],
  [DateTime({ description }), { type: 'string', format: 'date-time', description }],
  [KnownWord(['a', 'b'], 'Why.'), { type: 'string', 'x-known-values': ['a', 'b'], description: 'Why.' }],
  [FutureDateTime({ within: 90 * DAY }), { type: 'string', format: 'date-time', 'x-days-ahead-max': 90 }],
  [OneOf(['a', 'b'], { description }), { type: 'string', enum: ['a', 'b'], description }],
  [Int({ min: 5, max: 10_080 }), { type: 'integer', minimum: 5, maximum: 10_080 }],
  [Bool(), { type: 'boolean' }],
  [
    List(Bool(), { min: 1, max: 100 }),
    { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 100 },
  ],
  [Nullable(Bool(), { description }), { anyOf: [{ type: 'boolean' }, { type: 'null' }], description }],
  [
    Shape({ a: Bool(), b: Optional(Bool()), c: WithDefault(Bool(), false) }),
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'boolean' }, b: { type: 'boolean' }, c: { type: 'boolean', default: false } },
    },
  ],
])('%# %j', (schema, json) => {
  expect(JSON.parse(JSON.stringify(schema))).toEqual(json);
});

test('a shape gives its type', () => {
  const shape = Shape({
    email: Email(),
    at: Nullable(DateTime()),
    kind: WithDefault(OneOf(['one_off', 'updateable']), 'one_off'),
    count: Optional(Int()),
    names: List(Text()),
  });
  expectTypeOf<ValueOf<typeof shape>>().toEqualTypeOf<{
    email: string;
    at: Date | null;
    kind: 'one_off' | 'updateable';
    count?: number;
    names: string[];
  }>();
});
