import { expect, test } from 'vitest';
import { isFromBrevo, parseBrevoCallback } from './callback.ts';

const event = (name: string, more: Record<string, unknown> = {}) => ({
  event: name,
  email: 'ann@example.com',
  id: 26_224,
  'message-id': '<201798300811.5787683@relay.domain.com>',
  ts_epoch: 1_604_933_654_000,
  'X-Mailin-custom': 'b-s',
  ...more,
});

/** The report in a few words; null: none that concerns us. */
function parsed(body: unknown): string | null {
  const { reports, faults, ignored } = parseBrevoCallback(body);
  const [report] = reports;
  if (!report) return ignored === 1 ? null : 'nothing at all';
  return [report.status, report.permanent && 'for good', faults.length > 0 && 'says so']
    .filter(Boolean)
    .join(', ');
}

test.each<[string, Record<string, unknown>, string | null]>([
  ['delivered', {}, 'delivered'],
  ['soft_bounce', { reason: '452 4.2.2 full' }, 'bounced'],
  ['hard_bounce', { reason: '550 5.1.1 no such user' }, 'bounced, for good'],
  ['invalid_email', {}, 'bounced, for good'],
  ['blocked', {}, 'bounced, for good'],
  ['spam', {}, 'complained'],
  ['unsubscribed', {}, 'complained'],
  ['unsubscribe', {}, 'complained'],
  ['error', { reason: 'No.' }, 'rejected'],
  [
    'error',
    { reason: 'Sending has been rejected because the sender you used a@b.example is not valid.' },
    'rejected, says so',
  ],
  ['hard_bounce', { reason: '550 sender unknown' }, 'bounced, for good'],
  ['request', {}, null],
  ['deferred', {}, null],
  ['opened', {}, null],
  ['unique_opened', {}, null],
  ['proxy_open', {}, null],
  ['click', {}, null],
  ['something_new', {}, null],
  ['constructor', {}, null],
])('%s %j', (name, more, expected) => expect(parsed(event(name, more))).toBe(expected));

test('no fault names an address', () => {
  const reason = 'Sending has been rejected because the sender you used ann@example.com is not valid.';
  expect(JSON.stringify(parseBrevoCallback(event('error', { reason })).faults)).not.toContain('@');
});

test('our reference comes in the header that Brevo repeats', () => {
  expect(parseBrevoCallback(event('delivered')).reports).toMatchObject([
    { provider: 'brevo', reference: 'b-s' },
  ]);
  expect(parseBrevoCallback(event('delivered', { 'X-Mailin-custom': undefined })).reports).toMatchObject([
    { reference: '' },
  ]);
});

test('the same event again is one; another message, event or time is another', () => {
  const id = (more: Record<string, unknown> = {}) =>
    parseBrevoCallback(event('soft_bounce', more)).reports[0]?.reportId;
  expect(id()).toBe(id({ id: 1, subject: 'Other' }));
  const others = [id({ 'message-id': '<other>' }), id({ event: 'hard_bounce' }), id({ ts_epoch: 1 })];
  expect(new Set([id(), ...others]).size).toBe(4);
});

test('a list counts every event of it', () => {
  const { reports, ignored } = parseBrevoCallback([event('delivered'), event('opened'), event('spam'), null]);
  expect(reports.map(({ status }) => status)).toEqual(['delivered', 'complained']);
  expect(ignored).toBe(2);
});

test.each([
  [undefined],
  [null],
  ['text'],
  [[[]]],
  [{}],
  [event('delivered', { 'message-id': null })],
  [{ event: 7 }],
])('%j says nothing', (body) => expect(parsed(body)).toBeNull());

const TOKEN = 'a-token-of-the-webhook';

test('who knows the token is believed', () => {
  expect(isFromBrevo(TOKEN, `Bearer ${TOKEN}`)).toBe(true);
  expect(isFromBrevo(TOKEN, `bearer ${TOKEN}`)).toBe(true);
});

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['another token', 'Bearer a-token-of-the-webhool'],
  ['the start of it', 'Bearer a-token-of-the'],
  ['more than it', `Bearer ${TOKEN}x`],
  ['no token', 'Bearer '],
  ['the token alone', TOKEN],
  ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
  ['another scheme', `Basic ${TOKEN}`],
])('%s is not', (_what, authorization) => expect(isFromBrevo(TOKEN, authorization)).toBe(false));
