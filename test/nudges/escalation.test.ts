import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { openMessage } from '../../src/messages/open.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';
import type { TestRecipient } from '../support/rows.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

let number = 20_000;
async function someone(columns = {}, email?: string) {
  number += 1;
  const shop = await world.business({ credits: 5, ...columns });
  const person = await world.recipient(shop, {
    phone: `+4477009${number}`,
    ...(email === undefined ? {} : { email }),
  });
  return { shop, person };
}

const opens = (person: TestRecipient, messageId: string) =>
  transaction(world.pool, (tx) =>
    openMessage(tx, { businessId: person.businessId, recipientId: person.id, messageId }, world.now()),
  );

describe('a text held until the message stayed unread', () => {
  test('goes out at the deadline and costs its credit only then', async () => {
    const { shop, person } = await someone();
    const { sms, email } = await world.push(person, { sms: true, escalateMinutes: 30 });
    await world.advance(30 * MINUTE - SECOND);
    expect((await world.sendRow(email)).state).toBe('delivered');
    expect((await world.sendRow(sms)).state).toBe('held');
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
    await world.advance(2 * SECOND);
    expect((await world.sendRow(sms)).state).toBe('delivered');
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
  });

  test('is not sent and not charged when the message is opened first', async () => {
    const { shop, person } = await someone();
    const { sms, messageId } = await world.push(person, { sms: true, escalateMinutes: 30 });
    await world.advance(29 * MINUTE);
    await opens(person, messageId);
    await world.advance(2 * HOUR);
    expect((await world.sendRow(sms)).state).toBe('cancelled');
    expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered', 'message.opened']);
  });

  test('counts its minutes from send_at', async () => {
    const { person } = await someone();
    const sendAt = new Date(world.now().getTime() + HOUR);
    const { sms } = await world.push(person, { sms: true, escalateMinutes: 10, sendAt });
    await world.advance(69 * MINUTE);
    expect((await world.sendRow(sms)).state).toBe('held');
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(sms)).state).toBe('delivered');
  });

  test('moves its deadline when the email has not gone out by then', async () => {
    const { person } = await someone({}, 'flaky+escalates@example.com');
    // Attempts at once, after half a minute, and after two and a half minutes: the third one is taken.
    const { sms, email } = await world.push(person, { sms: true, escalateMinutes: 2 });
    await world.advance(2 * MINUTE + SECOND);
    expect((await world.sendRow(email)).state).toBe('queued');
    expect(await world.sendRow(sms)).toMatchObject({ state: 'held', due_at: null });
    await world.advance(30 * SECOND);
    expect((await world.sendRow(email)).state).toBe('delivered');
    await world.advance(MINUTE + 50 * SECOND);
    expect((await world.sendRow(sms)).state).toBe('held');
    await world.advance(30 * SECOND);
    expect((await world.sendRow(sms)).state).toBe('delivered');
  });

  test('is sent when the email has gone for good by then: one that fails counts as unread', async () => {
    const { person } = await someone({}, 'down+escalates@example.com');
    const { sms, email } = await world.push(person, { sms: true, escalateMinutes: 5 });
    await world.advance(6 * MINUTE);
    expect(await world.sendRow(sms)).toMatchObject({ state: 'held', due_at: null });
    await world.advance(30 * MINUTE);
    expect((await world.sendRow(email)).state).toBe('rejected');
    expect((await world.sendRow(sms)).state).toBe('delivered');
  });

  test.each([
    ['bounced', 'bounce+escalates@example.com', {}],
    ['was refused', 'refuse+escalates@example.com', {}],
    ['was lost', 'unknown+escalates@example.com', {}],
    ['was skipped', undefined, { plan: 'lapsed' }],
  ])('is sent although the email %s', async (_, address, columns) => {
    const { person } = await someone(columns, address);
    const { sms } = await world.push(person, { sms: true, escalateMinutes: 10 });
    await world.advance(9 * MINUTE);
    expect((await world.sendRow(sms)).state).toBe('held');
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(sms)).state).toBe('delivered');
  });

  test('is judged again at the deadline: credit, consent and settings count as they are then', async () => {
    const poor = await someone({ credits: 0 });
    const unpaid = await world.push(poor.person, { sms: true, escalateMinutes: 10 });
    const stopped = await someone();
    const unwanted = await world.push(stopped.person, { sms: true, escalateMinutes: 10 });
    const off = await someone();
    const switchedOff = await world.push(off.person, { sms: true, escalateMinutes: 10 });
    await world.advance(MINUTE);
    await world.pool.query(
      `update recipients set sms_status = 'stopped', sms_stopped_by = 'inbox' where id = $1`,
      [stopped.person.id],
    );
    await world.pool.query(`update businesses set sms_mode = 'off' where id = $1`, [off.shop.id]);
    await world.advance(HOUR);
    expect(await world.sendRow(unpaid.sms)).toMatchObject({
      state: 'skipped',
      reason: 'insufficient_credit',
    });
    expect(await world.sendRow(unwanted.sms)).toMatchObject({ state: 'skipped', reason: 'stopped' });
    expect(await world.sendRow(switchedOff.sms)).toMatchObject({ state: 'skipped', reason: 'sms_disabled' });
  });

  test('holds both channels when both were asked for, and sends both', async () => {
    const { shop, person } = await someone();
    const { sms, whatsapp } = await world.push(person, { sms: true, whatsapp: true, escalateMinutes: 5 });
    await world.advance(4 * MINUTE);
    expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(sms)).state).toBe('delivered');
    expect((await world.sendRow(whatsapp)).state).toBe('delivered');
    expect(await world.credits(shop.id)).toMatchObject({ balance: 3, reserved: 0 });
  });
});
