import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFromMailgun, parseMailgunCallback } from './callback.ts';

const KEY = 'mg-signing-key-0123456789abcdef';
const SIGNED_AT = 1_794_986_127;
const now = new Date(SIGNED_AT * 1_000);
const signature = {
  timestamp: String(SIGNED_AT),
  token: 'd1d4c3f0a0b14e1aa7b0c9e2f3a4b5c6d7e8f90123456789ab',
  signature: 'd93c830cc486b7882e07a1c5fe9b269f347e81ed52836d4a8ad4531bd4a139b2',
};

const webhook = (event: string, more: Record<string, unknown> = {}) => ({
  signature,
  'event-data': { event, 'user-variables': { waypost_reference: 'b-s' }, ...more },
});

/** The report in a few words; null: none that concerns us. */
function parsed(body: unknown): string | null {
  const { reports, ignored } = parseMailgunCallback(body);
  const [report] = reports;
  if (!report) return ignored === 1 ? null : 'nothing at all';
  return [report.status, report.errorCode, report.permanent && 'for good'].filter(Boolean).join(', ');
}

test.each<[string, string | null]>([
  ['delivered', 'delivered'],
  ['rejected', 'failed, mailgun_rejected'],
  ['complained', 'complained'],
  ['unsubscribed', 'complained'],
  ['accepted', null],
  ['opened', null],
  ['clicked', null],
  ['something-new', null],
])('%s', (event, expected) => expect(parsed(webhook(event))).toBe(expected));

test.each<[string, Record<string, unknown>, string | null]>([
  ['permanent', { code: 550, 'enhanced-code': '5.1.1' }, 'bounced, mailgun_550, for good'],
  ['permanent', { code: '550', 'enhanced-code': '5.1.10' }, 'bounced, mailgun_550, for good'],
  ['permanent', { code: 605, 'enhanced-code': '' }, 'bounced, mailgun_605, for good'],
  ['permanent', { code: 552, 'enhanced-code': '5.2.2' }, 'bounced, mailgun_552'],
  // About the sender, not the recipient.
  ['permanent', { code: 553, 'enhanced-code': '5.1.8' }, 'bounced, mailgun_553'],
  ['permanent', { code: 'ann@example.com' }, 'bounced, mailgun_failed'],
  ['permanent', {}, 'bounced, mailgun_failed'],
  ['temporary', { code: 450, 'enhanced-code': '4.2.2' }, null],
])('failed, %s, %j', (severity, status, expected) =>
  expect(parsed(webhook('failed', { severity, 'delivery-status': status }))).toBe(expected),
);

test('the token is the id of the report, which names our send', () => {
  expect(parseMailgunCallback(webhook('delivered')).reports).toMatchObject([
    { provider: 'mailgun', reportId: signature.token, reference: 'b-s' },
  ]);
});

test('nothing is too strange to be read', () => {
  const body = fc.oneof(fc.anything(), fc.record({ signature: fc.anything(), 'event-data': fc.anything() }));
  fc.assert(
    fc.property(body, (value) => {
      expect(parsed(value)).toBeNull();
      expect(isFromMailgun(KEY, value, now)).toBe(false);
    }),
  );
});

const genuine = (change: Record<string, unknown> = {}, { key = KEY, at = now } = {}) =>
  isFromMailgun(key, { signature: { ...signature, ...change } }, at);

/** Signed at another time. */
function signedAt(timestamp: string): Record<string, string> {
  const hmac = createHmac('sha256', KEY).update(timestamp + signature.token);
  return { timestamp, signature: hmac.digest('hex') };
}

test('the worked example', () => {
  expect(genuine()).toBe(true);
  expect(genuine({ timestamp: SIGNED_AT })).toBe(true);
});

describe('nothing of it can be changed', () => {
  test.each<[string, Record<string, unknown>]>([
    ['the token', { token: `${signature.token}0` }],
    ['no token', { token: undefined }],
    ['an empty token', { token: '' }],
    ['the time', { timestamp: String(SIGNED_AT + 1) }],
    ['no time', { timestamp: undefined }],
    ['the signature', { signature: signature.signature.replace(/^d/, 'e') }],
    ['half of the signature', { signature: signature.signature.slice(0, 32) }],
    ['no signature', { signature: undefined }],
    ['a list', { signature: [signature.signature] }],
  ])('%s', (_what, change) => expect(genuine(change)).toBe(false));

  test('the key', () => expect(genuine({}, { key: `${KEY}0` })).toBe(false));

  test.each([-1, 1])(
    'a digit moved between time and token (%i), which would make a second token of one signature',
    (by) => {
      const text = '1794986127' + '123';
      const sign = createHmac('sha256', KEY).update(text).digest('hex');
      const split = (at: number, when: Date) =>
        genuine({ timestamp: text.slice(0, at), token: text.slice(at), signature: sign }, { at: when });
      expect(split(10, now)).toBe(true);
      expect(split(10 + by, new Date(Number(text.slice(0, 10 + by)) * 1_000))).toBe(false);
    },
  );
});

describe('its age', () => {
  const HOURS = 3_600_000;
  test.each([-0.08, 0, 1, 7.5, 8])('%d hours later it counts', (hours) =>
    expect(genuine({}, { at: new Date(now.getTime() + hours * HOURS) })).toBe(true),
  );
  test.each([-0.1, 8.1, 24, 24 * 365])('%d hours later it does not', (hours) =>
    expect(genuine({}, { at: new Date(now.getTime() + hours * HOURS) })).toBe(false),
  );
  test.each(['', '0', '-1', '1794986127.5', ' 1794986127', '17949861270', '1e9'])(
    'a time that is none: %j',
    (timestamp) => expect(genuine(signedAt(timestamp))).toBe(false),
  );
});
