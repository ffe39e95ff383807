import { expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../../test/support/delivery.ts';
import type { Delivery } from '../../../contract/messages.ts';
import type { DeliverySend } from '../../../messages/delivery.ts';
import { outcomesOf } from '../../../messages/outcomes.ts';
import type { MessageWithPlan } from '../../../messages/plans.ts';
import { badgesOf } from './outcomes.tsx';

const AT = '2026-08-20T10:00:00.000Z';
const send = (change: Partial<DeliverySend>): DeliverySend => ({
  id: 'send',
  channel: 'email',
  state: 'delivered',
  reason: null,
  error_code: null,
  credits: 0,
  charged: false,
  created_at: AT,
  submitted_at: null,
  last_status_at: null,
  delivered_at: null,
  bounced_at: null,
  complained_at: null,
  ...change,
});
const EMAIL_QUEUED = send({ state: 'queued' });

const seen = (
  reported: Partial<Delivery>,
  change: Partial<MessageWithPlan> = {},
  sends: readonly DeliverySend[] = [],
): string[] => {
  const delivery = { ...NOTHING_REPORTED, ...reported };
  return badgesOf({
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
    delivery,
    outcomes: outcomesOf(delivery, sends),
  }).map((outcome) =>
    'at' in outcome
      ? `${outcome.channel} ${outcome.at}`
      : [outcome.text, outcome.why ?? []].flat().join(': '),
  );
};

const paid = (status: 'queued' | 'skipped' | 'rejected' | 'failed') => ({
  status,
  skipped_reason: null,
  error_code: null,
  credits_charged: 0,
  submitted_at: null,
  last_status_at: null,
});

test.each<[Partial<Delivery>, ...string[]]>([
  [{ delivered: true }, 'Email delivered'],
  [{ delivered: true, opened: true }, 'Opened'],
  [{ bounced: true }, 'Email bounced'],
  [{ bounced: true, opened: true }, 'Email bounced', 'Opened'],
  [{ delivered: true, complained: true, opened: true }, 'Marked as spam', 'Opened'],
  [{ not_sent: { reason: 'unsubscribed', at: AT } }, 'Email not sent: the customer has unsubscribed'],
  [{ not_sent: { reason: 'of a later version', at: AT } }, 'Email not sent'],
  [{ failed: { reason: 'retries_exhausted', at: AT } }, 'Email failed'],
  [{ failed: { reason: 'esp_refused', at: AT } }, 'Email refused'],
  [{ failed: { reason: 'outcome_unknown', at: AT } }, 'Email outcome unknown'],
])('%j is shown as %s', (delivery, ...texts) => {
  expect(seen(delivery)).toEqual(texts);
});

test.each<[string, DeliverySend, Partial<Delivery>, ...string[]]>([
  ['waits', EMAIL_QUEUED, {}, 'Email under way'],
  [
    'waits, while an earlier one was delivered',
    EMAIL_QUEUED,
    { delivered: true },
    'Email delivered',
    'Email under way',
  ],
  ['was accepted', send({ state: 'accepted' }), {}, 'Email under way'],
  [
    'was accepted by a provider that reports nothing, and read',
    send({ state: 'accepted' }),
    { opened: true },
    'Opened',
  ],
])('an email that %s', (_, email, delivery, ...texts) => {
  expect(seen(delivery, {}, [email])).toEqual(texts);
});

test('a message that no email announces has no badge of one', () => {
  expect(seen({})).toEqual([]);
});

test.each<[string, Partial<DeliverySend>, Partial<Delivery>, ...string[]]>([
  ['is held back', { state: 'held' }, {}, 'SMS held back'],
  ['was not needed', { state: 'cancelled', reason: 'opened_first' }, {}, 'SMS not needed'],
  [
    'has an unknown outcome',
    { state: 'failed', reason: 'outcome_unknown' },
    { sms: paid('failed') },
    'SMS outcome unknown',
  ],
  [
    'surely failed after an unknown outcome',
    { state: 'failed', reason: 'undelivered' },
    { sms: paid('failed') },
    'SMS failed',
  ],
])('an SMS that %s', (_, sms, delivery, ...texts) => {
  expect(seen(delivery, {}, [send({ ...sms, channel: 'sms' })])).toEqual(texts);
});

test('each paid channel that was decided about has its badge', () => {
  expect(seen({ delivered: true, sms: paid('skipped'), whatsapp: paid('rejected') })).toEqual([
    'Email delivered',
    'SMS not sent',
    'WhatsApp refused',
  ]);
});

test('a message that is no longer current says so first', () => {
  expect(seen({ delivered: true }, { status: 'retracted' })).toEqual(['Retracted', 'Email delivered']);
});

const upcoming = (channel: 'email' | 'sms') => [{ channel, at: AT, condition: null, quietUntil: null }];

test('a send that waits for its time shows that time instead of being under way', () => {
  expect(seen({}, { upcoming: upcoming('email') }, [EMAIL_QUEUED])).toEqual([`email ${AT}`]);
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
