import { expect, test } from 'vitest';
import { isFromPostmark, parsePostmarkCallback } from './callback.ts';

const record = (RecordType: string, more: Record<string, unknown> = {}) => ({
  RecordType,
  MessageID: 'pm-1',
  Metadata: { waypost_reference: 'b-s' },
  ...more,
});

/** The report in one word; null: none that concerns us. */
function parsed(body: unknown): string | null {
  const { reports, ignored } = parsePostmarkCallback(body);
  const [report] = reports;
  if (!report) return ignored === 1 ? null : 'nothing at all';
  return report.status + (report.permanent ? ', for good' : '');
}

test.each<[string, Record<string, unknown>, string | null]>([
  ['Delivery', {}, 'delivered'],
  ['SpamComplaint', { Type: 'SpamComplaint', TypeCode: 100_001 }, 'complained'],
  ['SubscriptionChange', { SuppressSending: true, SuppressionReason: 'HardBounce' }, null],
  ['Open', {}, null],
  ['Click', {}, null],
  ['SomethingNew', {}, null],
])('%s %j', (type, more, expected) => expect(parsed(record(type, more))).toBe(expected));

test.each<[string, string | null]>([
  ['HardBounce', 'bounced, for good'],
  ['BadEmailAddress', 'bounced, for good'],
  ['ManuallyDeactivated', 'bounced, for good'],
  ['Unsubscribe', 'bounced, for good'],
  ['SoftBounce', 'bounced'],
  ['SpamNotification', 'bounced'],
  ['Blocked', 'bounced'],
  ['DMARCPolicy', 'bounced'],
  ['TemplateRenderingFailed', 'bounced'],
  ['Unknown', 'bounced'],
  ['Transient', null],
  ['DnsError', null],
  ['AutoResponder', null],
  ['ChallengeVerification', null],
  ['SpamComplaint', 'complained'],
])('a bounce of the kind %s', (Type, expected) => {
  expect(parsed(record('Bounce', { ID: 1, Type }))).toBe(expected);
  const inactive = expected === 'complained' ? 'complained' : 'bounced, for good';
  expect(parsed(record('Bounce', { ID: 1, Type, Inactive: true }))).toBe(inactive);
});

test('two bounces of one mail are two, the same one again is one', () => {
  const id = (ID: number) =>
    parsePostmarkCallback(record('Bounce', { ID, Type: 'HardBounce' })).reports[0]?.reportId;
  expect(id(1)).not.toBe(id(2));
  expect(id(1)).toBe(id(1));
});

test.each([[undefined], [null], ['text'], [[]], [{}], [{ RecordType: 'Delivery' }], [{ RecordType: 7 }]])(
  '%j says nothing',
  (body) => expect(parsed(body)).toBeNull(),
);

const login = { user: 'waypost', password: 'a password: with a colon' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('who knows the name and the password is believed', () => {
  expect(isFromPostmark(login, basic('waypost:a password: with a colon'))).toBe(true);
  expect(isFromPostmark(login, basic('waypost:a password: with a colon').replace('Basic', 'basic'))).toBe(
    true,
  );
});

test.each([
  ['no header', undefined],
  ['an empty one', ''],
  ['another password', basic('waypost:another')],
  ['another name', basic('wayposd:a password: with a colon')],
  ['no password', basic('waypost:')],
  ['half of it', basic('waypost:a password')],
  ['another scheme', `Bearer ${Buffer.from('waypost:a password: with a colon').toString('base64')}`],
  ['the plain text', 'Basic waypost:a password: with a colon'],
])('%s is not', (_what, authorization) => expect(isFromPostmark(login, authorization)).toBe(false));
