import { expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../../../test/support/delivery.ts';
import type { Delivery, ListedMessage } from '../../../../contract/messages.ts';
import { outcomesOf } from './outcomes.tsx';

const AT = '2026-08-20T10:00:00.000Z';
const seen = (delivery: Partial<Delivery>, change: Partial<ListedMessage> = {}): string[] =>
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
    ...change,
    delivery: { ...NOTHING_REPORTED, ...delivery },
  }).map(({ text }) => text);

const paid = (status: 'queued' | 'skipped' | 'rejected') => ({
  status,
  skipped_reason: null,
  error_code: null,
  credits_charged: 0,
  submitted_at: null,
  last_status_at: null,
});

test.each<[Partial<Delivery>, string]>([
  [{}, 'Email under way'],
  [{ delivered: true }, 'Email delivered'],
  [{ delivered: true, opened: true }, 'Opened'],
  [{ bounced: true }, 'Email bounced'],
  [{ bounced: true, opened: true }, 'Opened'],
  [{ delivered: true, complained: true, opened: true }, 'Marked as spam'],
  [{ not_sent: { reason: 'suppressed', at: AT } }, 'No email'],
  [{ failed: { reason: 'esp_refused', at: AT } }, 'Email failed'],
])('%j is shown as %s', (delivery, text) => {
  expect(seen(delivery)).toEqual([text]);
});

test('each paid channel that was decided about has its badge', () => {
  expect(seen({ sms: paid('skipped'), whatsapp: paid('rejected') })).toEqual([
    'Email under way',
    'No text',
    'WhatsApp refused',
  ]);
});

test('a message that is no longer current says so first', () => {
  expect(seen({ delivered: true }, { status: 'retracted' })).toEqual(['Taken back', 'Email delivered']);
});

test('an email that waits for its time is scheduled', () => {
  expect(seen({}, { scheduled_for: AT })).toEqual(['Email scheduled']);
});
