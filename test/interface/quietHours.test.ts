import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderStatus } from '../../src/contract/orderStatuses.ts';
import type { PushPreview } from '../../src/contract/push.ts';
import { later, MINUTE } from '../../src/kit/clock.ts';
import { endAfterRestore } from '../../src/outbox/afterRestore.ts';
import { releaseSending } from '../../src/outbox/restoreGuardSql.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { escalatingOutcome, FULL_PUSH, queuedOutcome } from './channelOutcomes.ts';
import { inShort, openFromEmail, timelineItems } from './happenings.ts';
import { creditBalanceOf } from './recipientEvents.ts';

/* In Iceland the clocks show UTC all year, so the hours of these tests can be set around the time at which they run. */

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});
afterAll(() => service.close());

const now = (): Promise<Date> => service.advance({});
const minute = (moment: Date): Date => later(moment, -(moment.getTime() % MINUTE));

/** Sets quiet hours from and to so many minutes from now; answers their end. */
async function quiet(from: number, to: number, except: OrderStatus[] = []): Promise<Date> {
  const at = minute(await now());
  const [start, end] = [later(at, from * MINUTE), later(at, to * MINUTE)];
  const clock = (moment: Date): string => moment.toISOString().slice(11, 16);
  await service.change(shop, {
    quietHours: `${clock(start)}-${clock(end)}`,
    quietHoursExcept: except,
  });
  return end;
}

const SMS = { ...FULL_PUSH, recipient_phone: '+3546111234', channels: ['sms'] };
const WHATSAPP = { ...SMS, channels: ['whatsapp'] };
const NO_REPORT = '+3546119004';

const channelsTried = async (id: string): Promise<string[]> =>
  (await capturedMessages(service.url))
    .filter(({ message_id }) => message_id === id)
    .map(({ channel }) => channel)
    .sort();

const deferrals = async (id: string): Promise<string[]> =>
  (await timelineItems(shop, id)).filter(({ kind }) => kind === 'rescheduled').map(({ says }) => says);

/** As the timeline says a moment. */
const inIceland = (at: Date): string =>
  `${at.toLocaleString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })} in Iceland`;

