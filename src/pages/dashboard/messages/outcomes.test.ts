import { expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../../test/support/delivery.ts';
import type { Delivery } from '../../../contract/messages.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { outcomesOf } from './outcomes.tsx';

const AT = '2026-08-20T10:00:00.000Z';
const seen = (delivery: Partial<Delivery>, change: Partial<MessageWithPlan> = {}): string[] =>
  outcomesOf({
    id: 'x',
    recipient_email: 'ann@example.com',
    subject: 'S',
    kind: 'one_off',
    status: 'active',
    reference: null,
    order_status: null,
    scheduled_for: null,
    created_at: AT,
    updated_at: AT,
    upcoming: [],
    ...change,
    delivery: { ...NOTHING_REPORTED, ...delivery },
  }).map((outcome) =>
    'at' in outcome
      ? `${outcome.channel} ${outcome.at}`
      : [outcome.text, outcome.why ?? []].flat().join(': '),
  );

const paid = (status: 'queued' | 'skipped' | 'rejected' | 'failed') => ({
  status,
  skipped_reason: null,
  error_code: null,
  credits_charged: 0,
  submitted_at: null,
  last_status_at: null,
});

test.each<[Partial<Delivery>, ...string[]]>([
  [{}, 'Email under way'],
  [{ delivered: true }, 'Email delivered'],
  [{ delivered: true, opened: true }, 'Opened'],
  [{ bounced: true }, 'Email bounced'],
  [{ bounced: true, opened: true }, 'Email bounced', 'Opened'],
  [{ delivered: true, complained: true, opened: true }, 'Marked as spam', 'Opened'],
  [{ not_sent: { reason: 'unsubscribed', at: AT } }, 'Email not sent: the customer has unsubscribed'],
  [{ not_sent: { reason: 'of a later version', at: AT } }, 'Email not sent'],
  [{ failed: { reason: 'esp_refused', at: AT } }, 'Email failed'],
])('%j is shown as %s', (delivery, ...texts) => {
  expect(seen(delivery)).toEqual(texts);
});

test('each paid channel that was decided about has its badge', () => {
  expect(seen({ sms: paid('skipped'), whatsapp: paid('rejected') })).toEqual([
    'Email under way',
    'SMS not sent',
    'WhatsApp refused',
  ]);
});

test('a message that is no longer current says so first', () => {
  expect(seen({ delivered: true }, { status: 'retracted' })).toEqual(['Retracted', 'Email delivered']);
});

const upcoming = (channel: 'email' | 'sms') => [{ channel, at: AT, condition: null, quietUntil: null }];

test('a send that waits for its time shows that time instead of being under way', () => {
  expect(seen({}, { upcoming: upcoming('email') })).toEqual([`email ${AT}`]);
  expect(seen({ delivered: true, sms: paid('queued') }, { upcoming: upcoming('sms') })).toEqual([
    'Email delivered',
    `sms ${AT}`,
  ]);
});

test('a send that is still to come leaves what went wrong before it to be seen', () => {
  expect(seen({ bounced: true, sms: paid('failed') }, { upcoming: upcoming('sms') })).toEqual([
    'Email bounced',
    'SMS failed',
    `sms ${AT}`,
  ]);
});
