import { expect, test } from 'vitest';
import type { SendState } from '../outbox/states.ts';
import { type DeliverySend, deliveryOf, refusalsOf } from './delivery.ts';

const PUSHED = '2026-08-20T09:15:00.000Z';
const ENDED = '2026-08-20T10:00:00.000Z';
const REFUSED = '2026-08-20T11:00:00.000Z';
const LATER = '2026-08-20T12:00:00.000Z';

const text = (state: SendState, last_status_at: string | null = ENDED): DeliverySend => ({
  id: 'send',
  channel: 'sms',
  state,
  reason: null,
  error_code: null,
  credits: 1,
  charged: false,
  created_at: PUSHED,
  submitted_at: null,
  last_status_at,
  delivered_at: null,
  bounced_at: null,
  complained_at: null,
});

const atPush = { created_at: new Date(PUSHED), sms_skipped: 'no_phone', whatsapp_skipped: null, history: [] };
const afterwards = {
  ...atPush,
  sms_skipped: null,
  history: [
    { type: 'sms.skipped', detail: 'stopped', at: REFUSED },
    { type: 'sms.skipped', detail: 'no_phone', at: ENDED },
    { type: 'message.updated', detail: null, at: LATER },
  ],
};

test('a text that its push refused is not sent, and says why and since when', () => {
  expect(deliveryOf([], refusalsOf(atPush), null)).toMatchObject({
    sms: {
      status: 'skipped',
      skipped_reason: 'no_phone',
      error_code: null,
      credits_charged: 0,
      submitted_at: null,
      last_status_at: PUSHED,
    },
    whatsapp: null,
  });
});

test('the latest of several refusals counts', () => {
  expect(deliveryOf([], refusalsOf(afterwards), null).sms?.skipped_reason).toBe('stopped');
});

test.each<[string, DeliverySend, string | null]>([
  ['ended before the refusal', text('failed'), 'skipped'],
  ['ended after it', text('delivered', LATER), 'delivered'],
  ['is under way all the same', text('accepted', null), 'queued'],
  ['is queued all the same', text('queued', null), 'queued'],
  ['is held until its deadline', text('held', null), null],
])('a refusal beside a send that %s', (_, send, status) => {
  expect(deliveryOf([send], refusalsOf(afterwards), null).sms?.status ?? null).toBe(status);
});