describe('a text in quiet hours', () => {
  test('waits until their end with its credit set aside, while its email goes', async () => {
    const end = await quiet(-60, 120);
    const { id, sms, scheduled_for } = await shop.pushed(SMS);
    expect(sms).toEqual(queuedOutcome());
    expect(scheduled_for).toBeNull();
    await service.advance({ minutes: 118 });
    expect(await channelsTried(id)).toEqual(['email']);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 1 });
    expect(inShort(await timelineItems(shop, id)).slice(0, 5)).toEqual([
      'pushed',
      'planned email',
      'planned sms',
      'credits_reserved sms 1',
      'rescheduled sms quiet_hours',
    ]);
    expect(await deferrals(id)).toEqual([`The SMS waits until ${inIceland(end)}: quiet hours.`]);
    await service.advance({ minutes: 3 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 9, reserved: 0 });
    const { body } = await shop.get(`/api/v1/messages/${id}`);
    expect(body).toMatchObject({ delivery: { sms: { status: 'delivered', credits_charged: 1 } } });
  });

  test('goes at once if its order status is excepted, or if it is not quiet there', async () => {
    await quiet(-60, 120, ['out_for_delivery']);
    const urgent = await shop.pushed({ ...SMS, order_status: 'out_for_delivery' });
    const other = await shop.pushed({ ...SMS, order_status: 'delivered' });
    await service.advance({ minutes: 1 });
    expect(await channelsTried(urgent.id)).toEqual(['email', 'sms']);
    expect(await channelsTried(other.id)).toEqual(['email']);
    await quiet(60, 120);
    const awake = await shop.pushed(SMS);
    await service.advance({ minutes: 1 });
    expect(await channelsTried(awake.id)).toEqual(['email', 'sms']);
  });

  test('that was scheduled for them waits, and keeps the time that was asked for', async () => {
    const end = await quiet(30, 120);
    const send_at = later(await now(), 60 * MINUTE).toISOString();
    const preview: PushPreview = expectStatus(
      200,
      await shop.call('POST', '/api/v1/messages/preview', {
        body: { ...SMS, recipient_email: 'a@example.com', subject: 'Hi', body: 'Hi', send_at },
      }),
    );
    const times = preview.nudges.map(({ channel, when, at, waits_until }) => ({
      channel,
      when,
      at,
      ...(waits_until !== undefined && { waits_until }),
    }));
    expect(times).toEqual([
      { channel: 'email', when: 'scheduled', at: send_at },
      { channel: 'sms', when: 'scheduled', at: send_at, waits_until: end.toISOString() },
    ]);
    const { id, scheduled_for } = await shop.pushed({ ...SMS, send_at });
    expect(scheduled_for).toBe(send_at);
    await service.advance({ minutes: 90 });
    expect(await channelsTried(id)).toEqual(['email']);
    await service.advance({ minutes: 31 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
  });

  test('is previewed as waiting', async () => {
    const end = await quiet(-60, 120);
    const body = { ...SMS, recipient_email: 'a@example.com', subject: 'Hi', body: 'Hi' };
    const preview: PushPreview = expectStatus(
      200,
      await shop.call('POST', '/api/v1/messages/preview', { body }),
    );
    expect(preview.nudges).toMatchObject([
      { channel: 'email', when: 'now', at: null },
      { channel: 'sms', when: 'now', at: null, waits_until: end.toISOString() },
    ]);
  });

  test('waits also if they were set after its push, and if it is sent again or tried again in them', async () => {
    const scheduled = await shop.pushed({ ...SMS, send_at: later(await now(), 30 * MINUTE).toISOString() });
    const retried = await shop.pushed({
      ...SMS,
      recipient_email: 'b@example.com',
      recipient_phone: '+3546119006',
    });
    const unsent = await shop.pushed({
      ...SMS,
      recipient_email: 'c@example.com',
      recipient_phone: '+3546115678',
      channels: ['email'],
    });
    await service.advance({ seconds: 5 });
    await quiet(0, 120);
    expectStatus(200, await shop.post(`/api/v1/messages/${unsent.id}/sms`));
    await service.advance({ minutes: 100 });
    for (const { id } of [scheduled, unsent]) expect(await channelsTried(id)).toEqual(['email']);
    for (const { id } of [scheduled, retried, unsent]) expect(await deferrals(id)).toHaveLength(1);
    // The second attempt of the one that was tried waits with its credit spent.
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 9, reserved: 2 });
    await service.advance({ minutes: 30 });
    for (const { id } of [scheduled, retried, unsent])
      expect(await channelsTried(id)).toEqual(['email', 'sms']);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 7, reserved: 0 });
  });

  test('is cancelled by a retraction meanwhile, and costs nothing', async () => {
    await quiet(-60, 120);
    const { id } = await shop.pushed(SMS);
    expectStatus(200, await shop.post(`/api/v1/messages/${id}/retract`));
    await service.advance({ minutes: 180 });
    expect(await channelsTried(id)).not.toContain('sms');
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 0 });
  });

  test('is replaced by that of an update, so that one goes', async () => {
    await quiet(-60, 120);
    const { id } = await shop.pushed({ ...SMS, kind: 'updateable' });
    await shop.pushed({ ...SMS, kind: 'updateable', notify: true });
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 1 });
    await service.advance({ minutes: 121 });
    expect((await channelsTried(id)).filter((channel) => channel === 'sms')).toHaveLength(1);
  });
});

