import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';

import { escalatingOutcome, FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';
import { creditBalanceOf, insertStop, recordNotOnWhatsapp, recordSubmitted } from './recipientEvents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

describe('2.1 sms_if_whatsapp_fails, as far as the push decides it', () => {
  const asked = { ...FULL_PUSH, channels: ['whatsapp'], sms_if_whatsapp_fails: true };

  test('holds a fallback text behind a queued WhatsApp message, which costs nothing until it is sent', async () => {
    const shop = await service.business({ credits: 1 });
    expect(await shop.pushed(asked)).toMatchObject({
      whatsapp: { ...queuedOutcome(), sms_fallback: true },
      sms: null,
      sms_units: 0,
    });
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 1, reserved: 1 });
  });

  test('texts at once when the number is known not to be on WhatsApp', async () => {
    const shop = await service.business({ credits: 5 });
    await recordNotOnWhatsapp(service, shop, PHONE_NUMBER);
    expect(await shop.pushed(asked)).toMatchObject({
      whatsapp: { ...skippedOutcome('not_reachable'), sms_fallback: false },
      sms: queuedOutcome(),
      sms_units: 1,
    });
  });

  test.each([
    ['no reference', { reference: null }],
    ['no order_status', { order_status: null }],
    ['an order_status without words', { order_status: 'teleported' }],
    ['a reference that cannot be displayed', { reference: 'a.b' }],
  ])('texts at once when there is no usable template: %s', async (_, change) => {
    const shop = await service.business({ credits: 5 });
    expect(await shop.pushed({ ...asked, ...change })).toMatchObject({
      whatsapp: skippedOutcome('template_not_sendable'),
      sms: queuedOutcome(),
    });
  });

  test('texts at once when the business name cannot be displayed', async () => {
    const shop = await service.business({ credits: 5, name: 'shop.example' });
    expect(await shop.pushed(asked)).toMatchObject({
      whatsapp: skippedOutcome('template_not_sendable'),
      sms: queuedOutcome(),
    });
  });

  test('does not text while a template is in review', async () => {
    const shop = await service.business({ credits: 5 });
    await service.pool.query(
      `update whatsapp_templates set state = 'in_review' where order_status = 'cancelled'`,
    );
    expect(await shop.pushed({ ...asked, order_status: 'cancelled' })).toMatchObject({
      whatsapp: skippedOutcome('template_not_sendable'),
      sms: null,
    });
    await service.pool.query(`update whatsapp_templates set state = 'approved'`);
  });

  test.each([
    ['not opted in', { whatsapp_opt_in: null }],
    ['WhatsApp not asked for', { channels: ['email'] }],
    ['no nudge', { notify: false }],
  ])('is ignored unless a WhatsApp message was queued: %s', async (_, change) => {
    const shop = await service.business({ credits: 5 });
    expect((await shop.pushed({ ...asked, ...change })).sms).toBeNull();
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 0 });
  });

  test('is skipped when the push queued an SMS of its own', async () => {
    const shop = await service.business({ credits: 5 });
    expect(await shop.pushed({ ...asked, channels: ['whatsapp', 'sms'] })).toMatchObject({
      sms: queuedOutcome(),
      whatsapp: { ...queuedOutcome(), sms_fallback: false },
    });
    await recordNotOnWhatsapp(service, shop, PHONE_NUMBER);
    const { id, sms } = await shop.pushed({ ...asked, channels: ['whatsapp', 'sms'] });
    expect(sms).toEqual(queuedOutcome());
    const { rows } = await service.pool.query(`select from sends where message_id = $1 and channel = 'sms'`, [
      id,
    ]);
    expect(rows).toHaveLength(1);
  });

  test.each([
    ['on', true],
    ['on_request', true],
    ['off', false],
    ['not_enabled', false],
  ] as const)('counts as naming SMS, for the fallback alone: %s', async (smsMode, follows) => {
    const shop = await service.business({ credits: 5, smsMode });
    expect((await shop.pushed(asked)).whatsapp).toMatchObject({ queued: true, sms_fallback: follows });
    const unreachable = { ...asked, reference: null };
    expect((await shop.pushed(unreachable)).sms).toEqual(
      follows ? queuedOutcome() : skippedOutcome(smsMode === 'off' ? 'sms_disabled' : 'sms_not_enabled'),
    );
  });

  test('does not text someone who stopped texts', async () => {
    const shop = await service.business({ credits: 5 });
    await shop.pushed(FULL_PUSH);
    await insertStop(service, shop, 'sms', PHONE_NUMBER);
    expect((await shop.pushed(asked)).whatsapp).toMatchObject({ queued: true, sms_fallback: false });
    expect((await shop.pushed({ ...asked, reference: null })).sms).toEqual(skippedOutcome('stopped'));
  });
});

