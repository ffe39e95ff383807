import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { answerOnce } from '../../src/idempotency/idempotency.ts';
import { DAY, HOUR, later, MINUTE } from '../../src/kit/clock.ts';
import { ApiError } from '../../src/kit/errors.ts';
import { createViews } from '../../src/messages/read.ts';
import { resendSms } from '../../src/messages/resend.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { untilLockWait } from '../support/databaseLocks.ts';
import { NUMBER } from '../support/pushState.ts';
import { BY_WHATSAPP, type DomainShop, latch, openDomainShop } from './domainShop.ts';

let database: TestDatabase;
let shop: DomainShop;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await openDomainShop(database.pool);
});

const QUEUED = { queued: true, credits: 1, skipped_reason: null, escalates_at: null };
const skipped = (reason: string) => ({
  queued: false,
  credits: 0,
  skipped_reason: reason,
  escalates_at: null,
});
const text = async (id: string) => (await shop.resendSms(id))?.result;
const whatsapp = async (id: string) => (await shop.resendWhatsapp(id))?.result;
const onChannel = async (id: string, channel: string) =>
  (await shop.sends(id)).filter((send) => send.channel === channel);
const deliveryOf = async (id: string) => (await createViews(database.pool)(shop.businessId, id))?.delivery;

describe('a text', () => {
  test('that never went out is queued now, with its credit set aside', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    shop.advance(HOUR);
    expect(await shop.resendSms(id)).toEqual({ result: QUEUED, recipientId: expect.any(String) });
    expect(await onChannel(id, 'sms')).toMatchObject([
      {
        purpose: 'resend',
        state: 'queued',
        due_at: shop.clock.now(),
        credits: 1,
        reserved: true,
        charged: false,
      },
    ]);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
    expect((await deliveryOf(id))?.sms).toMatchObject({ status: 'queued', credits_charged: 0 });
  });

  test('does not store the message again', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    await text(id);
    const { rows } = await database.pool.query('select id, updated_at from messages where business_id = $1', [
      shop.businessId,
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0].updated_at).toEqual(
      new Date((await createViews(database.pool)(shop.businessId, id))?.created_at ?? 0),
    );
  });

  test('goes out after a top-up', async () => {
    const poor = await openDomainShop(database.pool, { credits: 0 });
    const { id, sms } = await poor.push({ phone: NUMBER, channels: ['sms'] });
    expect(sms?.skipped_reason).toBe('insufficient_credit');
    expect((await poor.resendSms(id))?.result).toEqual(skipped('insufficient_credit'));
    await database.pool.query('update credit_accounts set balance = 1 where business_id = $1', [
      poor.businessId,
    ]);
    expect((await poor.resendSms(id))?.result).toEqual(QUEUED);
  });

  test('costs what its country costs', async () => {
    await database.pool.query(`insert into country_prices values ('LV', 4)`);
    const { id } = await shop.push({ phone: { number: '+37121234567', country: 'LV' } });
    expect(await text(id)).toEqual({ ...QUEUED, credits: 4 });
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 4 });
    expect(await onChannel(id, 'sms')).toMatchObject([{ credits: 4 }]);
  });

  test('that a gate refuses is answered with the reason, and nothing is written', async () => {
    const { id } = await shop.push();
    expect(await text(id)).toEqual(skipped('no_phone'));
    await shop.setBusiness({ sms_mode: 'off' });
    expect(await text(id)).toEqual(skipped('sms_disabled'));
    await shop.setBusiness({ paused: true });
    expect(await text(id)).toEqual(skipped('sending_paused'));
    expect(await onChannel(id, 'sms')).toEqual([]);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
  });

  test('is judged by what holds now: a stop since the push stops it', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    await database.pool.query(
      `update recipients set sms_status = 'stopped', sms_stopped_by = 'text' where business_id = $1`,
      [shop.businessId],
    );
    expect(await text(id)).toEqual(skipped('stopped'));
  });

  test('is stopped by an unsubscription that outlived an erasure', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    await database.pool.query(`insert into suppressions values ($1, $2, 'unsubscribe', null, $3)`, [
      shop.businessId,
      shop.hash('email', 'ann@example.com'),
      shop.clock.now(),
    ]);
    expect(await text(id)).toEqual(skipped('unsubscribed'));
  });

  test('counts against the operator’s hourly limit for one person', async () => {
    await shop.setBusiness({ paid_per_recipient_hour: 1 });
    const first = await shop.push({ phone: NUMBER, channels: ['sms'] });
    await shop.setSends(first.id, 'sms', {
      state: 'delivered',
      submitted_at: shop.clock.now(),
      due_at: null,
    });
    const second = await shop.push();
    expect(await text(second.id)).toEqual(skipped('rate_limited'));
    shop.advance(HOUR + 1);
    expect(await text(second.id)).toEqual(QUEUED);
  });

  test('of a retracted or obsolete message is skipped', async () => {
    const one = await shop.push({ phone: NUMBER });
    await shop.retract(one.id);
    expect(await text(one.id)).toEqual(skipped('message_retracted'));
    const two = await shop.push();
    await shop.push({ obsoletes: [two.id] });
    expect(await text(two.id)).toEqual(skipped('message_obsolete'));
  });

  test('of an unknown message, or another business’s, is no such message', async () => {
    const other = await openDomainShop(database.pool);
    const { id } = await other.push({ phone: NUMBER });
    expect(await shop.resendSms(id)).toBeNull();
    expect(await shop.resendSms('0'.repeat(24))).toBeNull();
    expect((await other.sends(id)).map(({ channel }) => channel)).toEqual(['email']);
  });

  test.each(['queued', 'submitting', 'accepted', 'delivered'])('that is %s is refused', async (state) => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'] });
    await shop.setSends(id, 'sms', { state });
    await expect(text(id)).rejects.toThrow('sms.already_sent');
    expect(await onChannel(id, 'sms')).toHaveLength(1);
  });

  test('that is scheduled is queued already', async () => {
    const { id } = await shop.push({
      phone: NUMBER,
      channels: ['sms'],
      sendAt: later(shop.clock.now(), DAY),
    });
    await expect(text(id)).rejects.toThrow('sms.already_sent');
  });

  test('whose answer was lost may have arrived and is refused', async () => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'] });
    await shop.setSends(id, 'sms', { state: 'failed', reason: 'outcome_unknown' });
    await expect(text(id)).rejects.toThrow('sms.may_have_sent');
  });

  test('held for escalation is sent now instead, and no longer waits for its deadline', async () => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'], escalateMinutes: 60 });
    const [armed] = await onChannel(id, 'sms');
    expect(armed).toMatchObject({ state: 'held', reserved: false });
    shop.advance(MINUTE);
    expect(await text(id)).toEqual(QUEUED);
    expect(await onChannel(id, 'sms')).toEqual([
      {
        ...armed,
        purpose: 'resend',
        state: 'queued',
        due_at: shop.clock.now(),
        reserved: true,
        escalate_minutes: null,
      },
    ]);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
  });

  test('held for escalation stays held when a gate refuses the resend', async () => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'], escalateMinutes: 60 });
    const before = await shop.sends(id);
    await shop.setBusiness({ paused: true });
    expect(await text(id)).toEqual(skipped('sending_paused'));
    expect(await shop.sends(id)).toEqual(before);
  });

  test('held as the fallback of a WhatsApp message goes now instead, so that one text goes and not two', async () => {
    const { id } = await shop.push({ ...BY_WHATSAPP, smsIfWhatsappFails: true });
    const [held] = await onChannel(id, 'sms');
    expect(await text(id)).toEqual(QUEUED);
    expect(await onChannel(id, 'sms')).toMatchObject([
      { id: held?.id, state: 'queued', fallback_of: held?.fallback_of },
    ]);
    expect(held?.fallback_of).not.toBeNull();
  });
});

