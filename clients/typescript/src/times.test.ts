import { expect, test } from 'vitest';
import { queryString } from './call.ts';
import { jsonText, timeText } from './times.ts';

const at = new Date('2026-08-20T09:15:00Z');
const none = new Date('soon');

test('a Date is sent as a time, at any depth, and everything else as it is', () => {
  expect(jsonText({ items: [{ send_at: at, subject: 'a', reference: null }] })).toBe(
    '{"items":[{"send_at":"2026-08-20T09:15:00.000Z","subject":"a","reference":null}]}',
  );
  expect(queryString({ created_after: at, types: ['ping', 'sms.failed'] })).toBe(
    '?created_after=2026-08-20T09%3A15%3A00.000Z&types=ping%2Csms.failed',
  );
  expect([timeText('to', at), timeText('to', 'as it is')]).toEqual(['2026-08-20T09:15:00.000Z', 'as it is']);
});

test('a Date that is not valid is a mistake, and never "now"', () => {
  const says = new TypeError('send_at is a Date that is not valid');
  expect(() => jsonText({ items: [{ send_at: none }] })).toThrow(says);
  expect(() => queryString({ send_at: none })).toThrow(says);
  expect(() => timeText('send_at', none)).toThrow(says);
});
