import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';

import { FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';
import { insertStop } from './recipientEvents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

describe('2.1 whatsapp_opt_in', () => {
  const optIn = { source: 'checkout' };

  test('is recorded, and its result stands at the top of the answer exactly when it was sent', async () => {
    const shop = await service.business({ credits: 5 });
    expect((await shop.pushed({ recipient_phone: PHONE_NUMBER })).whatsapp_opt_in).toBeNull();
    expect((await shop.pushed({ whatsapp_opt_in: optIn })).whatsapp_opt_in).toEqual({
      recorded: true,
      status: 'active',
      skipped_reason: null,
    });
    expect((await shop.pushed({ whatsapp_opt_in: optIn })).whatsapp_opt_in).toEqual({
      recorded: false,
      status: 'active',
      skipped_reason: 'already_opted_in',
    });
  });

  test('is independent of channels, and works while WhatsApp is off, paused or the push does not nudge', async () => {
    const shop = await service.business({ whatsappMode: 'off' });
    await service.change(shop, { paused: true });
    const pushed = await shop.pushed({
      recipient_phone: PHONE_NUMBER,
      whatsapp_opt_in: optIn,
      channels: ['email'],
      notify: false,
    });
    expect(pushed).toMatchObject({ whatsapp: null, whatsapp_opt_in: { recorded: true, status: 'active' } });
  });

  test('a push that records consent and asks for WhatsApp sends on the consent just recorded', async () => {
    const shop = await service.business({ credits: 5 });
    const pushed = await shop.pushed({ ...FULL_PUSH, channels: ['whatsapp'] });
    expect(pushed).toMatchObject({ whatsapp: queuedOutcome(), whatsapp_opt_in: { recorded: true } });
  });

  test('never fails the push: an opt-out is permanent', async () => {
    const shop = await service.business({ credits: 5 });
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    await insertStop(service, shop, 'whatsapp', PHONE_NUMBER);
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['whatsapp'] })).toMatchObject({
      created: true,
      whatsapp: skippedOutcome('stopped'),
      whatsapp_opt_in: { recorded: false, status: 'stopped', skipped_reason: 'opted_out' },
    });
  });

  test('never fails the push: a number that is another’s', async () => {
    const shop = await service.business({ credits: 5 });
    await shop.pushed({ recipient_email: 'bob@example.com', recipient_phone: PHONE_NUMBER });
    expect(await shop.pushed({ ...FULL_PUSH, channels: ['whatsapp'] })).toMatchObject({
      whatsapp: skippedOutcome('phone_conflict'),
      whatsapp_opt_in: { recorded: false, status: 'none', skipped_reason: 'phone_conflict' },
    });
  });

  test('without a number sent or held the push is refused before anything is stored', async () => {
    const shop = await service.business();
    const answer = await shop.push({ whatsapp_opt_in: optIn }, 'consent');
    expect(answer).toMatchObject({
      status: 422,
      body: {
        error_code: 'common.validation_failed',
        detail: [{ type: 'value_error', loc: ['body', 'whatsapp_opt_in'], input: optIn }],
      },
    });
    expect((await shop.get('/api/v1/messages')).body).toMatchObject({ items: [] });
    expect(
      (await shop.push({ whatsapp_opt_in: optIn, recipient_phone: PHONE_NUMBER }, 'consent')).status,
    ).toBe(201);
  });

  test('with a number held is about that number', async () => {
    const shop = await service.business();
    await shop.pushed({ recipient_phone: PHONE_NUMBER });
    expect((await shop.pushed({ whatsapp_opt_in: optIn })).whatsapp_opt_in).toMatchObject({ recorded: true });
  });

  test('is per business', async () => {
    const [one, other] = [await service.business({ credits: 5 }), await service.business({ credits: 5 })];
    await one.pushed(FULL_PUSH);
    const pushed = await other.pushed({ ...FULL_PUSH, whatsapp_opt_in: null, channels: ['whatsapp'] });
    expect(pushed.whatsapp).toMatchObject(skippedOutcome('not_opted_in'));
  });

  test('is cleared when the number changes', async () => {
    const shop = await service.business({ credits: 5 });
    await shop.pushed(FULL_PUSH);
    const pushed = await shop.pushed({
      ...FULL_PUSH,
      whatsapp_opt_in: null,
      recipient_phone: '+37255550135',
      channels: ['whatsapp'],
    });
    expect(pushed.whatsapp).toMatchObject(skippedOutcome('not_opted_in'));
  });
});
