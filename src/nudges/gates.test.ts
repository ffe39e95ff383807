import { describe, expect, test } from 'vitest';
import { account } from '../../test/helpers/pushFacts.ts';
import {
  type AccountFacts,
  countryAllowed,
  type PaidAsk,
  type PersonFacts,
  whyNoEmail,
  whyNoPaid,
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
