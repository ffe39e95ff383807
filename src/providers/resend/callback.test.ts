import { expect, test } from 'vitest';
import { parseResendCallback } from './callback.ts';

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
