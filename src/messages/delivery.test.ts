import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../test/support/delivery.ts';
import { channels } from '../contract/channels.ts';
import { NOT_NEEDED, OUTCOME_UNKNOWN, sendStates } from '../outbox/states.ts';
import { type DeliverySend, deliveryOf, type RefusedSend } from './delivery.ts';

/** As Postgres writes times into JSON, and as they leave. */
const PUSHED = '2026-08-20T09:15:00+00:00';
const STATUS = '2026-08-20T12:15:01.5+03:00';
const STATUS_OUT = '2026-08-20T09:15:01.500Z';
const LATER = '2026-08-21T08:00:00.25+00:00';
const LATER_OUT = '2026-08-21T08:00:00.250Z';

const send = (change: Partial<DeliverySend>): DeliverySend => ({
  id: '',
  channel: 'email',
  state: 'queued',
  reason: null,
  error_code: null,
  credits: change.channel === undefined || change.channel === 'email' ? 0 : 1,
  charged: false,
  created_at: PUSHED,
  submitted_at: null,
  last_status_at: null,
  delivered_at: null,
  bounced_at: null,
  complained_at: null,
  ...change,
});

/** Of sends in the order of their ids, which begin with their time; handed over in another order. */
const deliveryAfter = (
  sends: readonly DeliverySend[],
  openedAt: Date | null,
  refusals: readonly RefusedSend[] = [],
) => deliveryOf(sends.map((one, index) => ({ ...one, id: `send${index}` })).toReversed(), refusals, openedAt);

const delivered = send({ state: 'delivered', delivered_at: STATUS, last_status_at: STATUS });
describe('email', () => {
  test('a message without sends has every field and nothing to tell', () => {
    expect(deliveryAfter([], null)).toEqual(NOTHING_REPORTED);
  });

  test.each(['queued', 'submitting', 'accepted'] as const)(
    'an email that is %s has nothing to tell yet',
    (state) => {
      expect(deliveryAfter([send({ state })], null)).toEqual(NOTHING_REPORTED);
    },
  );

  test('a delivered email shows when', () => {
    expect(deliveryAfter([delivered], null)).toEqual({
      ...NOTHING_REPORTED,
      delivered: true,
      delivered_at: STATUS_OUT,
    });
  });

  test('an opened message shows when, whatever became of its email', () => {
    const openedAt = new Date(LATER);
    expect(deliveryAfter([send({})], openedAt)).toEqual({
      ...NOTHING_REPORTED,
      opened: true,
      opened_at: LATER_OUT,
    });
  });

  test('a bounce is shown as a bounce, not as a failure', () => {
    const bounced = send({ state: 'failed', reason: 'bounced', bounced_at: STATUS, last_status_at: STATUS });
    expect(deliveryAfter([bounced], null)).toEqual({
      ...NOTHING_REPORTED,
      bounced: true,
      bounced_at: STATUS_OUT,
    });
  });

  test('a bounce after a delivery leaves both to be seen', () => {
    const bounced = send({ ...delivered, state: 'failed', bounced_at: LATER });
    expect(deliveryAfter([bounced], null)).toMatchObject({
      delivered_at: STATUS_OUT,
      bounced_at: LATER_OUT,
      failed: null,
    });
  });

  test('a complaint is shown beside the delivery', () => {
    expect(deliveryAfter([{ ...delivered, complained_at: LATER }], null)).toMatchObject({
      delivered: true,
      complained: true,
      complained_at: LATER_OUT,
    });
  });

  test.each(['plan_lapsed', 'daily_cap_reached', 'suppressed', 'unsubscribed'])(
    'an email that was never attempted is not_sent: %s',
    (reason) => {
      const skipped = send({ state: 'skipped', reason, last_status_at: STATUS });
      expect(deliveryAfter([skipped], null)).toEqual({
        ...NOTHING_REPORTED,
        not_sent: { reason, at: STATUS_OUT },
      });
    },
  );

  test.each(['message_retracted', 'message_obsolete'])('a cancelled email is not_sent: %s', (reason) => {
    const cancelled = send({ state: 'cancelled', reason, last_status_at: STATUS });
    expect(deliveryAfter([cancelled], null).not_sent).toEqual({ reason, at: STATUS_OUT });
  });

  test.each([
    ['rejected', 'esp_refused'],
    ['rejected', 'retries_exhausted'],
    ['failed', OUTCOME_UNKNOWN],
  ] as const)('an email that ended %s has failed: %s', (state, reason) => {
    const ended = send({ state, reason, last_status_at: STATUS });
    expect(deliveryAfter([ended], null)).toEqual({ ...NOTHING_REPORTED, failed: { reason, at: STATUS_OUT } });
  });

  test('an email of unknown outcome that was delivered after all shows as delivered and not as failed', () => {
    const late = send({
      state: 'delivered',
      reason: OUTCOME_UNKNOWN,
      delivered_at: LATER,
      last_status_at: LATER,
    });
    expect(deliveryAfter([late], null)).toEqual({
      ...NOTHING_REPORTED,
      delivered: true,
      delivered_at: LATER_OUT,
    });
  });

  test('a later successful send withdraws not_sent', () => {
    const skipped = send({ state: 'skipped', reason: 'plan_lapsed', last_status_at: STATUS });
    expect(deliveryAfter([skipped, send({ state: 'queued' })], null).not_sent).not.toBeNull();
    expect(deliveryAfter([skipped, send({ state: 'accepted' })], null).not_sent).toBeNull();
    expect(deliveryAfter([skipped, delivered], null)).toMatchObject({ not_sent: null, delivered: true });
  });

  test('the last attempt decides: an email that failed once and then was not sent is not_sent, not failed', () => {
    const failed = send({ state: 'rejected', reason: 'esp_refused', last_status_at: STATUS });
    const skipped = send({ state: 'skipped', reason: 'suppressed', last_status_at: LATER });
    expect(deliveryAfter([failed, skipped], null)).toMatchObject({
      failed: null,
      not_sent: { reason: 'suppressed' },
    });
    expect(deliveryAfter([skipped, failed], null)).toMatchObject({
      failed: { reason: 'esp_refused' },
      not_sent: null,
    });
  });

  test('an email superseded by a newer one says nothing', () => {
    const superseded = send({ state: 'cancelled', reason: 'superseded', last_status_at: STATUS });
    expect(deliveryAfter([superseded, send({})], null)).toEqual(NOTHING_REPORTED);
    expect(deliveryAfter([delivered, superseded], null)).toMatchObject({ delivered: true, not_sent: null });
  });
});

