import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IGNORED_CONTENT } from '../callbackContent.ts';
import { parseHttpCallback } from './callback.ts';

const status = (channel: string, told: string, change: Record<string, unknown> = {}) =>
  parseHttpCallback('evt_1', {
    v: 1,
    type: 'status',
    id: `${channel}_mwh91ugabiz-mwh91uga00send_2`,
    status: told,
    at: '2026-11-18T09:15:30Z',
    ...change,
  });

/** The report in a few words. */
function parsed(channel: string, told: string, change: Record<string, unknown> = {}): string | undefined {
  const [report] = status(channel, told, change)?.reports ?? [];
  if (report === undefined) return undefined;
  const { permanent, stopped, notOnWhatsapp } = report;
  const more = [permanent && 'for good', stopped && 'stops', notOnWhatsapp && 'not on WhatsApp'];
  return [report.status, report.errorCode, ...more].filter(Boolean).join(', ');
}

describe('a status', () => {
  test.each<[string, string, string | undefined, string]>([
    ['email', 'delivered', undefined, 'delivered'],
    ['email', 'failed', undefined, 'failed'],
    ['email', 'failed', 'mailbox_full', 'failed, http_mailbox_full'],
    ['email', 'bounced', undefined, 'bounced, http_bounced, for good'],
    ['email', 'bounced', 'no_user', 'bounced, http_no_user, for good'],
    ['email', 'complained', 'x', 'complained'],
    ['email', 'opted_out', undefined, 'bounced, http_opted_out, for good'],
    ['sms', 'delivered', 'x', 'delivered'],
    ['sms', 'failed', 'unknown_handset', 'failed, http_unknown_handset'],
    ['sms', 'bounced', undefined, 'failed'],
    ['sms', 'opted_out', undefined, 'rejected, stopped, stops'],
    ['whatsapp', 'read', undefined, 'read'],
    ['whatsapp', 'bounced', 'x', 'rejected, not_reachable, not on WhatsApp'],
    ['whatsapp', 'opted_out', undefined, 'rejected, stopped, stops'],
    ['sms', 'failed', 'Not A Code', 'failed'],
    ['sms', 'failed', 'x'.repeat(65), 'failed'],
  ])('of %s: %s %s', (channel, told, code, expected) => {
    expect(parsed(channel, told, { code })).toBe(expected);
  });

  test.each(['sent', 'deferred'])('%s is not final', (told) => {
    expect(status('sms', told)).toEqual(IGNORED_CONTENT);
  });

  test('is matched by the id of our request, and remembered by its own', () => {
    expect(status('sms', 'delivered')?.reports).toEqual([
      {
        provider: 'http',
        reportId: 'evt_1',
        reference: 'mwh91ugabiz-mwh91uga00send',
        paidChannel: 'sms',
        status: 'delivered',
        errorCode: null,
      },
    ]);
  });
});

const inbound = {
  v: 1,
  type: 'inbound',
  channel: 'sms',
  from: '+447700900123',
  to: 'Acme Books',
  text: ' Stop ',
  id: 'in-1',
};

test('a message of somebody’s', () => {
  expect(parseHttpCallback('evt_1', inbound)?.inbound).toEqual([
    { channel: 'sms', from: '+447700900123', to: ['Acme Books'], body: ' Stop ', id: 'in-1' },
  ]);
});

describe('will never be understood', () => {
  test.each<[string, Record<string, unknown>]>([
    ['another version', { v: 2 }],
    ['no version', { v: undefined }],
    ['another type', { type: 'other' }],
    ['another channel', { channel: 'email' }],
    ['from nobody', { from: undefined }],
    ['to nobody', { to: undefined }],
    ['to what no database can store', { to: 'Acme\u0000' }],
    ['without a text', { text: undefined }],
    ['without an id', { id: undefined }],
    ['with an endless id', { id: 'x'.repeat(129) }],
  ])('inbound: %s', (_what, change) => {
    expect(parseHttpCallback('evt_1', { ...inbound, ...change })).toBeNull();
  });

  test.each<[string, Record<string, unknown>]>([
    ['of no id of ours', { id: 'mwh91ugabiz-mwh91uga00send' }],
    ['of no channel of ours', { id: 'fax_a-b_1' }],
    ['without an id', { id: undefined }],
    ['that is none', { status: 'gone' }],
    ['without a status', { status: undefined }],
  ])('a status %s', (_what, change) => {
    expect(status('sms', 'delivered', change)).toBeNull();
  });

  test.each(['', 'x'.repeat(129), 'with space', 'é'])('the event id %j', (id) => {
    expect(parseHttpCallback(id, inbound)).toBeNull();
  });

  test('whatever JSON it is, nothing throws', () => {
    const words = fc.constantFrom('status', 'inbound', 'sms', 'email_a-b_1', 'bounced', '+447700900123');
    const value = fc.oneof(fc.constant(1), words, fc.jsonValue());
    const body = fc.record(
      {
        v: value,
        type: value,
        id: value,
        status: value,
        channel: value,
        from: value,
        to: value,
        text: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.string(), fc.oneof(body, fc.jsonValue()), (id, said) => {
        const content = parseHttpCallback(id, said);
        expect(
          content === null || content.reports.length + content.inbound.length + content.ignored === 1,
        ).toBe(true);
      }),
    );
  });
});