describe('a WhatsApp message', () => {
  const consented = { phone: NUMBER, whatsappOptIn: { source: 'checkout' } };

  test('that never went out is queued now, without a fallback', async () => {
    const { id } = await shop.push({ ...consented, smsIfWhatsappFails: true });
    expect(await whatsapp(id)).toEqual({ ...QUEUED, sms_fallback: false });
    expect(await shop.sends(id)).toMatchObject([
      { channel: 'email' },
      { channel: 'whatsapp', purpose: 'resend', state: 'queued', reserved: true, fallback_of: null },
    ]);
  });

  test('that a gate refuses is answered with the reason', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    expect(await whatsapp(id)).toEqual({ ...skipped('not_opted_in'), sms_fallback: false });
    const wordless = await shop.push({ ...consented, reference: 'https://x' });
    expect(await whatsapp(wordless.id)).toMatchObject({ skipped_reason: 'template_not_sendable' });
    await database.pool.query(`insert into whatsapp_unreachable values ($1, $2, $3)`, [
      shop.businessId,
      shop.hash('phone', NUMBER.number),
      later(shop.clock.now(), DAY),
    ]);
    expect(await whatsapp(id)).toMatchObject({ skipped_reason: 'not_reachable' });
    shop.advance(2 * DAY);
    expect(await whatsapp(id)).toMatchObject({ queued: true });
  });

  test('held for escalation is sent now, and the text held as its fallback stays held', async () => {
    const { id } = await shop.push({ ...BY_WHATSAPP, escalateMinutes: 60, smsIfWhatsappFails: true });
    const [fallback] = await onChannel(id, 'sms');
    expect(await whatsapp(id)).toEqual({ ...QUEUED, sms_fallback: false });
    expect(await onChannel(id, 'whatsapp')).toMatchObject([
      { id: fallback?.fallback_of, state: 'queued', escalate_minutes: null, reserved: true },
    ]);
    expect(await onChannel(id, 'sms')).toEqual([fallback]);
  });

  test.each(['queued', 'accepted', 'delivered', 'read'])('that is %s is refused', async (state) => {
    const { id } = await shop.push(BY_WHATSAPP);
    await shop.setSends(id, 'whatsapp', { state });
    await expect(whatsapp(id)).rejects.toThrow('whatsapp.already_sent');
  });

  test('that failed, and whose text went instead, is refused as escalated', async () => {
    const { id } = await shop.push({ ...BY_WHATSAPP, smsIfWhatsappFails: true });
    await shop.setSends(id, 'whatsapp', { state: 'failed', reason: 'outcome_unknown' });
    await shop.setSends(id, 'sms', { state: 'delivered' });
    await expect(whatsapp(id)).rejects.toThrow('whatsapp.escalated_to_sms');
  });

  test('that could not carry the message, so that the text went at once, is refused as escalated', async () => {
    const { id, sms } = await shop.push({ ...BY_WHATSAPP, smsIfWhatsappFails: true, orderStatus: null });
    expect(sms?.queued).toBe(true);
    await expect(whatsapp(id)).rejects.toThrow('whatsapp.escalated_to_sms');
  });

  test('whose answer was lost may have arrived and is refused', async () => {
    const { id } = await shop.push(BY_WHATSAPP);
    await shop.setSends(id, 'whatsapp', { state: 'failed', reason: 'outcome_unknown' });
    await expect(whatsapp(id)).rejects.toThrow('whatsapp.may_have_sent');
  });
});