describe.each(['sms', 'whatsapp'] as const)('%s', (channel) => {
  const only = (...sends: Partial<DeliverySend>[]) =>
    deliveryAfter(
      sends.map((one) => send({ channel, ...one })),
      null,
    )[channel];

  test('a channel that never had a send is null', () => {
    expect(deliveryAfter([delivered], null)[channel]).toBeNull();
  });

  test('an armed send shows nothing until its deadline', () => {
    expect(only({ state: 'held' })).toBeNull();
  });

  test.each(['queued', 'submitting', 'accepted'] as const)('a send that is %s is queued', (state) => {
    expect(only({ state, submitted_at: STATUS })).toEqual({
      status: 'queued',
      skipped_reason: null,
      error_code: null,
      credits_charged: 0,
      submitted_at: STATUS_OUT,
      last_status_at: null,
    });
  });

  test('a delivered one shows what it cost and when', () => {
    expect(
      only({ state: 'delivered', credits: 3, charged: true, submitted_at: STATUS, last_status_at: LATER }),
    ).toEqual({
      status: 'delivered',
      skipped_reason: null,
      error_code: null,
      credits_charged: 3,
      submitted_at: STATUS_OUT,
      last_status_at: LATER_OUT,
    });
  });

  test('a failed one shows the error and the credit it kept', () => {
    const error_code = `${channel}.submit_outcome_unknown`;
    expect(only({ state: 'failed', reason: OUTCOME_UNKNOWN, error_code, charged: true })).toMatchObject({
      status: 'failed',
      skipped_reason: null,
      error_code,
      credits_charged: 1,
    });
  });

  test('a rejected one was refunded', () => {
    const error_code = `${channel}.submit_refused`;
    expect(only({ state: 'rejected', error_code })).toMatchObject({
      status: 'rejected',
      error_code,
      credits_charged: 0,
    });
  });

  test('a skipped one says why', () => {
    expect(only({ state: 'skipped', reason: 'stopped' })).toMatchObject({
      status: 'skipped',
      skipped_reason: 'stopped',
    });
  });

  test.each(['message_retracted', 'message_obsolete'])('a cancelled one shows as skipped: %s', (reason) => {
    expect(only({ state: 'cancelled', reason })).toMatchObject({ status: 'skipped', skipped_reason: reason });
  });

  test.each(['superseded', NOT_NEEDED, null])('one that became needless (%s) is not shown', (reason) => {
    expect(only({ state: 'cancelled', reason })).toBeNull();
  });

  test('the latest send of the channel is shown', () => {
    expect(only({ state: 'rejected' }, { state: 'delivered' })?.status).toBe('delivered');
    expect(only({ state: 'delivered' }, { state: 'skipped', reason: 'insufficient_credit' })?.status).toBe(
      'skipped',
    );
  });

  test('a send that is superseded or still armed leaves the one before it to be seen', () => {
    expect(only({ state: 'delivered' }, { state: 'held' })?.status).toBe('delivered');
    expect(only({ state: 'delivered' }, { state: 'cancelled', reason: 'superseded' })?.status).toBe(
      'delivered',
    );
  });
});

test('a read WhatsApp message shows as read', () => {
  expect(deliveryAfter([send({ channel: 'whatsapp', state: 'read' })], null).whatsapp?.status).toBe('read');
});

test('whatever the sends, not_sent and failed exclude each other, and only shown states have a reason or an error', () => {
  const time = fc.constantFrom(null, STATUS, LATER);
  const anySend = fc.record({
    channel: fc.constantFrom(...channels),
    state: fc.constantFrom(...sendStates),
    reason: fc.constantFrom(null, 'superseded', 'message_retracted', 'stopped', OUTCOME_UNKNOWN),
    error_code: fc.constantFrom(null, 'sms.submit_refused'),
    charged: fc.boolean(),
    delivered_at: time,
    bounced_at: time,
  });
  fc.assert(
    fc.property(fc.array(anySend, { maxLength: 6 }), (sends) => {
      const shown = deliveryAfter(sends.map(send), null);
      expect(shown.not_sent === null || shown.failed === null).toBe(true);
      for (const paid of [shown.sms, shown.whatsapp]) {
        if (paid === null) continue;
        if (paid.status !== 'skipped') expect(paid.skipped_reason).toBeNull();
        if (paid.status !== 'failed' && paid.status !== 'rejected') expect(paid.error_code).toBeNull();
      }
    }),
  );
});