describe('2.1 escalate_if_unread_after_minutes, as far as the push decides it', () => {
  const minutesAfter = (from: string, minutes: number) =>
    new Date(Date.parse(from) + minutes * 60_000).toISOString();

  test('the channels asked for are not sent now; escalates_at gives the deadline', async () => {
    const shop = await service.business({ credits: 5 });
    const pushed = await shop.pushed({
      ...FULL_PUSH,
      channels: ['sms', 'whatsapp'],
      escalate_if_unread_after_minutes: 60,
    });
    const deadline = minutesAfter(pushed.created_at, 60);
    expect(pushed).toMatchObject({
      email: { sending: true },
      sms: escalatingOutcome(deadline),
      sms_units: 0,
      whatsapp: { ...escalatingOutcome(deadline), sms_fallback: false },
    });
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 0 });
    expect((await shop.get(`/api/v1/messages/${pushed.id}`)).body).toMatchObject({
      delivery: { sms: null, whatsapp: null },
    });
  });

  test('minutes count from send_at if it is set', async () => {
    const shop = await service.business({ credits: 5 });
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const pushed = await shop.pushed({
      ...FULL_PUSH,
      channels: ['sms'],
      send_at,
      escalate_if_unread_after_minutes: 5,
    });
    expect(pushed).toMatchObject({
      scheduled_for: send_at,
      sms: escalatingOutcome(minutesAfter(send_at, 5)),
    });
  });

  test('holds what the account has on, too', async () => {
    const shop = await service.business({ credits: 5, smsMode: 'on' });
    const pushed = await shop.pushed({ ...FULL_PUSH, escalate_if_unread_after_minutes: 5 });
    expect(pushed.sms).toEqual(escalatingOutcome(minutesAfter(pushed.created_at, 5)));
  });

  test.each([
    ['no nudge', { notify: false, channels: ['sms'] }],
    ['no paid channel', {}],
  ])('is ignored with %s', async (_, change) => {
    const shop = await service.business({ credits: 5 });
    expect(await shop.pushed({ ...FULL_PUSH, escalate_if_unread_after_minutes: 5, ...change })).toMatchObject(
      {
        sms: null,
        whatsapp: null,
      },
    );
  });

  test('consent, number, country, mode and template are reported now; credit is judged at the deadline', async () => {
    const shop = await service.business({ credits: 0, countries: ['EE'] });
    const held = { channels: ['sms', 'whatsapp'], escalate_if_unread_after_minutes: 5 };
    expect(await shop.pushed({ ...held })).toMatchObject({
      sms: skippedOutcome('no_phone'),
      whatsapp: skippedOutcome('no_phone'),
    });
    const finnish = { recipient_email: 'fi@example.com', recipient_phone: '+358401234567' };
    expect(await shop.pushed({ ...held, ...finnish })).toMatchObject({
      sms: skippedOutcome('country_not_allowed'),
      whatsapp: skippedOutcome('not_opted_in'),
    });
    const pushed = await shop.pushed({
      ...held,
      recipient_phone: PHONE_NUMBER,
      whatsapp_opt_in: { source: 'x' },
    });
    expect(pushed).toMatchObject({
      sms: escalatingOutcome(minutesAfter(pushed.created_at, 5)),
      whatsapp: skippedOutcome('template_not_sendable'),
    });
  });

  test.each([
    ['a number on WhatsApp', {}, false],
    ['a number known not to be on WhatsApp', {}, true],
    ['no template', { reference: null }, false],
  ])('holds the fallback with the WhatsApp message: %s', async (_, change, unreachable) => {
    const shop = await service.business({ credits: 5 });
    if (unreachable) await recordNotOnWhatsapp(service, shop, PHONE_NUMBER);
    const pushed = await shop.pushed({
      ...FULL_PUSH,
      channels: ['whatsapp'],
      sms_if_whatsapp_fails: true,
      escalate_if_unread_after_minutes: 5,
      ...change,
    });
    expect(pushed).toMatchObject({
      whatsapp: { ...escalatingOutcome(minutesAfter(pushed.created_at, 5)), sms_fallback: true },
      sms: null,
    });
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 0 });
  });
});

test('a text that the provider took stays with it when a forced nudge follows', async () => {
  const shop = await service.business({ credits: 5 });
  const push = { ...FULL_PUSH, kind: 'updateable', channels: ['sms'], notify: true };
  const { id } = await shop.pushed(push);
  await recordSubmitted(service, id, 'sms');
  expect((await shop.pushed(push)).sms).toEqual(queuedOutcome());
  const { rows } = await service.pool.query(
    `select state from sends where message_id = $1 and channel = 'sms' order by id`,
    [id],
  );
  expect(rows).toEqual([{ state: 'accepted' }, { state: 'queued' }]);
});
