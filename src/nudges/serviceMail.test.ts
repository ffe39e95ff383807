import { describe, expect, test } from 'vitest';
import { type ServiceMail, whyNoServiceMail } from './serviceMail.ts';

const mail = (given: Partial<ServiceMail> = {}): ServiceMail => ({
  purpose: 'reply_forward',
  reply: 'Hello',
  settings: { contactEmail: 'owner@shop.example', replyForward: 'full', replyAck: 'on' },
  account: {
    active: true,
    paused: false,
    planLapsed: false,
    modes: { sms: 'on', whatsapp: 'on_request' },
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
  messagedOnWhatsapp: true,
  ...given,
});
const reason = (given: Partial<ServiceMail>): string | null => whyNoServiceMail(mail(given));

describe('mail of the service’s own', () => {
  test('a reply is forwarded while somebody wants it and it still exists', () => {
    expect(whyNoServiceMail(mail())).toBeNull();
    expect(reason({ reply: null })).toBe('not_needed');
    const { settings } = mail();
    expect(reason({ settings: { ...settings, contactEmail: null } })).toBe('not_needed');
    expect(reason({ settings: { ...settings, replyForward: 'off' } })).toBe('not_needed');
  });

  test('a reply is acknowledged unless the person or the account wants no WhatsApp', () => {
    const purpose = 'reply_ack';
    const { person, account, settings } = mail();
    expect(reason({ purpose })).toBeNull();
    expect(reason({ purpose, settings: { ...settings, replyForward: 'off' } })).toBeNull();
    expect(reason({ purpose, settings: { ...settings, replyAck: 'off' } })).toBe('not_needed');
    expect(reason({ purpose, person: { ...person, stopped: { sms: false, whatsapp: true } } })).toBe(
      'stopped',
    );
    expect(reason({ purpose, person: { ...person, unsubscribed: true } })).toBe('unsubscribed');
    expect(reason({ purpose, person: { ...person, country: null } })).toBe('no_phone');
    expect(reason({ purpose, account: { ...account, paused: true } })).toBe('sending_paused');
    expect(reason({ purpose, account: { ...account, modes: { sms: 'on', whatsapp: 'off' } } })).toBe(
      'whatsapp_disabled',
    );
    expect(reason({ purpose, reply: null })).toBe('not_needed');
  });

  test.each([
    [true, true, null],
    [true, false, null],
    [false, true, null],
    [false, false, 'not_opted_in'],
  ])(
    'a reply is acknowledged with consent (%s) or after a message to the number (%s): %s',
    (whatsappOptedIn, messagedOnWhatsapp, expected) => {
      const person = { ...mail().person, whatsappOptedIn };
      expect(reason({ purpose: 'reply_ack', person, messagedOnWhatsapp })).toBe(expected);
    },
  );

  test('who asks for a new link gets it, also unsubscribed or while sending is paused, but not at a dead address', () => {
    const purpose = 'new_link';
    const { person, account } = mail();
    expect(
      reason({ purpose, person: { ...person, unsubscribed: true }, account: { ...account, paused: true } }),
    ).toBeNull();
    expect(reason({ purpose, person: { ...person, suppressed: true } })).toBe('suppressed');
    const failedElsewhere = { ...person, platformSuppressed: true };
    expect(reason({ purpose, person: failedElsewhere })).toBe('platform_suppressed');
    expect(
      reason({ purpose, person: failedElsewhere, account: { ...account, ownEmailSender: true } }),
    ).toBeNull();
  });

  test('a deactivated account sends nothing', () => {
    const account = { ...mail().account, active: false };
    for (const purpose of ['reply_forward', 'reply_ack', 'new_link'])
      expect(reason({ purpose, account })).toBe('business_inactive');
  });
});