describe('resends at the same moment', () => {
  const withKey = (id: string, key: string) =>
    answerOnce(database.pool, shop.claim('resend_sms', key), async (tx) => {
      const resent = await resendSms(
        tx,
        shop.hash,
        { businessId: shop.businessId, messageId: id },
        shop.clock.now(),
      );
      return { status: 200, body: JSON.stringify(resent?.result), recipientId: resent?.recipientId ?? null };
    });
  const codeOf = (error: unknown): string => {
    if (error instanceof ApiError) return error.code;
    throw error;
  };

  test('with different keys: one is queued, the others are refused', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => withKey(id, `key ${index}`).then(({ body }) => body, codeOf)),
    );
    expect(answers.toSorted()).toEqual(
      [...Array(7).fill('sms.already_sent'), JSON.stringify(QUEUED)].toSorted(),
    );
    expect(await onChannel(id, 'sms')).toHaveLength(1);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
  });

  test('one that waited sees what the other queued, even if a worker has taken that on already', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    const [queued, mayCommit] = [latch(), latch()];
    const first = transaction(database.pool, async (tx) => {
      await resendSms(tx, shop.hash, { businessId: shop.businessId, messageId: id }, shop.clock.now());
      // Beyond waiting, where the unique index does not reach.
      await tx.query(`update sends set state = 'submitting' where business_id = $1 and channel = 'sms'`, [
        shop.businessId,
      ]);
      queued.open();
      await mayCommit.opened;
    });
    await queued.opened;
    const second = text(id).catch(codeOf);
    await untilLockWait(database.pool);
    mayCommit.open();
    await first;
    expect(await second).toBe('sms.already_sent');
    expect(await onChannel(id, 'sms')).toHaveLength(1);
  });

  test('against a stop: the resend waits for it and then respects it', async () => {
    const { id } = await shop.push({ phone: NUMBER });
    const [stopped, mayCommit] = [latch(), latch()];
    const stopping = transaction(database.pool, async (tx) => {
      await tx.query(
        `update recipients set sms_status = 'stopped', sms_stopped_by = 'text' where business_id = $1`,
        [shop.businessId],
      );
      stopped.open();
      await mayCommit.opened;
    });
    await stopped.opened;
    const resending = text(id);
    await untilLockWait(database.pool);
    mayCommit.open();
    await stopping;
    expect(await resending).toEqual(skipped('stopped'));
  });

  test('a refusal leaves the key unspent: once the text was rejected, the same key sends', async () => {
    const { id } = await shop.push({ phone: NUMBER, channels: ['sms'] });
    await expect(withKey(id, 'k')).rejects.toThrow('sms.already_sent');
    await shop.setSends(id, 'sms', { state: 'rejected', reserved: false });
    expect(await withKey(id, 'k')).toMatchObject({ replayed: false, body: JSON.stringify(QUEUED) });
    expect(await withKey(id, 'k')).toMatchObject({ replayed: true, body: JSON.stringify(QUEUED) });
  });

  test('of several messages on the last credit: one is queued, the others lack credit', async () => {
    const poor = await openDomainShop(database.pool, { credits: 1 });
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await poor.push({ phone: NUMBER })).id);
    const results = await Promise.all(ids.map(async (id) => (await poor.resendSms(id))?.result));
    expect(results.filter((result) => result?.queued)).toHaveLength(1);
    expect(results.filter((result) => result?.skipped_reason === 'insufficient_credit')).toHaveLength(4);
    expect(await poor.credits()).toEqual({ balance: 1, reserved: 1 });
  });

  test('against a retraction: queued and cancelled, or skipped; never left waiting', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await shop.push({ phone: NUMBER });
      const [result] = await Promise.all([text(id), shop.retract(id)]);
      expect(result?.queued === true || result?.skipped_reason === 'message_retracted').toBe(true);
      expect((await shop.sends(id)).map(({ state }) => state)).not.toContain('queued');
    }
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
  });

  test('against pushes that update the message in place: at most one text waits, and every credit is accounted for', async () => {
    const update = { phone: NUMBER, kind: 'updateable', channels: ['sms'], notify: true } as const;
    const { id } = await shop.push({ ...update, channels: [] });
    await Promise.all([
      ...Array.from({ length: 4 }, () => shop.push(update)),
      ...Array.from({ length: 4 }, (_, index) => withKey(id, `race ${index}`).catch(codeOf)),
    ]);
    const waiting = (await onChannel(id, 'sms')).filter(({ state }) => state === 'queued');
    expect(waiting).toHaveLength(1);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
  });
});

test('a resend in a transaction that fails leaves nothing behind', async () => {
  const { id } = await shop.push({ phone: NUMBER });
  const failing = transaction(database.pool, async (tx) => {
    await resendSms(tx, shop.hash, { businessId: shop.businessId, messageId: id }, shop.clock.now());
    throw new Error('the answer could not be stored');
  });
  await expect(failing).rejects.toThrow('could not be stored');
  expect(await onChannel(id, 'sms')).toEqual([]);
  expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
});
