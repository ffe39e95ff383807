import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MODES } from '../contract/channels.ts';
import { DAY, earlier, later } from '../kit/clock.ts';
import {
  applySettingsChange,
  effectiveLimits,
  effectivePlan,
  PLANS,
  type Settings,
  type SettingsChange,
} from './settings.ts';

const now = new Date('2026-08-20T09:15:00.000Z');
const yesterday = earlier(now, DAY);
const tomorrow = later(now, DAY);

const settings = (over: Partial<Settings> = {}): Settings => ({
  id: 'b',
  name: 'Shop',
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
  smsMode: 'on_request',
  whatsappMode: 'on_request',
  smsEnabledAt: yesterday,
  warmup: false,
  countries: null,
  countriesCeiling: null,
  ownCountries: null,
  paidPerRecipientHour: null,
  paidPerRecipientHourCeiling: null,
  ownPaidPerRecipientHour: null,
  quietHours: null,
  quietHoursExcept: [],
  lowBalanceThreshold: 20,
  replyForward: 'off',
  replyAck: 'on',
  replyAckCredits: 0,
  trackingNudges: ['delivered'],
  trackingChannels: [],
  trackingEscalateMinutes: null,
  createdAt: yesterday,
  ...over,
});

describe('the plan in force', () => {
  test.each([
    ['active', null, 'active'],
    ['active', yesterday, 'active'],
    ['past_due', null, 'past_due'],
    ['past_due', tomorrow, 'past_due'],
    ['past_due', now, 'lapsed'],
    ['past_due', yesterday, 'lapsed'],
    ['lapsed', tomorrow, 'lapsed'],
  ] as const)('%s until %s is %s', (plan, periodEnd, inForce) => {
    expect(effectivePlan({ plan, periodEnd }, now)).toBe(inForce);
  });
});

describe('a change of plan', () => {
  test('a failed payment makes an event with the end of the period that is still paid', () => {
    const { after, events } = applySettingsChange(
      settings({ periodEnd: tomorrow }),
      { plan: 'past_due' },
      now,
    );
    expect(after).toMatchObject({ plan: 'past_due', lapsedAt: null });
    expect(events).toEqual([{ type: 'plan.past_due', data: { period_end: tomorrow.toISOString() } }]);
  });

  test('a failed payment makes an event with the period given beside it', () => {
    const { events } = applySettingsChange(
      settings({ periodEnd: yesterday }),
      { plan: 'past_due', periodEnd: tomorrow },
      now,
    );
    expect(events).toEqual([{ type: 'plan.past_due', data: { period_end: tomorrow.toISOString() } }]);
  });

  test('a lapse is dated and makes an event', () => {
    const { after, events } = applySettingsChange(settings(), { plan: 'lapsed' }, now);
    expect(after).toMatchObject({ plan: 'lapsed', lapsedAt: now });
    expect(events).toEqual([{ type: 'plan.lapsed', data: { lapsed_at: now.toISOString() } }]);
  });

  test('a renewal forgets the lapse and makes no event', () => {
    const { after, events } = applySettingsChange(
      settings({ plan: 'lapsed', lapsedAt: yesterday }),
      { plan: 'active' },
      now,
    );
    expect(after).toMatchObject({ plan: 'active', lapsedAt: null });
    expect(events).toEqual([]);
  });

  test.each(PLANS)('saying %s again tells nothing and moves no date', (plan) => {
    const before = settings({ plan, lapsedAt: plan === 'lapsed' ? yesterday : null });
    expect(applySettingsChange(before, { plan }, now)).toEqual({
      after: before,
      events: [],
      periodBegins: false,
    });
  });
});

describe('the period', () => {
  test.each([
    ['a first end begins one', null, tomorrow, true],
    ['a later end begins a new one', yesterday, tomorrow, true],
    ['the same end begins none', tomorrow, tomorrow, false],
    ['an earlier end begins none', tomorrow, yesterday, false],
    ['no end begins none', tomorrow, null, false],
  ] as const)('%s', (_, from, to, begins) => {
    const { after, periodBegins } = applySettingsChange(
      settings({ periodEnd: from }),
      { periodEnd: to },
      now,
    );
    expect(periodBegins).toBe(begins);
    expect(after.periodStartedAt).toEqual(begins ? now : null);
  });
});

describe('what applies of the operator’s ceiling and the shop’s own value', () => {
  test.each([
    [null, null, null],
    [3, null, 3],
    [null, 2, 2],
    [3, 2, 2],
    [2, 3, 2],
  ])('an hourly limit of %j and %j: %j', (paidPerRecipientHourCeiling, ownPaidPerRecipientHour, expected) => {
    const limits = settings({ paidPerRecipientHourCeiling, ownPaidPerRecipientHour });
    expect(effectiveLimits(limits).paidPerRecipientHour).toBe(expected);
  });

  test.each([
    [null, null, null],
    [['EE'], null, ['EE']],
    [null, ['FI'], ['FI']],
    [
      ['EE', 'FI', 'LV'],
      ['LV', 'GB', 'EE'],
      ['LV', 'EE'],
    ],
    [['EE'], ['FI'], []],
  ])('the countries %j and %j: %j', (countriesCeiling, ownCountries, expected) => {
    expect(effectiveLimits(settings({ countriesCeiling, ownCountries })).countries).toEqual(expected);
  });
});

describe('enabling SMS', () => {
  test.each([
    ['not_enabled', null, 'on', now],
    ['not_enabled', null, 'on_request', now],
    ['not_enabled', null, 'off', null],
    ['not_enabled', yesterday, 'on', now],
    ['off', null, 'on', now],
    ['off', yesterday, 'on', yesterday],
    ['on', yesterday, 'off', yesterday],
    ['on', yesterday, 'on_request', yesterday],
  ] as const)('from %s (%s) to %s: the warm-up counts from %s', (from, enabledAt, to, expected) => {
    const before = settings({ smsMode: from, smsEnabledAt: enabledAt });
    expect(applySettingsChange(before, { smsMode: to }, now).after.smsEnabledAt).toEqual(expected);
  });
});

const changes: fc.Arbitrary<SettingsChange> = fc.record(
  {
    paused: fc.boolean(),
    active: fc.boolean(),
    warmup: fc.boolean(),
    plan: fc.constantFrom(...PLANS),
    periodEnd: fc.constantFrom(null, yesterday, now, tomorrow),
    smsMode: fc.constantFrom(...MODES),
    whatsappMode: fc.constantFrom(...MODES),
    lowBalanceThreshold: fc.nat(100),
  },
  { requiredKeys: [] },
);

test('a change makes what it names so, leaves alone what it does not, and made twice tells nothing more', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 5 }), changes, (earlierChanges, change) => {
      let before = settings();
      for (const one of earlierChanges) before = applySettingsChange(before, one, yesterday).after;
      const { after } = applySettingsChange(before, change, now);
      const derived = {
        periodStartedAt: after.periodStartedAt,
        lapsedAt: after.lapsedAt,
        smsEnabledAt: after.smsEnabledAt,
      };
      expect(after).toEqual({ ...before, ...change, ...derived });
      expect(after.lapsedAt !== null).toBe(after.plan === 'lapsed');
      expect(applySettingsChange(after, change, later(now, DAY))).toEqual({
        after,
        events: [],
        periodBegins: false,
      });
    }),
  );
});
