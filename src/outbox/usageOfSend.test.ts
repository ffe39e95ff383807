import { describe, expect, test } from 'vitest';
import { lockedSend } from '../../test/support/lockedSend.ts';
import type { LockedSend } from './lockSql.ts';
import { usageOfSend } from './usageOfSend.ts';

const NOW = new Date('2026-08-21T00:00:30.000Z');

/** `sms_sent 1 on 20`: what a transition counts. */
const counts = (before: Partial<LockedSend>, after: Partial<LockedSend>): string[] => {
  const from = lockedSend(before);
  return usageOfSend(from, { ...from, ...after }, NOW).map(
    ({ counter, amount, at }) => `${counter} ${amount} on ${at.getUTCDate()}`,
  );
};

const sms = { channel: 'sms' } as const;
const whatsapp = { channel: 'whatsapp' } as const;
const waiting = { state: 'queued', reserved: true, charged: false, attempt_token: null } as const;
const held = { ...sms, ...waiting, state: 'held', reserved: false, escalate_minutes: 60 } as const;

describe('sent', () => {
  test('counts when the provider has answered, on the day of the call', () => {
    expect(counts({}, { state: 'accepted', attempt_token: null })).toEqual(['email_sent 1 on 20']);
    expect(counts({ ...sms, state: 'queued' }, { state: 'submitting' })).toEqual([]);
  });

  test('counts what the provider may have taken, and what a report proves that it took', () => {
    expect(counts(sms, { state: 'failed', reason: 'outcome_unknown' })).toEqual([
      'sms_sent 1 on 20',
      'sms_failed 1 on 21',
    ]);
    expect(counts(whatsapp, { state: 'read', delivered_at: NOW })).toEqual([
      'whatsapp_sent 1 on 20',
      'whatsapp_delivered 1 on 21',
      'whatsapp_read 1 on 21',
    ]);
    expect(counts(sms, { state: 'rejected', charged: false })).toContain('sms_sent 1 on 20');
  });

  test('does not count a refusal, nor anything twice', () => {
    expect(counts(sms, { state: 'rejected', attempt_token: null, charged: false })).toEqual([
      'sms_credits -1 on 21',
      'sms_rejected 1 on 21',
    ]);
    expect(counts({ ...sms, state: 'accepted' }, { state: 'delivered', delivered_at: NOW })).toEqual([
      'sms_delivered 1 on 21',
    ]);
    expect(counts({ ...sms, state: 'failed' }, { reason: 'undelivered' })).toEqual([]);
  });
});

test('an email that bounces is not failed, too', () => {
  const bounced = { state: 'failed', reason: 'bounced', bounced_at: NOW } as const;
  expect(counts({ state: 'accepted' }, bounced)).toEqual(['email_bounced 1 on 21']);
  expect(counts({ state: 'accepted' }, { state: 'rejected', reason: 'esp_refused' })).toEqual([
    'email_failed 1 on 21',
  ]);
});

test('service mail is not counted, but the credits of an acknowledgement are', () => {
  expect(counts({ message_id: null }, { state: 'accepted' })).toEqual([]);
  const acknowledgement = { ...whatsapp, message_id: null, purpose: 'reply_ack' } as const;
  expect(counts({ ...acknowledgement, ...waiting }, { state: 'submitting', charged: true })).toEqual([
    'whatsapp_credits 1 on 21',
  ]);
  expect(counts({ ...acknowledgement, charged: true }, { state: 'rejected', charged: false })).toEqual([
    'whatsapp_credits -1 on 21',
  ]);
});

test('credits count when they are charged and refunded, not when they are set aside', () => {
  expect(counts({ ...sms, ...waiting }, { state: 'submitting', reserved: false, charged: true })).toEqual([
    'sms_credits 1 on 21',
  ]);
  expect(counts({ ...held, credits: 2 }, { state: 'queued', reserved: true })).toEqual([]);
});

describe('a send that is cancelled or skipped', () => {
  const cancelled = (reason: string) =>
    ({ state: 'cancelled', reason, reserved: false, charged: false }) as const;

  test.each([
    ['opened_first', held, ['avoided_opened_first 1 on 21', 'avoided_credits 1 on 21']],
    [
      'whatsapp_sufficed',
      { ...held, escalate_minutes: null, fallback_of: 'other' },
      ['avoided_whatsapp_sufficed 1 on 21', 'avoided_credits 1 on 21'],
    ],
    ['message_retracted', held, ['avoided_retracted 1 on 21', 'avoided_credits 1 on 21']],
    ['message_obsolete', held, ['avoided_retracted 1 on 21', 'avoided_credits 1 on 21']],
    ['superseded', held, []],
    ['not_needed', { ...held, escalate_minutes: null, fallback_of: 'other' }, ['sms_skipped 1 on 21']],
    ['message_retracted', { ...sms, ...waiting }, ['sms_skipped 1 on 21']],
    ['message_obsolete', { ...sms, ...waiting }, ['sms_skipped 1 on 21']],
    ['superseded', { ...sms, ...waiting }, []],
    [
      'message_retracted',
      { ...held, state: 'queued', purpose: 'resend', reserved: true },
      ['sms_skipped 1 on 21'],
    ],
    ['message_retracted', { ...waiting, reserved: false }, ['email_not_sent 1 on 21']],
    ['superseded', { ...waiting, reserved: false }, []],
  ] as const)('%s: %j counts %j', (reason, before, expected) => {
    expect(counts(before, cancelled(reason))).toEqual(expected);
  });

  test('a gate skips it, whether or not it was held', () => {
    expect(counts(held, { state: 'skipped', reason: 'stopped' })).toEqual(['sms_skipped 1 on 21']);
    expect(counts({ ...sms, ...waiting }, { state: 'skipped', reason: 'stopped', reserved: false })).toEqual([
      'sms_skipped 1 on 21',
    ]);
    expect(counts({ ...waiting, reserved: false }, { state: 'skipped', reason: 'suppressed' })).toEqual([
      'email_not_sent 1 on 21',
    ]);
  });
});
