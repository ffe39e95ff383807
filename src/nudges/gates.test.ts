import { describe, expect, test } from 'vitest';
import { account } from '../../test/support/pushState.ts';
import {
  type AccountFacts,
  countryAllowed,
  type DueSend,
  type PaidAsk,
  type PersonFacts,
  whyNoEmail,
  whyNoPaid,
  whyNotNow,
} from './gates.ts';

const person = (change: Partial<PersonFacts> = {}): PersonFacts => ({
  unsubscribed: false,
  suppressed: false,
  platformSuppressed: false,
  country: 'EE',
  stopped: { sms: false, whatsapp: false },
  whatsappOptedIn: true,
  notOnWhatsapp: false,
  ...change,
});

const ask = (channel: PaidAsk['channel'], change: Partial<PaidAsk> = {}): PaidAsk => ({
  channel,
  wish: 'named',
  phoneTaken: false,
  templateSendable: true,
  price: 1,
  spendable: 1,
  rateLimited: false,
  ...change,
});

/** Each step adds one more obstacle in front of the others: the earlier reason must win. */
const paidLadder = (channel: 'sms' | 'whatsapp') => {
  const modes = (mode: 'off' | 'not_enabled') => ({ sms: mode, whatsapp: mode });
  const steps: [string, Partial<AccountFacts>, Partial<PersonFacts>, Partial<PaidAsk>][] = [
    ['rate_limited', {}, {}, { rateLimited: true }],
    ['insufficient_credit', {}, {}, { spendable: 0 }],
    ['country_not_allowed', { countries: ['FI'] }, {}, {}],
    ...(channel === 'whatsapp'
      ? ([
          ['template_not_sendable', {}, {}, { templateSendable: false }],
          ['not_reachable', {}, { notOnWhatsapp: true }, {}],
          ['not_opted_in', {}, { whatsappOptedIn: false }, {}],
        ] satisfies [string, Partial<AccountFacts>, Partial<PersonFacts>, Partial<PaidAsk>][])
      : []),
    ['stopped', {}, { stopped: { sms: true, whatsapp: true } }, {}],
    ['no_phone', {}, { country: null }, {}],
    ['phone_conflict', {}, {}, { phoneTaken: true }],
    ['unsubscribed', {}, { unsubscribed: true }, {}],
    ['disabled_by_request', {}, {}, { wish: 'left_out' }],
    [`${channel}_disabled`, { modes: modes('off') }, {}, {}],
    [`${channel}_not_enabled`, { modes: modes('not_enabled') }, {}, {}],
    ['sending_paused', { paused: true }, {}, {}],
  ];
  return steps;
};

describe.each(['sms', 'whatsapp'] as const)('the first reason that stops %s', (channel) => {
  let accountSoFar = {};
  let personSoFar = {};
  let askSoFar = {};
  const rows = paidLadder(channel).map(([reason, a, p, k]) => {
    accountSoFar = { ...accountSoFar, ...a };
    personSoFar = { ...personSoFar, ...p };
    askSoFar = { ...askSoFar, ...k };
    return { reason, facts: account(accountSoFar), who: person(personSoFar), what: ask(channel, askSoFar) };
  });

  test('is none when nothing stands in the way', () => {
    expect(whyNoPaid(account(), person(), ask(channel))).toBeNull();
  });

  test('is a pause where the shop is switched off', () => {
    expect(whyNoPaid(account({ active: false }), person(), ask(channel))).toBe('sending_paused');
  });

  test.each(rows)('is $reason, before all that follow it', ({ reason, facts, who, what }) => {
    expect(whyNoPaid(facts, who, what)).toBe(reason);
  });
});

describe('the first reason that stops an email', () => {
  const ladder: [string, Partial<AccountFacts>, Partial<PersonFacts>][] = [
    ['platform_suppressed', {}, { platformSuppressed: true }],
    ['suppressed', {}, { suppressed: true }],
    ['unsubscribed', {}, { unsubscribed: true }],
    ['plan_lapsed', { planLapsed: true }, {}],
    ['sending_paused', { paused: true }, {}],
    ['business_inactive', { active: false }, {}],
  ];
  let accountSoFar = {};
  let personSoFar = {};
  const rows = ladder.map(([reason, a, p]) => {
    accountSoFar = { ...accountSoFar, ...a };
    personSoFar = { ...personSoFar, ...p };
    return { reason, facts: account(accountSoFar), who: person(personSoFar) };
  });

  test('is none when nothing stands in the way', () => {
    expect(whyNoEmail(account(), person())).toBeNull();
  });

  test.each(rows)('is $reason, before all that follow it', ({ reason, facts, who }) => {
    expect(whyNoEmail(facts, who)).toBe(reason);
  });

  test.each([
    ['no sender of its own', false, {}, 'platform_suppressed'],
    ['a sender of its own', true, {}, null],
    ['a sender of its own, which this person turned away', true, { suppressed: true }, 'suppressed'],
  ] as const)('with %s and an address that failed elsewhere', (_, ownEmailSender, change, reason) => {
    const failedElsewhere = person({ platformSuppressed: true, ...change });
    expect(whyNoEmail(account({ ownEmailSender }), failedElsewhere)).toBe(reason);
  });
});

