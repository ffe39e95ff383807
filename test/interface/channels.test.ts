import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

import { FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';
import { creditBalanceOf } from './recipientEvents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

describe('2.1 channels', () => {
  test.each([
    ['on', undefined, queuedOutcome()],
    ['on_request', undefined, null],
    ['off', undefined, null],
    ['not_enabled', undefined, null],
    ['on', ['sms', 'whatsapp'], queuedOutcome()],
    ['on_request', ['sms', 'whatsapp'], queuedOutcome()],
    ['off', ['sms', 'whatsapp'], skippedOutcome('%_disabled')],
    ['not_enabled', ['sms', 'whatsapp'], skippedOutcome('%_not_enabled')],
    ['on', ['email'], skippedOutcome('disabled_by_request')],
    ['on', [], skippedOutcome('disabled_by_request')],
    ['on_request', ['email'], null],
    ['on_request', [], null],
    ['off', ['email'], null],
    ['not_enabled', [], null],
  ] as const)('an account that has them %s, asked for %j', async (mode, channels, outcome) => {
    const shop = await service.business({ credits: 10, smsMode: mode, whatsappMode: mode });
    const pushed = await shop.pushed({ ...FULL_PUSH, channels });
    const expected = (channel: string) =>
      outcome && { ...outcome, skipped_reason: outcome.skipped_reason?.replace('%', channel) ?? null };
    expect(pushed.sms).toEqual(expected('sms'));
    expect(pushed.whatsapp).toEqual(outcome && { ...expected('whatsapp'), sms_fallback: false });
    expect(pushed.sms_units).toBe(outcome?.queued ? 1 : 0);
    expect(pushed.email).toEqual({ sending: true, skipped_reason: null });
  });

  test('naming one leaves the other out', async () => {
    const shop = await service.business({ credits: 10, smsMode: 'on', whatsappMode: 'on' });
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['sms'] })).toMatchObject({
      sms: queuedOutcome(),
      whatsapp: skippedOutcome('disabled_by_request'),
    });
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['whatsapp', 'email'] })).toMatchObject({
      sms: skippedOutcome('disabled_by_request'),
      whatsapp: queuedOutcome(),
    });
  });

  test('naming both may send two messages and cost two credits', async () => {
    const shop = await service.business({ credits: 10 });
    const pushed = await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp', 'sms'] });
    expect(pushed).toMatchObject({ sms: queuedOutcome(), whatsapp: queuedOutcome() });
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 2 });
  });

  test('email is sent whether or not it is named', async () => {
    const shop = await service.business({ credits: 10 });
    for (const channels of [['email'], ['sms'], [], undefined])
      expect((await shop.pushed({ ...FULL_PUSH, channels })).email).toEqual({
        sending: true,
        skipped_reason: null,
      });
  });

  test('a setting changed by the operator is in force for the next push', async () => {
    const shop = await service.business({ credits: 10 });
    await service.change(shop, { smsMode: 'off' });
    expect((await shop.pushed({ ...FULL_PUSH, channels: ['sms'] })).sms).toEqual(
      skippedOutcome('sms_disabled'),
    );
    await service.change(shop, { smsMode: 'on' });
    expect((await shop.pushed(FULL_PUSH)).sms).toEqual(queuedOutcome());
  });
});

describe('2.3 credits', () => {
  test('a credit is set aside for what is queued, and never more than there are', async () => {
    const shop = await service.business({ credits: 2 });
    expect((await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp'] })).whatsapp).toMatchObject({
      queued: true,
    });
    expect((await shop.pushed({ ...FULL_PUSH, channels: ['sms'] })).sms).toEqual(
      skippedOutcome('insufficient_credit'),
    );
    expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 2 });
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 2, reserved: 2 });
  });

  test('with one credit left, both channels asked: one is queued, the other is told why not', async () => {
    const shop = await service.business({ credits: 1 });
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['sms', 'whatsapp'] })).toMatchObject({
      sms: queuedOutcome(),
      whatsapp: skippedOutcome('insufficient_credit'),
    });
  });

  test('a country’s price is what the block says and what is set aside', async () => {
    const shop = await service.business({ credits: 7 });
    await service.pool.query(`insert into country_prices values ('FI', 3)`);
    const finnish = {
      recipient_email: 'fi@example.com',
      recipient_phone: '+358401234567',
      channels: ['sms'],
    };
    expect(await shop.pushed(finnish)).toMatchObject({ sms: queuedOutcome(3), sms_units: 1 });
    expect((await shop.pushed({ ...FULL_PUSH, channels: ['sms'] })).sms).toEqual(queuedOutcome(1));
    expect((await shop.pushed(finnish)).sms).toEqual(queuedOutcome(3));
    expect((await shop.pushed(finnish)).sms).toEqual(skippedOutcome('insufficient_credit'));
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 7, reserved: 7 });
  });
});

test('1.6 a push succeeds whatever becomes of the paid channels', async () => {
  const shop = await service.business({ smsMode: 'not_enabled' });
  const answer = await shop.push({ channels: ['sms', 'whatsapp'] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    sms: skippedOutcome('sms_not_enabled'),
    whatsapp: skippedOutcome('no_phone'),
  });
});
