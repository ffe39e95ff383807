import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RESPONSE_KEPT_BYTES, type ResponseHeaders, responseParts, responseText } from './responseText.ts';

const textOf = (headers: ResponseHeaders, body: string | Buffer = ''): string =>
  responseText({ headers, body: Buffer.from(body) });

test('is the headers, a blank line and the body', () => {
  const headers = { 'content-type': 'text/html', date: 'Thu', 'x-a': ['1', '2'] };
  expect(textOf(headers, '<b>No</b>\n')).toBe(
    'content-type: text/html\ndate: Thu\nx-a: 1\nx-a: 2\n\n<b>No</b>\n',
  );
  expect(textOf({}, 'No')).toBe('\n\nNo');
});

test.each([
  ['NUL and other control characters', Buffer.from('a\0b\u001b[1mc\r\n\td'), 'ab[1mc\r\n\td'],
  ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
  ['a character that the cut divides', Buffer.from('aõ').subarray(0, 2), 'a'],
])('a body with %s becomes text', (_, body, text) => {
  expect(responseParts(textOf({}, body)).body).toBe(text);
});

test.each(['set-cookie', 'Authorization', 'x-api-key', 'www-authenticate', 'x-csrf-token', 'X-Session-Id'])(
  'the value of %s is left out',
  (name) => {
    expect(textOf({ [name]: 'hunter2' })).toBe(`${name}: (left out)\n\n`);
  },
);

test('a flood of headers is cut, and a compressed body is left out', () => {
  const flood = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'v'.repeat(9_000)]));
  const { headers } = responseParts(textOf(flood));
  expect(headers.split('\n')).toHaveLength(20);
  expect(headers.length).toBeLessThan(20 * 270);
  expect(textOf({ 'content-encoding': 'gzip' }, 'bytes')).toBe('content-encoding: gzip\n\n');
});

test('whatever comes, both parts are found again, and the database can store them', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 30 }),
      fc.uint8Array({ maxLength: RESPONSE_KEPT_BYTES }),
      (headers, body) => {
        const text = textOf(headers, Buffer.from(body));
        expect(text).not.toContain('\0');
        const parts = responseParts(text);
        expect(parts.headers.split('\n').length).toBe(Math.max(1, Math.min(20, Object.keys(headers).length)));
        expect(parts.body.length).toBeLessThanOrEqual(RESPONSE_KEPT_BYTES);
      },
    ),
  );
});
