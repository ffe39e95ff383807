import { describe, expect, test } from 'vitest';
import { parseTwilioCallback } from './twilio.ts';

const told = (fields: Record<string, string>, reference: string | null = 'b-s') =>
  parseTwilioCallback({
    form: new URLSearchParams({ MessageSid: 'SM1', To: '+447700900123', ...fields }),
    reference,
  });

/** What is heard, in a few words; null: nothing that is not known already. */
function heard(fields: Record<string, string>): string | null {
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
    expect(heard({ MessageStatus })).toBe(expected);
    expect(heard({ SmsStatus: MessageStatus })).toBe(expected);
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
    expect(heard({ MessageStatus, ErrorCode: String(code) })).toBe(expected);
  });

  test('of an arrival has no fault, whatever it names', () => {
    expect(heard({ MessageStatus: 'delivered', ErrorCode: '30007' })).toBe('delivered');
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
