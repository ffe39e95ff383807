import { expect, test } from 'vitest';
import { trackingStatuses } from '../../contract/orders.ts';
import type { SendLineRow } from './sql.ts';
import {
  capturedBadge,
  creditsOf,
  deliveryText,
  expectedText,
  reportedNext,
  reportsOn,
  spanOf,
  upcomingOf,
  whyOf,
} from './words.ts';

const AT = new Date('2026-08-20T09:15:00.000Z');

const send = (change: Partial<SendLineRow>): SendLineRow => ({
  id: 'send',
  channel: 'sms',
  purpose: 'nudge',
  state: 'queued',
  reason: null,
  error_code: null,
  attempts: 0,
  credits: 1,
  reserved: false,
  charged: false,
  due_at: null,
  is_fallback: false,
  last_status_at: null,
  complained_at: null,
  ...change,
});

test.each([
  [{ outcome: 'accepted', state: 'accepted', reason: null }, 'Accepted', 'waiting'],
  [{ outcome: 'accepted', state: 'delivered', reason: null }, 'Delivered', 'good'],
  [{ outcome: 'accepted', state: 'failed', reason: 'bounced' }, 'Bounced', 'bad'],
  [{ outcome: 'accepted', state: null, reason: null }, 'Accepted', 'waiting'],
  [{ outcome: 'refused', state: 'queued', reason: null }, 'Refused', 'bad'],
  [{ outcome: 'unknown', state: 'failed', reason: 'outcome_unknown' }, 'Answer lost', 'bad'],
  [{ outcome: 'unknown', state: 'delivered', reason: null }, 'Delivered', 'good'],
])('what became of it, in a word: %o', (captured, text, tone) => {
  expect(capturedBadge(captured)).toEqual({ tone, text });
});

test.each([
  [send({ state: 'held', due_at: AT }), 'Goes out only if the message is still unread at', AT],
  [
    send({ state: 'held', is_fallback: true, due_at: AT }),
    'Goes out if WhatsApp fails, or says nothing until',
    AT,
  ],
  [send({ due_at: AT }), 'Waits for', AT],
  [send({ due_at: AT, attempts: 2 }), 'Tried twice; again at', AT],
  [send({ state: 'accepted' }), 'The provider took it and has not reported yet.', null],
  [send({ state: 'skipped', reason: 'stopped' }), 'Not sent: stopped.', null],
  [send({ state: 'cancelled', reason: 'not_needed' }), 'No longer needed.', null],
  [send({ state: 'cancelled', reason: 'message_retracted' }), 'Cancelled: message_retracted.', null],
  [
    send({ state: 'failed', reason: 'bounced', error_code: 'mailbox_unknown' }),
    'bounced, mailbox_unknown',
    null,
  ],
  [send({ state: 'delivered' }), '', null],
])('why a nudge is where it is: %#', (row, text, until) => {
  expect(whyOf(row)).toEqual({ text, until });
});

test('a credit is set aside, then spent, or neither', () => {
  expect(creditsOf(send({ reserved: true }))).toBe('1 credit set aside');
  expect(creditsOf(send({ charged: true, credits: 2 }))).toBe('2 credits spent');
  expect(creditsOf(send({}))).toBe('');
  expect(creditsOf(send({ credits: 0, charged: true }))).toBe('');
});

test('what is going to happen, as a phrase', () => {
  const row = { kind: 'send', due_at: AT, what: 'sms', whom: '+37255550134', attempts: 0 } as const;
  const plain = { ...row, escalates: false, is_fallback: false };
  expect(upcomingOf(plain)).toBe('SMS to +37255550134');
  expect(upcomingOf({ ...plain, attempts: 1 })).toBe('SMS to +37255550134, attempt 2');
  expect(upcomingOf({ ...plain, escalates: true })).toBe(
    'SMS to +37255550134, if the message is still unread',
  );
  expect(upcomingOf({ ...plain, is_fallback: true })).toBe('SMS to +37255550134, if WhatsApp stays silent');
  expect(
    upcomingOf({ ...plain, kind: 'delivery', what: 'ping', whom: 'https://a.example', attempts: 2 }),
  ).toBe('ping to https://a.example, attempt 3');
  expect(upcomingOf({ ...plain, kind: 'report', what: 'delivered' })).toBe(
    'The provider reports “delivered” for +37255550134',
  );
});

test('how a delivery of an event went', () => {
  const line = { url: 'https://a.example', attempts: 1, status_code: 204, error: null };
  expect(deliveryText({ ...line, state: 'delivered' })).toBe('answered 204');
  expect(deliveryText({ ...line, state: 'pending', attempts: 0, status_code: null })).toBe('not tried yet');
  expect(deliveryText({ ...line, state: 'pending', status_code: 500 })).toBe('tried once: 500');
  expect(
    deliveryText({ ...line, state: 'exhausted', attempts: 8, status_code: null, error: 'timed out' }),
  ).toBe('tried 8 times: timed out');
});

test.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [300, '5 min'],
  [90_061, '1 d 1 h'],
  [3_605, '1 h 5 s'],
])('%d seconds, as people say it', (seconds, words) => {
  expect(spanOf(seconds)).toBe(words);
});

test.each(trackingStatuses)(
  'whatever a carrier has reported, its next reports come to an end: %s',
  (status) => {
    const seen = [];
    for (let next = reportedNext[status]; next !== null; next = reportedNext[next]) {
      expect(seen).not.toContain(next);
      seen.push(next);
    }
    expect(seen.at(-1) ?? status).toMatch(/^(delivered|returned)$/);
  },
);

test('the days on which a parcel is expected', () => {
  expect(expectedText({ expected_on: null, expected_until: null })).toBe('');
  expect(expectedText({ expected_on: '2026-11-21', expected_until: null })).toBe('expected 2026-11-21');
  expect(expectedText({ expected_on: '2026-11-21', expected_until: '2026-11-23' })).toBe(
    'expected 2026-11-21 to 2026-11-23',
  );
});

test('a mail is not read by a report, and nobody complains about a text', () => {
  expect(reportsOn.email).not.toContain('read');
  expect(reportsOn.sms).not.toContain('complained');
  expect(reportsOn.whatsapp).toContain('read');
});
