import { describe, expect, test } from 'vitest';
import { DAY, later } from '../kit/clock.ts';
import type { Settings } from './settings.ts';
import { Usage } from './usage.ts';

const now = new Date('2026-08-20T23:59:00.000Z');
const row = (given = {}) => ({
  business_id: 'b',
  emails_today: 0,
  texts_today: 0,
  emails_in_period: 0,
  allowance_reported: false,
  near_limit: false,
  ...given,
});
const settings = (given: Partial<Settings> = {}): Settings => ({
  id: 'b',
  name: 'Acme',
  contactEmail: null,
  supportEmail: null,
  shopUrl: null,
  colour: null,
  logo: null,
  language: 'en',
  active: true,
  paused: false,
  plan: 'active',
  periodStartedAt: null,
  periodEnd: null,
  lapsedAt: null,
  emailAllowance: null,
  dailyEmailCap: null,
  smsMode: 'on',
  whatsappMode: 'on',
  smsEnabledAt: now,
  warmup: false,
  countries: null,
  countriesCeiling: null,
  ownCountries: null,
  paidPerRecipientHour: null,
  paidPerRecipientHourCeiling: null,
  ownPaidPerRecipientHour: null,
  lowBalanceThreshold: 20,
  replyForward: 'off',
  quietHours: null,
  quietHoursExcept: [],
  replyAck: 'on',
  replyAckCredits: 0,
  trackingNudges: [],
  trackingChannels: [],
  trackingEscalateMinutes: null,
  createdAt: now,
  ...given,
});

describe('what is counted for a business', () => {
  test('a cap leaves what was not used today', () => {
    const account = settings({ dailyEmailCap: 10 });
    expect(new Usage([row({ emails_today: 7 })], now).emailsLeft(account)).toBe(3);
    expect(new Usage([row({ emails_today: 7 })], now).emailsLeft(settings())).toBeNull();
  });

  test('warm-up limits texts for fourteen days after SMS was enabled, and only while it is on', () => {
    const usage = new Usage([row({ texts_today: 20 })], now);
    expect(usage.textsLeft(settings({ warmup: true }), now)).toBe(30);
    expect(usage.textsLeft(settings(), now)).toBeNull();
    expect(usage.textsLeft(settings({ warmup: true }), later(now, 14 * DAY))).toBeNull();
    expect(usage.textsLeft(settings({ warmup: true, smsEnabledAt: null }), now)).toBeNull();
  });

  test('passing the allowance makes one event', () => {
    const account = settings({ emailAllowance: 2, periodEnd: later(now, DAY) });
    const usage = new Usage([row({ emails_in_period: 1 })], now);
    for (let n = 0; n < 3; n += 1) usage.countEmail(account);
    expect(usage.exceeded).toEqual([
      { businessId: 'b', allowance: 2, used: 3, periodEnd: account.periodEnd },
    ]);
  });
});
