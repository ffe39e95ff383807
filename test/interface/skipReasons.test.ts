import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';
import {
  creditBalanceOf,
  insertStop,
  recordBounce,
  recordBounceElsewhere,
  recordNotOnWhatsapp,
  recordUnsubscribe,
} from './recipientEvents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

const onWhatsapp = (block: object) => ({ ...block, sms_fallback: false });

describe('2.3 email: the first reason that applies', () => {
  test('sending_paused, plan_lapsed, unsubscribed, suppressed, platform_suppressed, then it is sent', async () => {
    const shop = await service.business();
    const email = 'reasons@example.com';
    const emailOf = async () => (await shop.pushed({ recipient_email: email })).email;
    await service.change(shop, { paused: true, plan: 'lapsed' });
    await recordUnsubscribe(service, shop, email);
    await recordBounce(service, shop, email);
    await recordBounceElsewhere(service, email);

    expect(await emailOf()).toEqual({ sending: false, skipped_reason: 'sending_paused' });
    await service.change(shop, { paused: false });
    expect(await emailOf()).toEqual({ sending: false, skipped_reason: 'plan_lapsed' });
    await service.change(shop, { plan: 'active' });
    expect(await emailOf()).toEqual({ sending: false, skipped_reason: 'unsubscribed' });
    await service.pool.query(`delete from suppressions where reason = 'unsubscribe'`);
    expect(await emailOf()).toEqual({ sending: false, skipped_reason: 'suppressed' });
    await service.pool.query('delete from suppressions');
    expect(await emailOf()).toEqual({ sending: false, skipped_reason: 'platform_suppressed' });
    await service.pool.query('delete from platform_suppressions');
    expect(await emailOf()).toEqual({ sending: true, skipped_reason: null });
  });

  test('what is refused is a nudge all the same, and the message says why it was not sent', async () => {
    const shop = await service.business();
    await service.change(shop, { paused: true });
    const pushed = await shop.pushed();
    expect(pushed.nudged).toBe(true);
    expect((await shop.get(`/api/v1/messages/${pushed.id}`)).body).toMatchObject({
      delivery: { not_sent: { reason: 'sending_paused', at: pushed.created_at } },
    });
  });

  test('a plan that is past due lapses by itself when the period ends', async () => {
    const shop = await service.business();
    await service.change(shop, { plan: 'past_due', periodEnd: new Date(Date.now() + 3_600_000) });
    expect((await shop.pushed()).email).toEqual({ sending: true, skipped_reason: null });
    await service.change(shop, { periodEnd: new Date(Date.now() - 1_000) });
    expect((await shop.pushed()).email).toEqual({ sending: false, skipped_reason: 'plan_lapsed' });
  });

  test('does not depend on the balance', async () => {
    const poor = await service.business({ credits: 0, smsMode: 'on' });
    expect(await poor.pushed(FULL_PUSH)).toMatchObject({
      email: { sending: true },
      sms: skippedOutcome('insufficient_credit'),
    });
  });
});

