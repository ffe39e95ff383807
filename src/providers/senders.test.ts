import { describe, expect, test } from 'vitest';
import type { Channel, PaidChannel } from '../contract/channels.ts';
import { OperatorError } from '../kit/errors.ts';
import { type OwnSenders, ownSenderAt, ownSendersOn, providerOn, senderOn } from './senders.ts';

const SERVICE = `MG${'3'.repeat(32)}`;
const NUMBER = '+37255550134';
const PHONE_NUMBER_ID = '106540352242922';

describe('a provider sends from', () => {
  test.each<[string, string, Channel, OwnSenders, string | null]>([
    ['the business’s sender', 'vonage', 'sms', { from: NUMBER }, NUMBER],
    ['a name with any of them', 'http', 'sms', { from: 'Acme' }, 'Acme'],
    ['the sender of its own first', 'vonage', 'sms', { from: NUMBER, fromAt: { vonage: 'Acme' } }, 'Acme'],
    ['none of another’s', 'vonage', 'sms', { from: null, fromAt: { twilio: NUMBER } }, null],
    ['what every one has, beside another’s', 'vonage', 'sms', { from: 'A', fromAt: { twilio: NUMBER } }, 'A'],
    ['a Messaging Service with Twilio', 'twilio', 'sms', { from: SERVICE }, SERVICE],
    ['a Messaging Service with nobody else', 'vonage', 'sms', { from: SERVICE }, null],
    ['a number on WhatsApp with Twilio', 'twilio', 'whatsapp', { from: NUMBER }, NUMBER],
    ['no number with Meta', 'meta', 'whatsapp', { from: NUMBER }, null],
    ['the id of a number with Meta', 'meta', 'whatsapp', { from: PHONE_NUMBER_ID }, PHONE_NUMBER_ID],
    ['no id of a number with Twilio', 'twilio', 'whatsapp', { from: PHONE_NUMBER_ID }, null],
    ['an address with every one of email', 'ses', 'email', { from: 'a@b.example' }, 'a@b.example'],
    ['the shared sender', 'ses', 'email', { from: null, fromAt: {} }, null],
  ])('%s', (_what, provider, channel, own, expected) =>
    expect(ownSenderAt(provider, channel, own)).toBe(expected),
  );
});

describe('a typed sender', () => {
  test.each<[PaidChannel, string[], string, boolean]>([
    ['sms', ['twilio'], SERVICE, true],
    ['sms', ['twilio', 'vonage'], SERVICE, true],
    ['sms', ['vonage', 'http'], SERVICE, false],
    ['sms', ['vonage'], '40404', true],
    ['sms', ['vonage'], 'Acme Bookshop', false],
    ['sms', ['sandbox'], SERVICE, true],
    ['whatsapp', ['meta'], NUMBER, false],
    ['whatsapp', ['meta', 'twilio'], NUMBER, true],
    ['whatsapp', ['meta', 'http'], PHONE_NUMBER_ID, true],
    ['whatsapp', ['twilio'], PHONE_NUMBER_ID, false],
    ['whatsapp', ['sandbox'], NUMBER, true],
  ])('%s with %j: %s', (channel, providers, address, isValid) => {
    const read = () => senderOn(channel, providers)(` ${address} `, 'ADDRESS');
    if (isValid) expect(read()).toBe(address);
    else expect(read).toThrow(OperatorError);
  });

  test('what is asked for names each form', () =>
    expect(() => senderOn('whatsapp', ['meta', 'twilio', 'http'])('Acme', 'ADDRESS')).toThrow(
      'ADDRESS must be the id of a phone number (digits, and not the number itself), or a number such as +37255550134, but is "Acme".',
    ));

  test('its provider is one of the channel’s, and of email none', () => {
    expect(providerOn('sms', ['twilio', 'vonage'])('vonage', '--provider')).toBe('vonage');
    expect(() => providerOn('sms', ['twilio', 'vonage'])('meta', '--provider')).toThrow(
      '--provider must be one of twilio, vonage, but is "meta".',
    );
    expect(() => providerOn('email', ['ses'])('ses', '--provider')).toThrow(
      '--provider is for texts and WhatsApp',
    );
  });
});

test('of all senders of a business, those of one channel', () => {
  const row = { domain_state: null };
  const listed = [
    { channel: 'email' as const, provider: null, address: 'a@b.example', ...row },
    { channel: 'sms' as const, provider: null, address: 'Acme', ...row },
    { channel: 'sms' as const, provider: 'vonage', address: NUMBER, ...row },
    { channel: 'whatsapp' as const, provider: 'meta', address: PHONE_NUMBER_ID, ...row },
  ];
  expect(ownSendersOn('sms', listed)).toEqual({ from: 'Acme', fromAt: { vonage: NUMBER } });
  expect(ownSendersOn('whatsapp', listed)).toEqual({ from: null, fromAt: { meta: PHONE_NUMBER_ID } });
  expect(ownSendersOn('email', listed)).toEqual({ from: 'a@b.example', fromAt: {} });
});
