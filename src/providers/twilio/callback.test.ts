import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isFromTwilio, parseTwilioCallback, type TwilioRequest } from './callback.ts';

const told = (fields: Record<string, string>, reference: string | null = 'b-s') =>
  parseTwilioCallback({
    form: new URLSearchParams({ MessageSid: 'SM1', To: '+447700900123', ...fields }),
    reference,
  });

/** The report in a few words; null: none, or one that is known already. */
function parsed(fields: Record<string, string>): string | null {
  const { reports, faults } = told(fields);
  const [report] = reports;
  if (!report) return null;
  return [report.status, report.errorCode, report.stopped && 'stops', faults.length > 0 && 'says so']
    .filter(Boolean)
    .join(', ');
}

describe('a report', () => {
  test.each<[string, string | null]>([
    ['accepted', null],
    ['scheduled', null],
    ['queued', null],
    ['sending', null],
    ['sent', null],
    ['partially_delivered', null],
    ['something_new', null],
    ['delivered', 'delivered'],
    ['read', 'read'],
    ['undelivered', 'failed'],
    ['failed', 'rejected'],
    ['canceled', 'rejected'],
  ])('%s', (MessageStatus, expected) => {
    expect(parsed({ MessageStatus })).toBe(expected);
    expect(parsed({ SmsStatus: MessageStatus })).toBe(expected);
  });

  test.each<[string, number, string]>([
    ['undelivered', 30003, 'failed, handset_unreachable'],
    ['undelivered', 30004, 'failed, blocked'],
    ['undelivered', 30005, 'failed, unknown_handset'],
    ['undelivered', 30006, 'failed, landline'],
    ['undelivered', 30007, 'failed, filtered, says so'],
    ['undelivered', 30008, 'failed, carrier_error'],
    ['failed', 30001, 'rejected, platform_limited'],
    ['failed', 30002, 'rejected, twilio_30002, says so'],
    ['failed', 30034, 'rejected, twilio_30034, says so'],
    ['failed', 21610, 'rejected, stopped, stops'],
    ['undelivered', 63003, 'rejected, not_reachable'],
    ['undelivered', 63024, 'rejected, not_reachable'],
    ['failed', 63013, 'rejected, twilio_63013, says so'],
    ['undelivered', 63014, 'rejected, stopped, stops'],
    ['failed', 63016, 'rejected, twilio_63016, says so'],
    ['failed', 63018, 'rejected, platform_limited'],
    ['failed', 63021, 'rejected, twilio_63021, says so'],
    ['failed', 63027, 'rejected, template_not_sendable, says so'],
    ['failed', 63028, 'rejected, template_not_sendable, says so'],
    ['failed', 63029, 'rejected, twilio_63029, says so'],
    ['failed', 63030, 'rejected, twilio_63030, says so'],
    ['undelivered', 63032, 'rejected, platform_limited'],
    ['undelivered', 63049, 'rejected, platform_limited'],
    ['undelivered', 39999, 'failed, twilio_39999'],
  ])('%s with %i', (MessageStatus, code, expected) => {
    expect(parsed({ MessageStatus, ErrorCode: String(code) })).toBe(expected);
  });

  test('of an arrival has no fault, whatever it names', () => {
    expect(parsed({ MessageStatus: 'delivered', ErrorCode: '30007' })).toBe('delivered');
  });

  test('is matched by the reference in its address, and by nothing else', () => {
    expect(told({ MessageStatus: 'delivered' }).reports).toMatchObject([
      { provider: 'twilio', reportId: 'SM1 delivered', reference: 'b-s', number: '+447700900123' },
    ]);
    expect(told({ MessageStatus: 'delivered' }, null).reports).toMatchObject([{ reference: '' }]);
  });

  test('tells of a fault on the channel it was about', () => {
    const faults = (To: string) => told({ MessageStatus: 'failed', ErrorCode: '30002', To }).faults;
    expect(faults('+447700900123')).toMatchObject([{ channel: 'sms' }]);
    expect(faults('whatsapp:+447700900123')).toMatchObject([{ channel: 'whatsapp' }]);
  });
});

describe('a message of somebody’s', () => {
  const inbound = { SmsStatus: 'received', From: '+447700900123', To: '+447700900900', Body: ' Stop ' };

  test('speaks to the number and the service it was sent to', () => {
    expect(told({ ...inbound, MessagingServiceSid: 'MG1' }, null).inbound).toEqual([
      { channel: 'sms', from: '+447700900123', body: ' Stop ', to: ['+447700900900', 'MG1'], id: 'SM1' },
    ]);
  });

  test('on WhatsApp comes without the prefix', () => {
    const fields = { ...inbound, From: 'whatsapp:+447700900123', To: 'whatsapp:+447700900901' };
    expect(told(fields, null).inbound).toMatchObject([
      { channel: 'whatsapp', from: '+447700900123', to: ['+447700900901'] },
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['what Twilio made of it', { OptOutType: 'STOP', Body: 'Lõpeta' }, 'STOP'],
    ['a picture without words', { Body: '', NumMedia: '1' }, '[attachment]'],
    ['a picture with words', { Body: 'Look', NumMedia: '1' }, 'Look'],
  ])('%s', (_what, change, body) => {
    expect(told({ ...inbound, ...change }, null).inbound).toMatchObject([{ body }]);
  });

  test('from nobody is ignored', () => {
    expect(told({ SmsStatus: 'received', From: '' }, null)).toMatchObject({ inbound: [], ignored: 1 });
  });
});

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