describe('2.3 SMS: the first reason that applies', () => {
  test('in order, down to none', async () => {
    const email = 'texts@example.com';
    const shop = await service.business({ credits: 5, countries: ['FI'] });
    await shop.pushed({ recipient_email: 'holder@example.com', recipient_phone: '+37255550100' });
    const { id } = await shop.pushed({
      recipient_email: email,
      recipient_phone: PHONE_NUMBER,
      channels: ['sms'],
    });
    const change = (settings: Parameters<TestService['change']>[1]) => service.change(shop, settings);
    const smsOf = async (more: Record<string, unknown> = {}) =>
      (await shop.pushed({ recipient_email: email, channels: ['sms'], ...more })).sms;

    // All at once; then one by one they are put right.
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    await recordUnsubscribe(service, shop, email);
    await service.pool.query('update credit_accounts set balance = 0, reserved = 0 where business_id = $1', [
      shop.businessId,
    ]);
    await change({ paused: true, smsMode: 'not_enabled', paidPerRecipientHourCeiling: 1 });
    const taken = { recipient_phone: '+37255550100' };

    expect(await smsOf(taken)).toEqual(skippedOutcome('sending_paused'));
    await change({ paused: false });
    expect(await smsOf(taken)).toEqual(skippedOutcome('sms_not_enabled'));
    await change({ smsMode: 'off' });
    expect(await smsOf(taken)).toEqual(skippedOutcome('sms_disabled'));
    await change({ smsMode: 'on' });
    expect(await smsOf({ ...taken, channels: [] })).toEqual(skippedOutcome('disabled_by_request'));
    expect(await smsOf(taken)).toEqual(skippedOutcome('unsubscribed'));
    await service.pool.query('delete from suppressions where business_id = $1', [shop.businessId]);
    expect(await smsOf(taken)).toEqual(skippedOutcome('phone_conflict'));
    expect(await smsOf()).toEqual(skippedOutcome('stopped'));
    await service.pool.query('delete from stops where business_id = $1', [shop.businessId]);
    await service.pool.query(
      `update recipients set sms_status = 'active', sms_stopped_by = null where phone = $1`,
      [PHONE_NUMBER],
    );
    expect(await smsOf()).toEqual(skippedOutcome('country_not_allowed'));
    await change({ countriesCeiling: ['FI', 'EE'] });
    expect(await smsOf()).toEqual(skippedOutcome('insufficient_credit'));
    await service.pool.query('update credit_accounts set balance = 5 where business_id = $1', [
      shop.businessId,
    ]);
    expect(await smsOf()).toEqual(queuedOutcome());
    await service.pool.query(
      `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, submitted_at, created_at)
       select business_id, 'earlier', id, recipient_id, 'sms', 'nudge', 'accepted', now(), now() from messages where id = $1`,
      [id],
    );
    expect(await smsOf()).toEqual(skippedOutcome('rate_limited'));
    await change({ paidPerRecipientHourCeiling: 2 });
    expect(await smsOf()).toEqual(queuedOutcome());
  });

  test('no_phone: none sent and none held', async () => {
    const shop = await service.business({ credits: 5 });
    expect((await shop.pushed({ channels: ['sms'] })).sms).toEqual(skippedOutcome('no_phone'));
  });

  test.each([
    ['the United States', '+12025550143'],
    ['Canada', '+16135550143'],
  ])('country_not_allowed: %s are unavailable whatever the settings', async (_, recipient_phone) => {
    const shop = await service.business({ credits: 5, countries: ['US', 'CA', 'EE'] });
    expect((await shop.pushed({ channels: ['sms'], recipient_phone })).sms).toEqual(
      skippedOutcome('country_not_allowed'),
    );
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 5, reserved: 0 });
  });

  test('a lapsed plan stops email alone', async () => {
    const shop = await service.business({ credits: 5 });
    await service.change(shop, { plan: 'lapsed' });
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp'] })).toMatchObject({
      email: { sending: false, skipped_reason: 'plan_lapsed' },
      sms: queuedOutcome(),
      whatsapp: queuedOutcome(),
    });
  });

  test('an address that bounced can still be texted', async () => {
    const shop = await service.business({ credits: 5 });
    await recordBounce(service, shop, 'ann@example.com');
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['sms'] })).toMatchObject({
      email: { sending: false },
      sms: queuedOutcome(),
    });
  });
});

