import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isFromTwilio, type TwilioRequest } from './twilioSignature.ts';

const TOKEN = '12345678901234567890123456789012';
const FORM = 'application/x-www-form-urlencoded; charset=UTF-8';

const report: TwilioRequest = {
  url: 'https://h.example.com/tw?n=1',
  signature: 'UCF5T1t2oDNc5tjDDp+ndDXfXqU=',
  contentType: FORM,
  body: Buffer.from('MessageSid=SM1&MessageStatus=delivered&To=%2B14155552671'),
};
const json: TwilioRequest = {
  url: 'https://h.example.com/tw?bodySHA256=015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  signature: 'rM4+oXE/8YLymU8UchakUgtTJfU=',
  contentType: 'application/json',
  body: Buffer.from('{"a":1}'),
};

/** What Twilio would sign for this address and these fields. */
const signed = (text: string) => createHmac('sha1', TOKEN).update(text).digest('base64');

describe('Twilio’s worked examples', () => {
  test('a form', () => expect(isFromTwilio(TOKEN, report)).toBe(true));
  test('JSON, through its hash in the address', () => expect(isFromTwilio(TOKEN, json)).toBe(true));
});

describe('what it signs, and how it writes the address', () => {
  test('the order of the fields does not matter, their names and values do', () => {
    const body = Buffer.from('To=%2B14155552671&MessageStatus=delivered&MessageSid=SM1');
    expect(isFromTwilio(TOKEN, { ...report, body })).toBe(true);
  });

  test('empty fields count, repeated ones count each value once, in order', () => {
    const body = Buffer.from('b=&a=2&a=1&a=2');
    const signature = signed('https://h.example.com/tw?n=1a1a2b');
    expect(isFromTwilio(TOKEN, { ...report, body, signature })).toBe(true);
  });

  test.each([
    ['https://h.example.com/tw?n=1', 'https://h.example.com:443/tw?n=1'],
    ['https://h.example.com:443/tw?n=1', 'https://h.example.com/tw?n=1'],
    ['https://h.example.com:8443/tw?n=1', 'https://h.example.com/tw?n=1'],
    ['http://h.example.com/tw?n=1', 'http://h.example.com:80/tw?n=1'],
  ])('ours is %s, it signed %s', (url, theirs) => {
    expect(
      isFromTwilio(TOKEN, { ...report, url, body: Buffer.from('a=1'), signature: signed(`${theirs}a1`) }),
    ).toBe(true);
  });

  test('letters outside ASCII', () => {
    const body = Buffer.from('Body=%C3%A9%E2%9C%93');
    expect(isFromTwilio(TOKEN, { ...report, body, signature: signed(`${report.url}Bodyé✓`) })).toBe(true);
  });
});

describe('nothing of it can be changed', () => {
  test.each<[string, Partial<TwilioRequest>]>([
    ['the host', { url: 'https://evil.example.com/tw?n=1' }],
    ['the path', { url: 'https://h.example.com/twx?n=1' }],
    ['the query', { url: 'https://h.example.com/tw?n=2' }],
    ['no query', { url: 'https://h.example.com/tw' }],
    ['the scheme', { url: 'http://h.example.com/tw?n=1' }],
    ['a value', { body: Buffer.from('MessageSid=SM1&MessageStatus=failed&To=%2B14155552671') }],
    ['a name', { body: Buffer.from('MessageSidx=SM1&MessageStatus=delivered&To=%2B14155552671') }],
    ['a field more', { body: Buffer.from('MessageSid=SM1&MessageStatus=delivered&To=%2B14155552671&x=1') }],
    ['a field less', { body: Buffer.from('MessageSid=SM1&MessageStatus=delivered') }],
    ['the signature', { signature: 'UCF5T1t2oDNc5tjDDp+ndDXfXqV=' }],
    ['a shorter signature', { signature: 'UCF5' }],
    ['no signature', { signature: undefined }],
    ['an empty signature', { signature: '' }],
    ['another media type', { contentType: 'text/plain' }],
  ])('%s', (_what, change) => {
    expect(isFromTwilio(TOKEN, { ...report, ...change })).toBe(false);
  });

  test('another token', () => expect(isFromTwilio(`${TOKEN}x`, report)).toBe(false));

  test.each<[string, Partial<TwilioRequest>]>([
    ['the JSON', { body: Buffer.from('{"a":2}') }],
    ['its hash', { url: json.url.replace('015a', '025a') }],
    [
      'a body without a hash',
      { url: 'https://h.example.com/tw', signature: signed('https://h.example.com/tw') },
    ],
  ])('%s', (_what, change) => {
    expect(isFromTwilio(TOKEN, { ...json, ...change })).toBe(false);
  });
});
