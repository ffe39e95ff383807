import Type, { type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { FutureDateTime, List, Shape, Text, WithDefault } from '../../contract/schema.ts';
import { DAY } from '../../kit/clock.ts';
import { compile } from './validate.ts';

describe('a shape that could not be checked in full does not compile', () => {
  test.each<[what: string, schema: TSchema, complaint: string]>([
    [
      'an unknown keyword',
      Type.String({ contentEncoding: 'base64' }),
      'contentEncoding, which nothing checks',
    ],
    ['an unknown format', Type.String({ format: 'ipv6' }), 'format ipv6, which nothing checks'],
    ['a format of dates with a length', Type.String({ format: 'date-time', maxLength: 5 }), 'maxLength'],
    ['a keyword of another type', Type.Integer({ maxLength: 5 }), 'maxLength, which nothing checks'],
    ['a bound that is not checked', Type.Integer({ exclusiveMinimum: 5 }), 'exclusiveMinimum'],
    ['a number', Type.Number(), 'type number, which nothing checks'],
    ['unique items', Type.Array(Type.String(), { uniqueItems: true }), 'uniqueItems'],
    ['a pattern that may backtrack', Type.String({ pattern: '^(a+)+$' }), 'linear'],
    ['a pattern that may look anywhere', Type.String({ pattern: '[a-z]+x' }), 'linear'],
    ['a pattern of another kind', Type.String({ pattern: /x/ }), 'wants a string for pattern'],
    ['a union of several things', Type.Union([Type.String(), Type.Integer()]), 'more than one thing'],
    ['a literal number', Type.Literal(5), 'wants a string for const'],
    ['an enum of numbers', Type.Enum([1, 2]), 'list of strings for enum'],
    ['closed objects', Type.Object({}, { additionalProperties: false }), 'unknown fields'],
    ['open objects with rules', Type.Object({}, { additionalProperties: Type.String() }), 'unknown fields'],
    ['records', Type.Record(Type.String(), Type.String()), 'properties'],
    ['an inherited name', Type.Object({ constructor: Type.String() }), 'objects inherit'],
    [
      'a default that is required',
      Shape({ x: Type.Boolean({ default: true }) }),
      'required and has a default',
    ],
    ['a default that is wrong', Shape({ x: WithDefault(Text({ max: 1 }), 'ab') }), 'refuse itself'],
    ['a moment in the future without a clock', FutureDateTime({ within: DAY }), 'needs a clock'],
    ['a mistake far inside', Shape({ a: List(Shape({ b: Type.Number() })) }), '$.a[].b'],
  ])('%s', (_what, schema, complaint) => {
    expect(() => compile(schema)).toThrow(complaint);
  });
});
