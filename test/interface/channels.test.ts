import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

import { queued, refused, WHOLE } from './blocks.ts';
import { purseOf } from './people.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

describe('2.1 channels', () => {
  test.each([
    ['on', undefined, queued()],
    ['on_request', undefined, null],
    ['off', undefined, null],
    ['not_enabled', undefined, null],
    ['on', ['sms', 'whatsapp'], queued()],
    ['on_request', ['sms', 'whatsapp'], queued()],
    ['off', ['sms', 'whatsapp'], refused('%_disabled')],
    ['not_enabled', ['sms', 'whatsapp'], refused('%_not_enabled')],
    ['on', ['email'], refused('disabled_by_request')],
    ['on', [], refused('disabled_by_request')],
    ['on_request', ['email'], null],
    ['on_request', [], null],
    ['off', ['email'], null],
    ['not_enabled', [], null],
  ] as const)('an account that has them %s, asked for %j', async (mode, channels, outcome) => {
    const shop = await service.business({ credits: 10, smsMode: mode, whatsappMode: mode });
    const pushed = await shop.pushed({ ...WHOLE, channels });
    const expected = (channel: string) =>
      outcome && { ...outcome, skipped_reason: outcome.skipped_reason?.replace('%', channel) ?? null };
    expect(pushed.sms).toEqual(expected('sms'));
    expect(pushed.whatsapp).toEqual(outcome && { ...expected('whatsapp'), sms_fallback: false });
    expect(pushed.sms_units).toBe(outcome?.queued ? 1 : 0);
    expect(pushed.email).toEqual({ sending: true, skipped_reason: null });
  });

  test('naming one leaves the other out', async () => {
    const shop = await service.business({ credits: 10, smsMode: 'on', whatsappMode: 'on' });
    expect(await shop.pushed({ ...WHOLE, channels: ['sms'] })).toMatchObject({
      sms: queued(),
      whatsapp: refused('disabled_by_request'),
    });
    expect(await shop.pushed({ ...WHOLE, channels: ['whatsapp', 'email'] })).toMatchObject({
      sms: refused('disabled_by_request'),
      whatsapp: queued(),
    });
  });

  test('naming both may send two messages and cost two credits', async () => {
    const shop = await service.business({ credits: 10 });
    const pushed = await shop.pushed({ ...WHOLE, channels: ['sms', 'whatsapp', 'sms'] });
    expect(pushed).toMatchObject({ sms: queued(), whatsapp: queued() });
    expect(await purseOf(service, shop)).toEqual({ balance: 10, reserved: 2 });
  });

  test('email is sent whether or not it is named', async () => {
    const shop = await service.business({ credits: 10 });
    for (const channels of [['email'], ['sms'], [], undefined])
      expect((await shop.pushed({ ...WHOLE, channels })).email).toEqual({
        sending: true,
        skipped_reason: null,
      });
  });

  test('a setting changed by the operator is in force for the next push', async () => {
    const shop = await service.business({ credits: 10 });
    await service.change(shop, { smsMode: 'off' });
    expect((await shop.pushed({ ...WHOLE, channels: ['sms'] })).sms).toEqual(refused('sms_disabled'));
    await service.change(shop, { smsMode: 'on' });
    expect((await shop.pushed(WHOLE)).sms).toEqual(queued());
  });
});

describe('2.3 credits', () => {
  test('a credit is set aside for what is queued, and never more than there are', async () => {
    const shop = await service.business({ credits: 2 });
    expect((await shop.pushed({ ...WHOLE, channels: ['sms', 'whatsapp'] })).whatsapp).toMatchObject({
      queued: true,
    });
    expect((await shop.pushed({ ...WHOLE, channels: ['sms'] })).sms).toEqual(refused('insufficient_credit'));
    expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 2 });
    expect(await purseOf(service, shop)).toEqual({ balance: 2, reserved: 2 });
  });

  test('with one credit left, both channels asked: one is queued, the other is told why not', async () => {
    const shop = await service.business({ credits: 1 });
    expect(await shop.pushed({ ...WHOLE, channels: ['sms', 'whatsapp'] })).toMatchObject({
      sms: queued(),
      whatsapp: refused('insufficient_credit'),
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
    expect(await shop.pushed(finnish)).toMatchObject({ sms: queued(3), sms_units: 1 });
    expect((await shop.pushed({ ...WHOLE, channels: ['sms'] })).sms).toEqual(queued(1));
    expect((await shop.pushed(finnish)).sms).toEqual(queued(3));
    expect((await shop.pushed(finnish)).sms).toEqual(refused('insufficient_credit'));
    expect(await purseOf(service, shop)).toEqual({ balance: 7, reserved: 7 });
  });
});

test('1.6 a push succeeds whatever becomes of the paid channels', async () => {
  const shop = await service.business({ smsMode: 'not_enabled' });
  const answer = await shop.push({ channels: ['sms', 'whatsapp'] });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ sms: refused('sms_not_enabled'), whatsapp: refused('no_phone') });
});