describe('a country', () => {
  test.each([
    ['EE', null, 'sms', true],
    ['EE', ['FI'], 'sms', false],
    ['FI', ['FI'], 'sms', true],
    ['US', null, 'sms', false],
    ['US', ['US'], 'sms', false],
    ['CA', ['CA', 'EE'], 'sms', false],
    ['US', null, 'whatsapp', false],
    ['US', ['US'], 'whatsapp', true],
  ] as const)('%s with the list %j by %s: %s', (country, countries, channel, allowed) => {
    expect(countryAllowed(account({ countries }), channel, country)).toBe(allowed);
  });
});

const running = (given: Partial<DueSend> = {}): DueSend => ({
  channel: 'sms',
  messageStatus: 'active',
  account: {
    active: true,
    paused: false,
    planLapsed: false,
    modes: { sms: 'on_request', whatsapp: 'on_request' },
    ownEmailSender: false,
    countries: null,
  },
  person: {
    unsubscribed: false,
    suppressed: false,
    platformSuppressed: false,
    country: 'GB',
    stopped: { sms: false, whatsapp: false },
    whatsappOptedIn: true,
    notOnWhatsapp: false,
  },
  template: 'sendable',
  price: 1,
  spendable: 1,
  left: { paidThisHour: null, emailsToday: null, textsToday: null },
  ...given,
});

const reason = (given: Partial<DueSend>): string | null => whyNotNow(running(given))?.reason ?? null;

describe('when a send runs', () => {
  test.each(['email', 'sms', 'whatsapp'] as const)('nothing stops an ordinary %s', (channel) => {
    expect(whyNotNow(running({ channel }))).toBeNull();
  });

  test('what became of the message comes first', () => {
    const { account } = running();
    expect(reason({ messageStatus: 'retracted', account: { ...account, paused: true } })).toBe(
      'message_retracted',
    );
    expect(reason({ messageStatus: 'obsolete' })).toBe('message_obsolete');
  });

  test('a used-up limit stops it, unless a gate has a reason of its own', () => {
    const none = { paidThisHour: 0, emailsToday: 0, textsToday: 0 };
    const { account } = running();
    expect(reason({ channel: 'email', left: none })).toBe('daily_cap_reached');
    expect(reason({ channel: 'email', left: none, account: { ...account, planLapsed: true } })).toBe(
      'plan_lapsed',
    );
    expect(reason({ left: { ...none, paidThisHour: null } })).toBe('sms_warmup_cap_reached');
    expect(reason({ left: none })).toBe('rate_limited');
    expect(reason({ channel: 'whatsapp', left: { ...none, paidThisHour: 1 } })).toBeNull();
  });

  test('the balance concerns paid messages alone', () => {
    expect(reason({ spendable: 0 })).toBe('insufficient_credit');
    expect(reason({ channel: 'email', spendable: 0 })).toBeNull();
  });

  test('a deactivated account sends nothing', () => {
    const account = { ...running().account, active: false };
    expect(reason({ channel: 'email', account })).toBe('business_inactive');
    expect(reason({ account })).toBe('sending_paused');
  });

  test('a text goes instead only where WhatsApp cannot carry the message', () => {
    const person = { ...running().person, notOnWhatsapp: true };
    expect(whyNotNow(running({ channel: 'whatsapp', person }))).toEqual({
      reason: 'not_reachable',
      textInstead: true,
    });
    expect(whyNotNow(running({ channel: 'whatsapp', template: 'impossible' }))).toMatchObject({
      textInstead: true,
    });
    expect(whyNotNow(running({ channel: 'whatsapp', template: 'in_review' }))).toEqual({
      reason: 'template_not_sendable',
      textInstead: false,
    });
    expect(whyNotNow(running({ channel: 'whatsapp', spendable: 0 }))).toMatchObject({ textInstead: false });
  });
});