describe('a change of the hours', () => {
  test('sends what waits within seconds if they are switched off, but not what is scheduled for later', async () => {
    await quiet(-60, 120);
    const { id } = await shop.pushed(SMS);
    const send_at = later(await now(), 20 * MINUTE).toISOString();
    const scheduled = await shop.pushed({
      ...SMS,
      recipient_email: 'b@example.com',
      recipient_phone: '+3546115678',
      send_at,
    });
    const held = await shop.pushed({ ...SMS, subject: 'Another', escalate_if_unread_after_minutes: 30 });
    await service.advance({ minutes: 10 });
    expect(await channelsTried(id)).toEqual(['email']);
    await service.change(shop, { quietHours: null });
    await service.advance({ seconds: 5 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
    expect(await channelsTried(scheduled.id)).toEqual([]);
    await service.advance({ minutes: 11 });
    expect(await channelsTried(scheduled.id)).toEqual(['email', 'sms']);
    expect(await channelsTried(held.id)).toEqual(['email']);
    await service.advance({ minutes: 10 });
    expect(await channelsTried(held.id)).toEqual(['email', 'sms']);
  });

  test('moves what waits to their new end, and lets an excepted status go', async () => {
    const before = await quiet(-60, 60);
    const { id } = await shop.pushed(SMS);
    const urgent = await shop.pushed({ ...SMS, order_status: 'delivered' });
    const end = await quiet(-60, 120, ['delivered']);
    await service.advance({ minutes: 100 });
    expect(await channelsTried(urgent.id)).toEqual(['email', 'sms']);
    expect(await channelsTried(id)).toEqual(['email']);
    expect(await deferrals(id)).toEqual(
      [before, end].map((until) => `The SMS waits until ${inIceland(until)}: quiet hours.`),
    );
    await service.advance({ minutes: 21 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
  });
});

test('a restore ends what waited for the end of quiet hours, since they may have been switched off after the backup', async () => {
  await quiet(-60, 120);
  const { id } = await shop.pushed(SMS);
  const send_at = later(await now(), 30 * MINUTE).toISOString();
  const scheduled = await shop.pushed({
    ...SMS,
    recipient_email: 'b@example.com',
    recipient_phone: '+3546115678',
    send_at,
  });
  await service.advance({ minutes: 5 });
  await endAfterRestore(service.pool, service.clock);
  await releaseSending(service.pool);
  await service.advance({ minutes: 120 });
  expect(await channelsTried(id)).toEqual(['email']);
  expect((await timelineItems(shop, id)).at(-1)).toMatchObject({ kind: 'failed', channel: 'sms' });
  expect(await channelsTried(scheduled.id)).toEqual(['email', 'sms']);
});

describe('a deadline in quiet hours', () => {
  const ESCALATING = { ...SMS, escalate_if_unread_after_minutes: 60 };

  test('moves to their end, and so says the push', async () => {
    const end = await quiet(30, 120);
    const { id, sms } = await shop.pushed(ESCALATING);
    expect(sms).toEqual(escalatingOutcome(end.toISOString()));
    await service.advance({ minutes: 90 });
    expect(await channelsTried(id)).toEqual(['email']);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 10, reserved: 0 });
    await service.advance({ minutes: 31 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
  });

  test('is judged then: who opened the message meanwhile gets no text', async () => {
    await quiet(30, 120);
    const { id } = await shop.pushed(ESCALATING);
    await service.advance({ minutes: 90 });
    await openFromEmail(service, id);
    await service.advance({ minutes: 60 });
    expect(await channelsTried(id)).toEqual(['email']);
    const items = await timelineItems(shop, id);
    expect(items.at(-1)).toMatchObject({ kind: 'cancelled', reason: 'opened_first' });
    // Before the end of the quiet hours, which is the deadline.
    expect(items.at(-1)?.says).toMatch(
      /^No SMS: the customer opened the message (?:28|29|30) minutes before its deadline\.$/,
    );
  });

  test('that falls into hours which were set later moves as well', async () => {
    const { id } = await shop.pushed(ESCALATING);
    await quiet(30, 120);
    await service.advance({ minutes: 90 });
    expect(await channelsTried(id)).toEqual(['email']);
    expect(await deferrals(id)).toHaveLength(1);
    await service.advance({ minutes: 31 });
    expect(await channelsTried(id)).toEqual(['email', 'sms']);
  });
});

describe('the text instead of a WhatsApp message', () => {
  const FALLBACK = { ...WHATSAPP, recipient_phone: NO_REPORT, sms_if_whatsapp_fails: true };

  test('waits as well, with no credit set aside before it goes', async () => {
    await quiet(3, 120);
    const { id } = await shop.pushed(FALLBACK);
    await service.advance({ minutes: 60 });
    expect(await channelsTried(id)).toEqual(['email', 'whatsapp']);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 9, reserved: 0 });
    await service.advance({ minutes: 61 });
    expect(await channelsTried(id)).toEqual(['email', 'sms', 'whatsapp']);
  });

  test('goes five minutes after the WhatsApp message that waited went', async () => {
    await quiet(-60, 120);
    const { id } = await shop.pushed(FALLBACK);
    await service.advance({ minutes: 118 });
    expect(await channelsTried(id)).toEqual(['email']);
    await service.advance({ minutes: 3 });
    expect(await channelsTried(id)).toEqual(['email', 'whatsapp']);
    await service.advance({ minutes: 5 });
    expect(await channelsTried(id)).toEqual(['email', 'sms', 'whatsapp']);
  });
});
