import { expect, test } from 'vitest';
import {
  Component,
  Email,
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
  WithDefault,
} from '../../contract/schema.ts';
import { asField, fieldsOf, resolver } from './fields.ts';

const resolve = resolver({});
const told = (schema: unknown) => {
  const { type, rules } = asField('field', schema, false, resolve);
  return [type, ...rules];
};

test.each([
  [Text({ max: 300, blank: false }), ['string', '1 to 300 characters', 'not blank']],
  [Text({ max: 1 }), ['string', 'at most 1 character']],
  [Text({ min: 2 }), ['string', 'at least 2 characters']],
  [Email(), ['string', 'an email address']],
  [Reference({ max: 64 }), ['string', '1 to 64 characters', 'matches `^[A-Za-z0-9#_./-]+$`']],
  [{ type: 'string', pattern: `^${'[a-z]|'.repeat(20)}$` }, ['string']],
  [Nullable(Int({ min: 5, max: 10_080 })), ['integer or null', '5 to 10,080']],
  [
    Nullable(FutureDateTime({ within: 86_400_000 })),
    ['date-time or null', 'in the future, at most 1 day ahead'],
  ],
  [OneOf(['a', 'b']), ['string', 'one of `a`, `b`']],
  [
    List(Text({ max: 64 }), { max: 100 }),
    ['list of string', 'at most 100 items', 'each at most 64 characters'],
  ],
  [
    WithDefault(OneOf(['one_off', 'updateable']), 'one_off'),
    ['string', 'one of `one_off`, `updateable`', '`one_off` unless set'],
  ],
  [WithDefault(List(Text()), []), ['list of string', 'empty unless set']],
  [{}, ['anything']],
])('the rules of a field, in words: %#', (schema, words) => {
  expect(told(schema)).toEqual(words);
});

test('the fields within a field are told, through a list, a null and a reference', () => {
  const inner = Component('Inner', { source: Text('Where.') });
  const document = { components: { schemas: { Inner: inner } } };
  const reference = { $ref: '#/components/schemas/Inner' };
  const shape = {
    type: 'object',
    required: ['many'],
    properties: { many: Nullable(List(inner)), one: reference },
  };
  const fields = fieldsOf(shape, resolver(document));
  expect(fields.map(({ name, required, type }) => [name, required, type])).toEqual([
    ['many', true, 'list of object or null'],
    ['one', false, 'object'],
  ]);
  for (const { fields: within } of fields) {
    expect(within.map(({ name, description }) => [name, description])).toEqual([['source', 'Where.']]);
  }
});

test('a field to which more values may come shows those so far, also within a list', () => {
  const known = (schema: unknown) => asField('field', schema, false, resolve).known;
  expect(known(Nullable(KnownWord(['no_phone', 'stopped'])))).toEqual(['`no_phone`', '`stopped`']);
  expect(known(List(KnownWord(['ping'])))).toEqual(['`ping`']);
  expect(known(OneOf(['a', 'b']))).toEqual([]);
});

test('a shape that contains itself comes to an end', () => {
  const document = {
    components: {
      schemas: { Loop: { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' } } } },
    },
  };
  expect(
    JSON.stringify(fieldsOf({ $ref: '#/components/schemas/Loop' }, resolver(document))).length,
  ).toBeLessThan(5_000);
});

test('optional fields are not marked as required', () => {
  const [must, may] = fieldsOf(Shape({ must: Text(), may: Optional(Text()) }), resolve);
  expect([must?.required, may?.required]).toEqual([true, false]);
});
