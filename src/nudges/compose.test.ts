import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compose, type NudgeParts } from './compose.ts';

const parts = (given: Partial<NudgeParts> = {}): NudgeParts => ({
  reference: 'business-send',
  attempt: 1,
  businessId: 'business',
  sendId: 'send',
  messageId: 'message',
  recipientId: 'recipient',
  channel: 'email',
  purpose: 'nudge',
  email: 'ann@example.com',
  phone: '+447700900123',
  subject: 'Your parcel',
  body: 'It left us today.',
  orderReference: '#1001',
  orderStatus: 'shipped',
  isUpdate: false,
  reply: null,
  replyLink: '',
  settings: { name: 'Acme Books', contactEmail: 'owner@shop.example', replyForward: 'full' },
  language: 'en',
  sender: null,
  link: 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A',
  unsubscribeLink: 'https://waypost.example/unsubscribe/u1',
  sharedDomain: 'waypost.example',
  ...given,
});

describe('a nudge as its provider gets it', () => {
  test('an email goes to the person, from the business, with what mail clients need', () => {
    expect(compose(parts())).toMatchObject({
      channel: 'email',
      to: 'ann@example.com',
      fromName: 'Acme Books',
      subject: 'Your parcel',
      headers: {
        'Message-ID': '<business-send@waypost.example>',
        'List-Unsubscribe': '<https://waypost.example/unsubscribe/u1>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
    });
  });

  test('the Message-ID is the same on every attempt, although the link is not', () => {
    const mails = [1, 2].map((attempt) =>
      compose(parts({ attempt, link: `https://waypost.example/i/${attempt}` })),
    );
    const [first, second] = mails.map((mail) =>
      mail.channel === 'email' ? mail.headers['Message-ID'] : null,
    );
    expect(first).toBe(second);
  });

  test.each([
    ['the shared domain', null, 'waypost.example'],
    ['the domain of the business’s own sender', 'orders@mail.own.example', 'mail.own.example'],
  ])('the Message-ID ends in %s', (_, sender, domain) => {
    for (const purpose of ['nudge', 'new_link', 'reply_forward']) {
      const mail = compose(parts({ purpose, sender, reply: 'Hello' }));
      expect(mail).toMatchObject({ from: sender, headers: { 'Message-ID': `<business-send@${domain}>` } });
    }
  });

  test('no business name can break out of a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, subject) => {
        const mail = compose(parts({ settings: { name, contactEmail: null, replyForward: 'off' }, subject }));
        if (mail.channel !== 'email') throw new Error('not an email');
        for (const text of [mail.fromName, mail.subject, ...Object.values(mail.headers)])
          expect(text).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('texts and WhatsApp messages never hold the subject', () => {
    const subject = 'SUBJECT-CANARY';
    for (const channel of ['sms', 'whatsapp'] as const) {
      const message = compose(parts({ channel, subject }));
      expect(message.to).toBe('+447700900123');
      expect(JSON.stringify(message)).not.toContain(subject);
      expect(message.text).toContain('https://waypost.example/i/');
    }
  });

  test('a WhatsApp message without words cannot be written, nor a text without a number', () => {
    expect(() => compose(parts({ channel: 'whatsapp', orderReference: null }))).toThrow();
    expect(() => compose(parts({ channel: 'sms', phone: null }))).toThrow();
  });
});

describe('mail of the service’s own', () => {
  const reply = {
    purpose: 'reply_forward',
    reply: 'Where is <it>?',
    replyLink: 'https://waypost.example/replies/r1',
    link: '',
  };

  test('a forwarded reply goes to the business’s contact, quoted and escaped, without an unsubscribe link', () => {
    const mail = compose(parts(reply));
    expect(mail).toMatchObject({
      channel: 'email',
      to: 'owner@shop.example',
      text: expect.stringContaining('> Where is <it>?'),
    });
    expect(mail.channel === 'email' && mail.html).toContain('Where is &lt;it>?');
    expect(mail.channel === 'email' && mail.headers).not.toHaveProperty('List-Unsubscribe');
  });

  test('with link_only it holds no word of the reply', () => {
    const settings = {
      name: 'Acme Books',
      contactEmail: 'owner@shop.example',
      replyForward: 'link_only',
    } as const;
    const mail = compose(parts({ ...reply, settings }));
    expect(JSON.stringify(mail)).not.toContain('Where is');
    expect(mail.text).toContain('https://waypost.example/replies/r1');
  });

  test('an acknowledgement is free text on WhatsApp', () => {
    const message = compose(
      parts({ channel: 'whatsapp', purpose: 'reply_ack', link: '', orderReference: null }),
    );
    expect(message).toMatchObject({
      channel: 'whatsapp',
      template: null,
      text: expect.stringContaining('Acme Books'),
    });
  });

  test('a new link is mailed to the person', () => {
    const mail = compose(parts({ purpose: 'new_link', subject: null, orderReference: null }));
    expect(mail).toMatchObject({
      to: 'ann@example.com',
      text: expect.stringContaining('/i/4hX0r7Qm2sT9vLcK8dWz1A'),
    });
  });
});

test.each(['sms', 'whatsapp'] as const)(
  'no parcel is in a message by %s, nor where to follow it',
  (channel) => {
    const shipment = {
      trackingNumber: 'CC1234',
      carrier: 'Omniva',
      trackingUrl: 'https://track.example/CC1234',
      expectedOn: '2026-11-24',
      expectedUntil: null,
      status: null,
    };
    const parcels = { shipments: [shipment], now: new Date('2026-11-19T09:00:00.000Z') };
    expect(compose(parts({ channel, parcels }))).toEqual(compose(parts({ channel })));
  },
);
