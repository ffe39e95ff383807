import { describe, expect, test } from 'vitest';
import { Anything, Email, List, Optional, Reference, Shape, Text } from '../../contract/schema.ts';
import { idempotencyKey } from '../requestReader.ts';
import { refusal } from './checked.ts';
import { readBody } from './parseJson.ts';
import { decodeUrlText } from './urlText.ts';
import { compile } from './validate.ts';

const push = compile(
  Shape({
    recipient_email: Email(),
    subject: Text({ max: 300 }),
    reference: Optional(Reference({ max: 64 })),
  }),
);
const batch = compile(Shape({ items: List(Anything(), { min: 1, max: 100 }) }), { uncheckedField: 'items' });
const read = (text: string) => readBody(Buffer.from(text), push);
const places = (checked: ReturnType<typeof read>) =>
  checked.ok ? [] : checked.faults.map(({ type, loc }) => `${type} ${loc.join('.')}`);

describe('a request body', () => {
  test('is the value of its shape', () => {
    expect(read('{"recipient_email":"Jane@Shop.Test","subject":"Shipped","more":1}')).toEqual({
      ok: true,
      value: { recipient_email: 'jane@shop.test', subject: 'Shipped' },
    });
  });

  test.each(['null', '5', '"text"', '[]', 'true'])('%s is JSON but no object', (text) => {
    expect(read(text)).toMatchObject({
      faults: [{ type: 'dict_type', loc: ['body'], input: JSON.parse(text) }],
    });
  });

  test('with text that cannot be stored says so, in unknown fields and at any depth, along with its other faults', () => {
    const text = '{"recipient_email":"nobody","subject":"a\\u0000","x":[{"y":"\\ud800"}],"\\u0000":1}';
    expect(places(read(text))).toEqual([
      'value_error body.subject',
      'value_error body.x.0.y',
      'value_error body.\0',
      'value_error body.recipient_email',
    ]);
  });

  test('has one fault for a field whose text cannot be stored, whatever else is wrong with it', () => {
    const text = '{"recipient_email":"a\\u0000@shop.test","subject":"fine","reference":"\\ud800 "}';
    expect(places(read(text))).toEqual(['value_error body.recipient_email', 'value_error body.reference']);
  });

  test('is refused together with the header of the same request', () => {
    const key = idempotencyKey(undefined, 255);
    expect(refusal(key, read('{"subject":5}'))).toMatchObject({
      code: 'common.validation_failed',
      detail: [
        { type: 'missing', loc: ['header', 'Idempotency-Key'], input: null },
        { type: 'missing', loc: ['body', 'recipient_email'] },
        { type: 'string_type', loc: ['body', 'subject'] },
      ],
    });
  });
});

describe('a batch', () => {
  const readBatch = (text: string) => readBody(Buffer.from(text), batch);

  test('passes with items that are wrong, which then fail alone', () => {
    const checked = readBatch(
      '{"items":[{"recipient_email":"a@shop.test","subject":"x"},{"subject":"\\u0000"},5]}',
    );
    const items = checked.ok ? checked.value.items.map((item) => push(item, [])) : [];
    expect(items.map(places)).toEqual([
      [],
      ['value_error subject', 'missing recipient_email'],
      ['dict_type '],
    ]);
  });

  test.each([
    ['{}', 'missing'],
    ['{"items":{}}', 'list_type'],
    ['{"items":[]}', 'too_short'],
    [`{"items":[${'0,'.repeat(100)}0]}`, 'too_long'],
    ['{"items":[{}],"note":"\\u0000"}', 'value_error'],
    ['[]', 'dict_type'],
  ])('is refused as a whole when it is %.40s', (text, type) => {
    expect(readBatch(text)).toMatchObject({ ok: false, faults: [{ type }] });
  });

  test('may have a hundred pushes with every list full', () => {
    const item = {
      obsoletes: Array(100).fill('x'.repeat(64)),
      channels: ['email', 'sms', 'whatsapp'],
      more: Array(300).fill(0),
    };
    expect(readBatch(JSON.stringify({ items: Array(100).fill(item) })).ok).toBe(true);
  });
});

describe('a path parameter', () => {
  const params = compile(Shape({ email: Email() }));
  const check = (raw: string) => params({ email: decodeUrlText(raw) }, ['path']);

  test('is validated and normalised like the field of a push', () => {
    expect(check('%20Jane%40Shop.Test')).toEqual({ ok: true, value: { email: 'jane@shop.test' } });
  });

  test.each(['%20', 'nobody', 'a%00@shop.test', 'caf%e9@shop.test'])('%s is a value_error', (raw) => {
    expect(check(raw)).toMatchObject({ faults: [{ type: 'value_error', loc: ['path', 'email'] }] });
  });
});
