import { describe, expect, test } from 'vitest';
import { idempotencyKey, ownRequestId } from './requestReader.ts';

describe('the Idempotency-Key header', () => {
  test.each(['k', 'order-1042 #3', 'k'.repeat(255)])('takes %j', (key) => {
    expect(idempotencyKey(key, 255)).toEqual({ ok: true, value: key });
  });

  test.each([
    [undefined, 255, 'missing', 'Field required'],
    ['', 255, 'string_too_short', 'String should have at least 1 character'],
    ['k'.repeat(256), 255, 'string_too_long', 'String should have at most 255 characters'],
    ['k'.repeat(253), 252, 'string_too_long', 'String should have at most 252 characters'],
    ['a\0', 255, 'value_error', 'Value error, the key contains a character that cannot be stored'],
    ['\ud800', 255, 'value_error', 'Value error, the key contains a character that cannot be stored'],
  ])('refuses %j with at most %i characters as %s', (key, max, type, msg) => {
    expect(idempotencyKey(key, max)).toEqual({
      ok: false,
      faults: [{ type, loc: ['header', 'Idempotency-Key'], msg, input: null }],
    });
  });

  /** As Node hands over the bytes of a header. */
  const asBytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('latin1');

  test('is read as UTF-8, and counted in characters', () => {
    expect(idempotencyKey(asBytes('ключ', 'utf8'), 4)).toEqual({ ok: true, value: 'ключ' });
    expect(idempotencyKey(asBytes('🎁'.repeat(255), 'utf8'), 255)).toMatchObject({ ok: true });
    expect(idempotencyKey(asBytes('ключи', 'utf8'), 4)).toMatchObject({
      faults: [{ type: 'string_too_long' }],
    });
  });

  test('that is not UTF-8 is taken as it is, unless it holds an encoded surrogate', () => {
    expect(idempotencyKey(asBytes('Schlüssel', 'latin1'), 9)).toEqual({ ok: true, value: 'Schlüssel' });
    expect(idempotencyKey('\u00ed\u00a0\u0080', 255)).toMatchObject({ faults: [{ type: 'value_error' }] });
  });

  test('sent twice is one key, as HTTP joins headers', () => {
    expect(idempotencyKey(['a', 'b'], 255)).toEqual({ ok: true, value: 'a, b' });
  });
});

describe('the X-Request-Id header', () => {
  test.each(['a', 'A-1.b_2', 'x'.repeat(128)])('is repeated when it is %j', (id) => {
    expect(ownRequestId(id)).toBe(id);
  });

  test.each([undefined, '', 'x'.repeat(129), 'a b', 'a\n', 'é', ['a', 'b']])('is not when it is %j', (id) => {
    expect(ownRequestId(id)).toBeNull();
  });
});
