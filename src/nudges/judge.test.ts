import { describe, expect, test } from 'vitest';
import { type Running, whyNotNow } from './judge.ts';

const running = (given: Partial<Running> = {}): Running => ({
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

const reason = (given: Partial<Running>): string | null => whyNotNow(running(given))?.reason ?? null;

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
