import { describe, expect, test } from 'vitest';
import { isFromResend, parseResendCallback, type SvixHeaders } from './callback.ts';

function parsed(body: unknown): string | null {
  const [report] = parseResendCallback('msg_1', body).reports;
  return report ? report.status + (report.permanent ? ', for good' : '') : null;
}

const event = (type: string, data: Record<string, unknown> = {}) => ({
  type,
  data: { email_id: 're-1', tags: { waypost_reference: 'b-s' }, ...data },
});

test.each<[string, Record<string, unknown>, string | null]>([
  ['email.delivered', {}, 'delivered'],
  ['email.bounced', { bounce: { type: 'Permanent', subType: 'General' } }, 'bounced, for good'],
  ['email.bounced', { bounce: { type: 'Permanent', subType: 'Suppressed' } }, 'bounced, for good'],
  ['email.bounced', { bounce: { type: 'Transient', subType: 'MailboxFull' } }, 'bounced'],
  ['email.bounced', { bounce: { type: 'Undetermined' } }, 'bounced'],
  ['email.bounced', {}, 'bounced'],
  ['email.suppressed', { suppressed: { type: 'OnAccountSuppressionList' } }, 'bounced, for good'],
  ['email.complained', {}, 'complained'],
  ['email.failed', { failed: { reason: 'reached_daily_quota' } }, 'failed'],
  ['email.sent', {}, null],
  ['email.scheduled', {}, null],
  ['email.delivery_delayed', {}, null],
  ['email.opened', {}, null],
  ['email.clicked', {}, null],
  ['email.received', {}, null],
  ['domain.updated', {}, null],
])('%s %j', (type, data, expected) => expect(parsed(event(type, data))).toBe(expected));

test.each([
  [{ waypost_reference: 'b-s' }],
  [
    [
      { name: 'other', value: 'x' },
      { name: 'waypost_reference', value: 'b-s' },
    ],
  ],
])('our reference is found in the tags %j', (tags) => {
  expect(parseResendCallback('msg_1', event('email.delivered', { tags })).reports).toMatchObject([
    { provider: 'resend', reportId: 'msg_1', reference: 'b-s' },
  ]);
});

test.each([[undefined], [null], [[]], [{}], [{ type: 7 }]])('%j says nothing', (body) =>
  expect(parsed(body)).toBeNull(),
);

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = Buffer.from('{"test": 2432232314}');
const SIGNED_AT = 1_614_265_330;
const now = new Date(SIGNED_AT * 1_000);
const headers: SvixHeaders = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: String(SIGNED_AT),
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const genuine = (change: Partial<SvixHeaders> = {}, { body = BODY, secret = SECRET, at = now } = {}) =>
  isFromResend(secret, { ...headers, ...change }, body, at);

test('Svix’s worked example', () => expect(genuine()).toBe(true));

test('one good signature among several is enough', () => {
  expect(genuine({ signature: `v1,${'A'.repeat(43)}= v2,abc ${headers.signature}` })).toBe(true);
});

describe('nothing of it can be changed', () => {
  test.each<[string, Partial<SvixHeaders>]>([
    ['the id', { id: 'msg_p5jXN8AQM9LWM0D4loKWxJel' }],
    ['no id', { id: undefined }],
    ['the time', { timestamp: String(SIGNED_AT + 1) }],
    ['no time', { timestamp: undefined }],
    ['a time that is none', { timestamp: '1614265330.0' }],
    ['the signature', { signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OF=' }],
    ['its version', { signature: headers.signature?.replace('v1,', 'v2,') }],
    ['no signature', { signature: undefined }],
    ['an empty signature', { signature: '' }],
  ])('%s', (_what, change) => expect(genuine(change)).toBe(false));

  test('the body', () => expect(genuine({}, { body: Buffer.from('{"test": 2432232315}') })).toBe(false));
  test('the secret', () =>
    expect(genuine({}, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx' })).toBe(false));
});

describe('replayed', () => {
  const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  test.each([-5, 0, 5])('%i minutes off it counts', (minutes) =>
    expect(genuine({}, { at: minutesLater(minutes) })).toBe(true),
  );
  test.each([-5.1, 5.1, 600])('%i minutes off it does not', (minutes) =>
    expect(genuine({}, { at: minutesLater(minutes) })).toBe(false),
  );
});
