import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode } from '../support/shop.ts';
import { FULL_PUSH, queuedOutcome, skippedOutcome } from './channelOutcomes.ts';
import { creditBalanceOf, insertStop, recordNotOnWhatsapp } from './recipientEvents.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

type Channel = 'sms' | 'whatsapp';
const resend = (id: string, channel: Channel, key?: string) =>
  shop.post(`/api/v1/messages/${id}/${channel}`, key);
const blockOf = (channel: Channel, block: object) =>
  channel === 'sms' ? block : { ...block, sms_fallback: false };
/** What a worker or a report would have made of the message's nudge. */
const become = (id: string, channel: Channel, state: string, reason: string | null = null) =>
  service.pool.query(
    `update sends set state = $3, reason = $4, due_at = null, reserved = false where message_id = $1 and channel = $2`,
    [id, channel, state, reason],
  );
const topUp = (credits: number) =>
  service.pool.query('update credit_accounts set balance = balance + $2 where business_id = $1', [
    shop.businessId,
    credits,
  ]);

describe.each(['sms', 'whatsapp'] as const)('4. resend %s', (channel) => {
  const push = (change: Record<string, unknown> = {}) =>
    shop.pushed({ ...FULL_PUSH, channels: [channel], ...change });

  describe('200', () => {
    test('a nudge that never went out goes after a top-up', async () => {
      shop = await service.business({ credits: 0 });
      const { id } = await push();
      expect((await resend(id, channel)).body).toEqual(
        blockOf(channel, skippedOutcome('insufficient_credit')),
      );
      await topUp(1);
      expect((await resend(id, channel)).body).toEqual(blockOf(channel, queuedOutcome()));
      expect(await creditBalanceOf(service, shop)).toEqual({ balance: 1, reserved: 1 });
      expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
        delivery: { [channel]: { status: 'queued' } },
      });
    });

    test('it names its channel: an on_request account sends what the push did not ask for', async () => {
      const { id } = await push({ channels: null });
      expect((await resend(id, channel)).body).toEqual(blockOf(channel, queuedOutcome()));
    });

    test('it does not store the message again', async () => {
      const { id } = await push({ channels: null });
      await resend(id, channel);
      expect((await shop.get('/api/v1/messages')).body).toMatchObject({ items: [{ id }], next_cursor: null });
    });

    test('a policy refusal is an answer, and is replayed', async () => {
      const { id } = await push({ channels: null });
      await insertStop(service, shop, channel, PHONE_NUMBER);
      const first = await resend(id, channel, 'policy');
      expect(first.body).toEqual(blockOf(channel, skippedOutcome('stopped')));
      expect((await resend(id, channel, 'policy')).text).toBe(first.text);
    });

    test.each(['off', 'not_enabled'] as const)('an account that has it %s', async (mode) => {
      const { id } = await push({ channels: null });
      await service.change(shop, channel === 'sms' ? { smsMode: mode } : { whatsappMode: mode });
      const reason = `${channel}_${mode === 'off' ? 'disabled' : 'not_enabled'}`;
      expect((await resend(id, channel)).body).toEqual(blockOf(channel, skippedOutcome(reason)));
    });

    test('a message taken back or obsolete is not announced', async () => {
      const [one, other] = [await push(), await push()];
      await shop.post(`/api/v1/messages/${one.id}/retract`);
      await shop.pushed({ obsoletes: [other.id] });
      expect((await resend(one.id, channel)).body).toEqual(
        blockOf(channel, skippedOutcome('message_retracted')),
      );
      expect((await resend(other.id, channel)).body).toEqual(
        blockOf(channel, skippedOutcome('message_obsolete')),
      );
    });

    test('one that is held for escalation is sent now instead', async () => {
      const { id } = await push({ escalate_if_unread_after_minutes: 60 });
      expect((await resend(id, channel)).body).toEqual(blockOf(channel, queuedOutcome()));
      const { rows } = await service.pool.query(
        'select state from sends where message_id = $1 and channel = $2',
        [id, channel],
      );
      expect(rows).toEqual([{ state: 'queued' }]);
    });

    test.each(['rejected', 'skipped', 'failed'])('one that ended %s reached nobody', async (state) => {
      const { id } = await push();
      await become(id, channel, state);
      expect((await resend(id, channel)).body).toEqual(blockOf(channel, queuedOutcome()));
    });
  });

  describe('409, decided before anything is written: the key stays unspent', () => {
    test.each(['queued', 'submitting', 'accepted', 'delivered', ...(channel === 'whatsapp' ? ['read'] : [])])(
      'already_sent: %s',
      async (state) => {
        const { id } = await push();
        await become(id, channel, state);
        expect(statusAndCode(await resend(id, channel, 'k'))).toBe(`409 ${channel}.already_sent`);
        await become(id, channel, 'rejected');
        expect(statusAndCode(await resend(id, channel, 'k'))).toBe('200');
      },
    );

    test('may_have_sent: an earlier one ended without an answer', async () => {
      const { id } = await push();
      await become(id, channel, 'failed', 'outcome_unknown');
      expect(statusAndCode(await resend(id, channel, 'k'))).toBe(`409 ${channel}.may_have_sent`);
      await become(id, channel, 'rejected');
      expect(statusAndCode(await resend(id, channel, 'k'))).toBe('200');
    });

    test('two at once with different keys: one is queued', async () => {
      const { id } = await push({ channels: null });
      const answers = await Promise.all([resend(id, channel), resend(id, channel), resend(id, channel)]);
      expect(answers.map(statusAndCode).sort()).toEqual([
        '200',
        `409 ${channel}.already_sent`,
        `409 ${channel}.already_sent`,
      ]);
      expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 1 });
    });
  });

  test('404: no such message, which spends the key', async () => {
    expect(statusAndCode(await resend('unknown', channel, 'k'))).toBe('404 message.not_found');
    expect((await resend('unknown', channel, 'k')).headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('4. resend WhatsApp', () => {
  const asked = { ...FULL_PUSH, channels: ['whatsapp'], sms_if_whatsapp_fails: true };

  test('409 escalated_to_sms: the text already went instead', async () => {
    await recordNotOnWhatsapp(service, shop, PHONE_NUMBER);
    const { id, sms } = await shop.pushed(asked);
    expect(sms).toMatchObject({ queued: true });
    await become(id, 'sms', 'delivered');
    expect(statusAndCode(await resend(id, 'whatsapp'))).toBe('409 whatsapp.escalated_to_sms');
  });

  test('does not re-arm sms_if_whatsapp_fails', async () => {
    const { id, whatsapp } = await shop.pushed(asked);
    expect(whatsapp?.sms_fallback).toBe(true);
    await service.pool.query(
      `update sends set state = 'rejected', due_at = null, reserved = false where message_id = $1 and channel <> 'email'`,
      [id],
    );
    expect((await resend(id, 'whatsapp')).body).toEqual({ ...queuedOutcome(), sms_fallback: false });
    const { rows } = await service.pool.query(`select from sends where message_id = $1 and state = 'held'`, [
      id,
    ]);
    expect(rows).toEqual([]);
  });

  test.each([
    ['not_opted_in', { whatsapp_opt_in: null }],
    ['template_not_sendable', { reference: null }],
  ])('a policy refusal: %s', async (reason, change) => {
    const { id } = await shop.pushed({ ...FULL_PUSH, ...change });
    expect((await resend(id, 'whatsapp')).body).toEqual({ ...skippedOutcome(reason), sms_fallback: false });
  });
});
