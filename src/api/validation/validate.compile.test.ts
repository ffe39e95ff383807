import { describe, expect, test } from 'vitest';
import {
  Anything,
  Bool,
  DateTime,
  Formatted,
  FutureDateTime,
  Int,
  List,
  Num,
  type Schema,
  Shape,
  Text,
  WithDefault,
} from '../../contract/schema.ts';
import { DAY } from '../../kit/clock.ts';
import { compile } from './validate.ts';

/** A schema with keywords that the vocabulary does not give it. */
const withKeywords = (schema: Schema, keywords: Record<string, unknown>): Schema => ({
  ...schema,
  ...keywords,
});

describe('a shape that could not be checked in full does not compile', () => {
  test.each<[what: string, schema: Schema, complaint: string]>([
    [
      'an unknown keyword',
      withKeywords(Text(), { contentEncoding: 'base64' }),
      'contentEncoding, which nothing checks',
    ],
    ['an unknown format', Formatted('ipv6'), 'format ipv6, which nothing checks'],
    ['a format of dates with a length', withKeywords(DateTime(), { maxLength: 5 }), 'maxLength'],
    ['a keyword of another type', withKeywords(Int(), { maxLength: 5 }), 'maxLength, which nothing checks'],
    ['a bound that is not checked', withKeywords(Int(), { exclusiveMinimum: 5 }), 'exclusiveMinimum'],
    ['a number', Num(), 'type number, which nothing checks'],
    ['unique items', withKeywords(List(Text()), { uniqueItems: true }), 'uniqueItems'],
    ['a pattern that may backtrack', withKeywords(Text(), { pattern: '^(a+)+$' }), 'linear'],
    ['a pattern that may look anywhere', withKeywords(Text(), { pattern: '[a-z]+x' }), 'linear'],
    ['a union of several things', { anyOf: [Text(), Int()] }, 'else than one thing and null'],
    ['a union of more than one thing and null', { anyOf: [Text(), { type: 'null' }, Int()] }, 'one thing'],
    ['a literal', withKeywords(Anything(), { const: 'a' }), 'const, which nothing checks'],
    [
      'closed objects',
      withKeywords(Shape({}), { additionalProperties: false }),
      'additionalProperties, which nothing checks',
    ],
    ['an inherited name', Shape({ constructor: Text() }), 'objects inherit'],
    ['a default that is wrong', Shape({ x: WithDefault(Text({ max: 1 }), 'ab') }), 'refuse itself'],
    ['a default of no field', List(WithDefault(Bool(), true)), 'default, which nothing checks'],
    ['a moment in the future without a clock', FutureDateTime({ within: DAY }), 'needs a clock'],
    ['a mistake far inside', Shape({ a: List(Shape({ b: Num() })) }), '$.a[].b'],
  ])('%s', (_what, schema, complaint) => {
    expect(() => compile(schema)).toThrow(complaint);
  });
});
