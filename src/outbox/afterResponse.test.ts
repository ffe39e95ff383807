import { describe, expect, test } from 'vitest';
import { lockedSend } from '../../test/support/lockedSend.ts';
import { later, MINUTE, SECOND } from '../kit/clock.ts';
import type { ProviderResponse, Refused } from '../providers/provider.ts';
import { afterResponse } from './afterResponse.ts';
import type { LockedSend } from './lockSql.ts';

const now = new Date('2026-08-20T09:00:05.000Z');
const accepted: ProviderResponse = { outcome: 'accepted', providerId: 'p1' };
const unknown: ProviderResponse = { outcome: 'unknown', errorCode: 'timeout' };
const notTaken: ProviderResponse = { outcome: 'not_taken', errorCode: 'ECONNREFUSED' };
const refused = (because: 'busy' | 'over_limits' | 'message' | 'address' | 'not_on_whatsapp'): Refused => ({
  outcome: 'refused',
  because,
  errorCode: 'no',
});
const answered = (given: Partial<LockedSend>, answer: ProviderResponse, refusedBefore = false): LockedSend =>
  afterResponse(lockedSend(given), { answer, refusedBefore }, now, () => 0);

describe('after an answer', () => {
  const sms = { channel: 'sms' } as const;
  const whatsapp = { channel: 'whatsapp' } as const;
  const cases: [string, Partial<LockedSend>, ProviderResponse, Partial<LockedSend>][] = [
    ['taken', {}, accepted, { state: 'accepted', charged: false }],
    ['a text taken', sms, accepted, { state: 'accepted', charged: true }],
    ['an email lost', {}, unknown, { state: 'failed', reason: 'outcome_unknown', error_code: null }],
    [
      'a text lost',
      sms,
      unknown,
      { state: 'failed', error_code: 'sms.submit_outcome_unknown', charged: true },
    ],
    [
      'an email not reached',
      {},
      notTaken,
      { state: 'queued', due_at: later(now, 30 * SECOND), submitted_at: null },
    ],
    ['an email refused for good', {}, refused('message'), { state: 'rejected', reason: 'esp_refused' }],
    [
      'an email to an address that does not exist',
      {},
      refused('address'),
      { state: 'rejected', reason: 'esp_refused' },
    ],
    ['an email refused for now', {}, refused('busy'), { state: 'queued' }],
    [
      'an email refused for now, by a provider that names a longer pause',
      {},
      { ...refused('busy'), retryAfterMs: 10 * MINUTE },
      { state: 'queued', due_at: later(now, 10 * MINUTE) },
    ],
    [
      'an email refused for now, by a provider that names a shorter pause',
      {},
      { ...refused('busy'), retryAfterMs: SECOND },
      { state: 'queued', due_at: later(now, 30 * SECOND) },
    ],
    [
      'an email refused for now, the last time',
      { attempts: 5 },
      refused('busy'),
      { state: 'rejected', reason: 'retries_exhausted' },
    ],
    [
      'an email not reached, the last time',
      { attempts: 5 },
      notTaken,
      { state: 'rejected', reason: 'retries_exhausted' },
    ],
    [
      'a text refused for good',
      sms,
      refused('message'),
      { state: 'rejected', error_code: 'sms.submit_refused', charged: false },
    ],
    ['a text not reached', sms, notTaken, { state: 'queued', due_at: later(now, MINUTE), charged: true }],
    [
      'a text not reached, the last time',
      { ...sms, attempts: 3 },
      notTaken,
      { state: 'rejected', error_code: 'sms.never_submitted', charged: false },
    ],
    [
      'over limits',
      { ...sms, attempts: 3 },
      refused('over_limits'),
      { state: 'rejected', reason: 'platform_limited', error_code: 'platform_limited', charged: false },
    ],
    [
      'not on WhatsApp',
      whatsapp,
      refused('not_on_whatsapp'),
      { state: 'rejected', reason: 'not_reachable', error_code: 'whatsapp.submit_refused', charged: false },
    ],
  ];
  test.each(cases)('%s', (_, given, answer, expected) => {
    expect(answered(given, answer)).toMatchObject({ ...expected, lease: null, attempt_token: null });
  });

  test('a text that was refused before and then not reached was refused, not never submitted', () => {
    expect(answered({ channel: 'sms', attempts: 3 }, notTaken, true).error_code).toBe('sms.submit_refused');
  });
});
