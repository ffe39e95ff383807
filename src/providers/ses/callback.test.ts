import { expect, test } from 'vitest';
import { readSesEvent } from './callback.ts';
import { readSns } from './snsSignature.ts';

/** An event as SNS brings it. */
function read(event: unknown) {
  const message = readSns({
    Type: 'Notification',
    MessageId: 'sns-1',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:waypost-events',
    Timestamp: '2026-08-20T09:15:00.000Z',
    SignatureVersion: '2',
    Signature: 'c2lnbmF0dXJl',
    SigningCertURL:
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    Message: typeof event === 'string' ? event : JSON.stringify(event),
  });
  if (message === null) throw new Error('not a message');
  return readSesEvent(message);
}

const mail = { messageId: 'ses-1', tags: { waypost_reference: ['b-s'] } };

function parsed(event: unknown): string | null {
  const [report] = read(event).reports;
  return report ? report.status + (report.permanent ? ', for good' : '') : null;
}

test.each<[string, Record<string, unknown>, string | null]>([
  ['Delivery', { delivery: {} }, 'delivered'],
  ['Complaint', { complaint: { complaintFeedbackType: 'abuse' } }, 'complained'],
  ['Complaint', { complaint: {} }, 'complained'],
  ['Complaint', { complaint: { complaintFeedbackType: 'not-spam' } }, null],
  ['Reject', { reject: { reason: 'Bad content' } }, 'rejected'],
  ['Send', {}, null],
  ['DeliveryDelay', { deliveryDelay: { delayType: 'MailboxFull' } }, null],
  ['Open', {}, null],
  ['Click', {}, null],
  ['Subscription', {}, null],
])('%s %j', (eventType, detail, expected) => expect(parsed({ eventType, mail, ...detail })).toBe(expected));

test.each<[string, string, string]>([
  ['Permanent', 'General', 'bounced, for good'],
  ['Permanent', 'NoEmail', 'bounced, for good'],
  ['Permanent', 'Suppressed', 'bounced, for good'],
  ['Permanent', 'OnAccountSuppressionList', 'bounced, for good'],
  ['Transient', 'General', 'bounced'],
  ['Transient', 'MailboxFull', 'bounced'],
  ['Transient', 'MessageTooLarge', 'bounced'],
  ['Transient', 'ContentRejected', 'bounced'],
  ['Transient', 'AttachmentRejected', 'bounced'],
  ['Undetermined', 'Undetermined', 'bounced'],
])('a bounce: %s, %s', (bounceType, bounceSubType, expected) => {
  const bounce = { bounceType, bounceSubType };
  expect(parsed({ eventType: 'Bounce', mail, bounce })).toBe(expected);
  expect(parsed({ notificationType: 'Bounce', mail, bounce })).toBe(expected);
});

test('it is matched by our tag, and named after the message that brought it', () => {
  expect(read({ eventType: 'Delivery', mail }).reports).toMatchObject([
    { provider: 'ses', reportId: 'sns-1', reference: 'b-s' },
  ]);
});

test('a mail that could not be rendered is the operator’s to hear of', () => {
  expect(read({ eventType: 'Rendering Failure', mail, failure: {} }).faults).toMatchObject([
    { channel: 'email' },
  ]);
});

test.each(['Successfully validated SNS topic for Amazon SES event publishing.', '', '[]', 'null', '{}'])(
  '%j says nothing',
  (message) => expect(parsed(message)).toBeNull(),
);
