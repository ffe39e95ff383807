import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantCredits } from '../../src/businesses/credits.ts';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, HOUR, later, SECOND } from '../../src/kit/clock.ts';
import { retractMessage } from '../../src/messages/retract.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import type { TestBusiness } from '../support/rows.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

let number = 60_000;
const person = (shop: TestBusiness) => {
  number += 1;
  return world.recipient(shop, { phone: `+4477009${number}` });
};
const text = async (shop: TestBusiness) => {
  await world.push(await person(shop), { sms: true });
  await world.advance(SECOND);
};
const lowBalances = async (shop: TestBusiness) =>
  (await world.events(shop.id)).filter(({ type }) => type === 'credits.low_balance').map(({ data }) => data);

describe('credits.low_balance', () => {
  test('comes once when the balance falls below the threshold, and again only after it has recovered', async () => {
    const shop = await world.business({ credits: 5, low_balance_threshold: 4 });
    await text(shop);
    expect(await lowBalances(shop)).toEqual([]);
    await text(shop);
    await text(shop);
    expect(await lowBalances(shop)).toEqual([{ balance: 3, threshold: 4 }]);
    await transaction(world.pool, (tx) =>
      grantCredits(tx, { businessId: shop.id, credits: 2, note: null }, world.now()),
    );
    await text(shop);
    expect(await lowBalances(shop)).toHaveLength(2);
    expect(await world.credits(shop.id)).toEqual({ balance: 3, reserved: 0, ledger: 3 });
  });

  test('does not come for an account that was below from the start', async () => {
    const shop = await world.business({ credits: 3, low_balance_threshold: 20 });
    await text(shop);
    expect(await lowBalances(shop)).toEqual([]);
  });
});

describe('a plan', () => {
  test('that is past due lapses by itself at the end of its period: email stops, texts go on', async () => {
    const periodEnd = later(world.now(), HOUR);
    const shop = await world.business({ credits: 5, plan: 'past_due', plan_period_end: periodEnd });
    const someone = await person(shop);
    const before = await world.push(someone);
    await world.advance(SECOND);
    expect((await world.sendRow(before.email)).state).toBe('delivered');
    await world.advance(HOUR);
    const { rows } = await world.pool.query('select plan, plan_lapsed_at from businesses where id = $1', [
      shop.id,
    ]);
    expect(rows).toEqual([{ plan: 'lapsed', plan_lapsed_at: periodEnd }]);
    const after = await world.push(someone, { sms: true });
    await world.advance(SECOND);
    expect(await world.sendRow(after.email)).toMatchObject({ state: 'skipped', reason: 'plan_lapsed' });
    expect((await world.sendRow(after.sms)).state).toBe('delivered');
    const lapsed = (await world.events(shop.id)).filter(({ type }) => type === 'plan.lapsed');
    expect(lapsed).toEqual([{ type: 'plan.lapsed', data: { lapsed_at: periodEnd.toISOString() } }]);
  });

  test('tells once a period that its email allowance is used up, and sends on', async () => {
    const periodEnd = later(world.now(), 30 * DAY);
    const shop = await world.business({ email_allowance: 2, plan_period_end: periodEnd });
    const someone = await person(shop);
    for (let n = 0; n < 4; n += 1) {
      await world.push(someone);
      await world.advance(SECOND);
    }
    const told = await world.events(shop.id);
    expect(told.filter(({ type }) => type === 'message.delivered')).toHaveLength(4);
    expect(told.filter(({ type }) => type === 'plan.allowance_exceeded')).toEqual([
      {
        type: 'plan.allowance_exceeded',
        data: { allowance: 2, used: 3, period_end: periodEnd.toISOString() },
      },
    ]);
  });
});

describe('retracting', () => {
  test('ends what waits for a message on every channel, frees its credits, and says that no email was sent', async () => {
    const shop = await world.business({ credits: 5 });
    const someone = await person(shop);
    const made = await world.push(someone, {
      sms: true,
      whatsapp: true,
      sendAt: later(world.now(), DAY),
    });
    const retraction = await transaction(world.pool, (tx) =>
      retractMessage(tx, { businessId: shop.id, messageId: made.messageId }, world.now()),
    );
    expect(retraction?.result.sends_cancelled).toBe(3);
    await world.advance(2 * DAY);
    for (const id of [made.email, made.sms, made.whatsapp]) {
      expect(await world.sendRow(id)).toMatchObject({ state: 'cancelled', reason: 'message_retracted' });
    }
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
    expect(await world.eventTypes(shop.id)).toEqual(['message.not_sent']);
  });

  test('leaves alone what a provider already has', async () => {
    const shop = await world.business({ credits: 5 });
    const made = await world.push(await person(shop), { sms: true });
    await world.advance(SECOND);
    const retraction = await transaction(world.pool, (tx) =>
      retractMessage(tx, { businessId: shop.id, messageId: made.messageId }, world.now()),
    );
    expect(retraction?.result).toMatchObject({ sends_cancelled: 0, already_notified: true });
    expect((await world.sendRow(made.sms)).state).toBe('delivered');
  });
});
