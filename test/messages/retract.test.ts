import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../src/db/pool.ts';
import { transaction } from '../../src/db/transaction.ts';
import { HOUR, later, MINUTE } from '../../src/kit/clock.ts';
import { createViews } from '../../src/messages/read.ts';
import { retractMessage } from '../../src/messages/retract.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { untilLockWait } from '../support/databaseLocks.ts';
import { NUMBER } from '../support/pushState.ts';
import { BY_WHATSAPP, type DomainShop, latch, openDomainShop, STARTED_AT } from './domainShop.ts';

let database: TestDatabase;
let shop: DomainShop;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await openDomainShop(database.pool);
});

const TEXT = { channels: ['sms'], phone: NUMBER } as const;
const retracted = async (id: string) => (await shop.retract(id))?.result;

test('retracting cancels every queued nudge and says how many', async () => {
  const { id } = await shop.push(TEXT);
  expect(await shop.retract(id)).toEqual({
    result: { id, status: 'retracted', retracted: true, sends_cancelled: 2, already_notified: false },
    recipientId: expect.any(String),
    deliveries: 0,
  });
  expect(await shop.sends(id)).toMatchObject([
    { state: 'cancelled', reason: 'message_retracted', due_at: null, lease: null, reserved: false },
    { state: 'cancelled', reason: 'message_retracted', due_at: null, lease: null, reserved: false },
  ]);
});

test('a retracted message is shown as such, its cancelled nudges as not sent and skipped', async () => {
  const { id } = await shop.push(TEXT);
  shop.advance(MINUTE);
  await shop.retract(id);
  const at = later(STARTED_AT, MINUTE + 1).toISOString();
  expect(await createViews(database.pool)(shop.businessId, id)).toMatchObject({
    status: 'retracted',
    body: 'It has shipped.',
    delivery: {
      not_sent: { reason: 'message_retracted', at },
      sms: { status: 'skipped', skipped_reason: 'message_retracted', credits_charged: 0, last_status_at: at },
    },
  });
});

test('a cancelled text is not billed: what was set aside is free again', async () => {
  const { id } = await shop.push(TEXT);
  const kept = await shop.push(TEXT);
  expect(await shop.credits()).toEqual({ balance: 10, reserved: 2 });
  await shop.retract(id);
  expect(await shop.credits()).toEqual({ balance: 10, reserved: 1 });
  await shop.retract(kept.id);
  expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
});

test('the merchant is told once that the email was not sent', async () => {
  const { id } = await shop.push(TEXT);
  await shop.retract(id);
  await shop.retract(id);
  expect(await shop.events()).toEqual([
    {
      type: 'message.not_sent',
      data: {
        message_id: id,
        recipient_email: 'ann@example.com',
        subject: 'Your order',
        reference: '#1001',
        channel: 'email',
        reason: 'message_retracted',
      },
    },
  ]);
});