describe('2.3 WhatsApp: the first reason that applies', () => {
  test('in order, down to none', async () => {
    const email = 'whatsapp@example.com';
    const shop = await service.business({ credits: 5, countries: ['FI'] });
    const change = (settings: Parameters<TestService['change']>[1]) => service.change(shop, settings);
    await shop.pushed({ recipient_email: 'holder@example.com', recipient_phone: '+37255550100' });
    await shop.pushed({ recipient_email: email, recipient_phone: PHONE_NUMBER });
    await insertStop(service, shop, 'whatsapp', PHONE_NUMBER);
    await recordNotOnWhatsapp(service, shop, PHONE_NUMBER);
    await recordUnsubscribe(service, shop, email);
    await service.pool.query('update credit_accounts set balance = 0 where business_id = $1', [
      shop.businessId,
    ]);
    await change({ paused: true, whatsappMode: 'not_enabled' });
    const whatsappOf = async (more: Record<string, unknown> = {}) =>
      (await shop.pushed({ recipient_email: email, channels: ['whatsapp'], ...more })).whatsapp;
    const taken = { recipient_phone: '+37255550100' };
    const skipped = (reason: string) => onWhatsapp(skippedOutcome(reason));

    expect(await whatsappOf(taken)).toEqual(skipped('sending_paused'));
    await change({ paused: false });
    expect(await whatsappOf(taken)).toEqual(skipped('whatsapp_not_enabled'));
    await change({ whatsappMode: 'off' });
    expect(await whatsappOf(taken)).toEqual(skipped('whatsapp_disabled'));
    await change({ whatsappMode: 'on' });
    expect(await whatsappOf({ ...taken, channels: ['email'] })).toEqual(skipped('disabled_by_request'));
    expect(await whatsappOf(taken)).toEqual(skipped('unsubscribed'));
    await service.pool.query('delete from suppressions where business_id = $1', [shop.businessId]);
    expect(await whatsappOf(taken)).toEqual(skipped('phone_conflict'));
    expect(await whatsappOf()).toEqual(skipped('stopped'));
    await service.pool.query('delete from stops where business_id = $1', [shop.businessId]);
    await service.pool.query(`update recipients set whatsapp_status = 'none' where phone = $1`, [
      PHONE_NUMBER,
    ]);
    expect(await whatsappOf()).toEqual(skipped('not_opted_in'));
    await shop.pushed({ recipient_email: email, whatsapp_opt_in: { source: 'checkout' } });
    expect(await whatsappOf()).toEqual(skipped('not_reachable'));
    await service.pool.query('delete from whatsapp_unreachable');
    expect(await whatsappOf()).toEqual(skipped('template_not_sendable'));
    const order = { reference: '#1001', order_status: 'shipped' };
    expect(await whatsappOf(order)).toEqual(skipped('country_not_allowed'));
    await change({ countriesCeiling: null });
    expect(await whatsappOf(order)).toEqual(skipped('insufficient_credit'));
    await service.pool.query('update credit_accounts set balance = 5 where business_id = $1', [
      shop.businessId,
    ]);
    expect(await whatsappOf(order)).toEqual(onWhatsapp(queuedOutcome()));
  });

  test('no_phone', async () => {
    const shop = await service.business({ credits: 5 });
    expect((await shop.pushed({ channels: ['whatsapp'] })).whatsapp).toEqual(
      onWhatsapp(skippedOutcome('no_phone')),
    );
  });

  describe('template_not_sendable, and nothing is set aside', () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await service.business({ credits: 100 });
      await shop.pushed(FULL_PUSH);
    });
    const whatsappOf = async (reference: unknown, order_status: unknown = 'shipped', from = shop) =>
      (await from.pushed({ channels: ['whatsapp'], reference, order_status })).whatsapp;
    const NOT_SENDABLE = onWhatsapp(skippedOutcome('template_not_sendable'));

    test.each([
      [null, 'shipped'],
      ['#1001', null],
      ['#1001', 'teleported'],
      ['#1001', 'Shipped'],
    ])('reference %s, order_status %s', async (reference, order_status) => {
      expect(await whatsappOf(reference, order_status)).toEqual(NOT_SENDABLE);
    });

    test.each(['1001', '#1001', '#A-1', 'a_b/c#d-1', '1.2', '10.5.3', 'A.1', '1'.repeat(32)])(
      'a nudge can show %s',
      async (reference) => {
        expect(await whatsappOf(reference)).toEqual(onWhatsapp(queuedOutcome()));
      },
    );

    test.each([
      '-1',
      '##1',
      '.1',
      '/1',
      '_1',
      'a.b',
      '1.a',
      '1..2',
      '1.',
      '1.2.3.4',
      'example.com',
      '1'.repeat(33),
    ])('a nudge cannot show %s, which is stored and echoed', async (reference) => {
      const pushed = await shop.pushed({ channels: ['whatsapp'], reference, order_status: 'shipped' });
      expect(pushed).toMatchObject({ reference, whatsapp: NOT_SENDABLE });
    });

    test('a business name that cannot be displayed', async () => {
      const named = await service.business({ name: 'shop.example', credits: 5 });
      await named.pushed(FULL_PUSH);
      expect(await whatsappOf('#1', 'shipped', named)).toEqual(NOT_SENDABLE);
    });

    test.each(['in_transit', 'out_for_delivery', 'delivery_attempted'])(
      'the template of %s, which nobody has approved yet',
      async (status) => {
        expect(await whatsappOf('#1', status)).toEqual(NOT_SENDABLE);
      },
    );

    test('a template still in review', async () => {
      await service.pool.query(
        `update whatsapp_templates set state = 'in_review' where order_status = 'refunded'`,
      );
      expect(await whatsappOf('#1', 'refunded')).toEqual(NOT_SENDABLE);
      expect(await whatsappOf('#1', 'delayed')).toEqual(onWhatsapp(queuedOutcome()));
      await service.pool.query(
        `update whatsapp_templates set state = 'approved' where order_status = 'refunded'`,
      );
    });
  });
});