test('an endpoint that listens has a delivery waiting', async () => {
  await database.pool.query(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
     values ($1, 'e', 'https://shop.example/hook', '', '', $2)`,
    [shop.businessId, STARTED_AT],
  );
  const { id } = await shop.push();
  expect((await shop.retract(id))?.deliveries).toBe(1);
});

test('an email that had gone out already is not told to be not sent', async () => {
  const { id } = await shop.push();
  await shop.setSends(id, 'email', { state: 'accepted', due_at: null });
  expect(await retracted(id)).toMatchObject({ retracted: true, sends_cancelled: 0, already_notified: true });
  expect(await shop.events()).toEqual([]);
});

test('deferred nudges are cancelled too', async () => {
  const { id } = await shop.push({ ...TEXT, sendAt: later(STARTED_AT, 24 * HOUR) });
  expect(await retracted(id)).toMatchObject({ sends_cancelled: 2, already_notified: false });
});

test('nudges held for escalation and their fallback text are cancelled too', async () => {
  const { id } = await shop.push({ ...BY_WHATSAPP, escalateMinutes: 60, smsIfWhatsappFails: true });
  expect(await retracted(id)).toMatchObject({ sends_cancelled: 3 });
  expect((await shop.sends(id)).map(({ state, due_at }) => [state, due_at])).toEqual(
    Array(3).fill(['cancelled', null]),
  );
});

test('a retraction cancels the fallback text of a WhatsApp message without a status', async () => {
  const { id } = await shop.push({ ...BY_WHATSAPP, smsIfWhatsappFails: true });
  await shop.setSends(id, 'whatsapp', { state: 'accepted', due_at: null, reserved: false });
  await shop.setSends(id, 'sms', { due_at: later(STARTED_AT, 5 * MINUTE) });
  expect(await retracted(id)).toMatchObject({ sends_cancelled: 2, already_notified: true });
});

test('a send that was charged and waits for its next attempt is refunded', async () => {
  const { id } = await shop.push(TEXT);
  const text = (await shop.sends(id)).find(({ channel }) => channel === 'sms');
  await shop.setSends(id, 'sms', { reserved: false, charged: true, attempts: 1 });
  await database.pool.query('update credit_accounts set balance = 9, reserved = 0 where business_id = $1', [
    shop.businessId,
  ]);
  await database.pool.query(
    `insert into credit_ledger (business_id, id, kind, amount, send_id, at) values ($1, 'charge', 'charge', -1, $2, $3)`,
    [shop.businessId, text?.id, STARTED_AT],
  );
  expect(await retracted(id)).toMatchObject({ sends_cancelled: 2, already_notified: false });
  expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
});

test('a second retraction is no error: retracted is false, and nothing more is cancelled', async () => {
  const { id } = await shop.push(TEXT);
  await shop.retract(id);
  expect(await retracted(id)).toEqual({
    id,
    status: 'retracted',
    retracted: false,
    sends_cancelled: 0,
    already_notified: false,
  });
});

test('an obsolete message is no longer live: it stays obsolete', async () => {
  const { id } = await shop.push();
  await shop.push({ obsoletes: [id] });
  expect(await retracted(id)).toMatchObject({ status: 'obsolete', retracted: false, sends_cancelled: 0 });
  expect(await createViews(database.pool)(shop.businessId, id)).toMatchObject({ status: 'obsolete' });
});

test('an unknown id and another business’s look alike, and nothing of the other’s is touched', async () => {
  const other = await openDomainShop(database.pool);
  const { id } = await other.push();
  expect(await shop.retract(id)).toBeNull();
  expect(await shop.retract('0'.repeat(24))).toBeNull();
  expect((await other.sends(id)).map(({ state }) => state)).toEqual(['queued']);
});

test.each([
  ['submitting', true],
  ['accepted', true],
  ['delivered', true],
  ['read', true],
  ['failed', true],
  ['rejected', false],
  ['skipped', false],
])('a nudge that is %s makes already_notified %s', async (state, notified) => {
  const { id } = await shop.push();
  await shop.setSends(id, 'email', {
    state,
    due_at: null,
    reason: state === 'failed' ? 'outcome_unknown' : null,
  });
  expect(await retracted(id)).toMatchObject({
    retracted: true,
    sends_cancelled: 0,
    already_notified: notified,
  });
  expect((await shop.sends(id)).map((send) => send.state)).toEqual([state]);
});

test('after a retraction an updateable push of the same subject starts a new message', async () => {
  const first = await shop.push({ kind: 'updateable' });
  await shop.retract(first.id);
  const second = await shop.push({ kind: 'updateable' });
  expect(second).toMatchObject({ created: true });
  expect(second.id).not.toBe(first.id);
});

describe('against a send that runs at the same moment', () => {
  /** What a worker does before it calls a provider, in the order of locks that everyone keeps. */
  const submit = async (tx: Client, messageId: string): Promise<number> => {
    await tx.query(
      `select from recipients r join messages m on m.business_id = r.business_id and m.recipient_id = r.id
       where m.business_id = $1 and m.id = $2 for share of r`,
      [shop.businessId, messageId],
    );
    await tx.query('select from messages where business_id = $1 and id = $2 for share', [
      shop.businessId,
      messageId,
    ]);
    const { rowCount } = await tx.query(
      `update sends set state = 'submitting', reserved = false, charged = credits > 0, submitted_at = $3
       where business_id = $1 and message_id = $2 and channel = 'sms' and state = 'queued'`,
      [shop.businessId, messageId, STARTED_AT],
    );
    return rowCount ?? 0;
  };

  test('submit first: that nudge counts as sent, the others are cancelled', async () => {
    const { id } = await shop.push(TEXT);
    const [submitted, mayCommit] = [latch(), latch()];
    const submitting = transaction(database.pool, async (tx) => {
      const count = await submit(tx, id);
      submitted.open();
      await mayCommit.opened;
      return count;
    });
    await submitted.opened;
    const retracting = retracted(id);
    await untilLockWait(database.pool);
    mayCommit.open();
    expect(await submitting).toBe(1);
    expect(await retracting).toMatchObject({ retracted: true, sends_cancelled: 1, already_notified: true });
    expect((await shop.sends(id)).find(({ channel }) => channel === 'sms')).toMatchObject({
      state: 'submitting',
      charged: true,
    });
  });

  test('retract first: it is never submitted and nothing is charged', async () => {
    const { id } = await shop.push(TEXT);
    const [done, mayCommit] = [latch(), latch()];
    const retracting = transaction(database.pool, async (tx) => {
      const retraction = await retractMessage(
        tx,
        { businessId: shop.businessId, messageId: id },
        shop.clock.now(),
      );
      done.open();
      await mayCommit.opened;
      return retraction?.result;
    });
    await done.opened;
    const submitting = transaction(database.pool, (tx) => submit(tx, id));
    await untilLockWait(database.pool);
    mayCommit.open();
    expect(await retracting).toMatchObject({ retracted: true, sends_cancelled: 2, already_notified: false });
    expect(await submitting).toBe(0);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
  });

  test('a send that surely did not reach its provider and is being queued again is cancelled', async () => {
    const { id } = await shop.push();
    await shop.setSends(id, 'email', { state: 'submitting' });
    const [written, mayCommit] = [latch(), latch()];
    const queueingAgain = transaction(database.pool, async (tx) => {
      await tx.query(`update sends set state = 'queued' where business_id = $1`, [shop.businessId]);
      written.open();
      await mayCommit.opened;
    });
    await written.opened;
    const retracting = retracted(id);
    await untilLockWait(database.pool);
    mayCommit.open();
    await queueingAgain;
    expect(await retracting).toMatchObject({ sends_cancelled: 1, already_notified: false });
    expect((await shop.sends(id)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('of ten retractions at once one retracts, and credits are given back once', async () => {
    const { id } = await shop.push(TEXT);
    const results = await Promise.all(Array.from({ length: 10 }, () => retracted(id)));
    expect(results.filter((result) => result?.retracted)).toHaveLength(1);
    expect(results.reduce((sum, result) => sum + (result?.sends_cancelled ?? 0), 0)).toBe(2);
    expect(await shop.credits()).toEqual({ balance: 10, reserved: 0 });
    expect(await shop.events()).toHaveLength(1);
  });
});
