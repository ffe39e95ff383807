import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleReports } from '../../src/callbacks/reports.ts';
import { transaction } from '../../src/db/transaction.ts';
import { HOUR, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { openMessage } from '../../src/messages/open.ts';
import type { ReportStatus } from '../../src/providers/callbackContent.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

let block = 10;
/** Every scenario has a number of its own, with the ending that says how its owner behaves. */
async function someoneEndingIn(ending: string, columns = {}) {
  block += 1;
  const shop = await world.business({ credits: 5, ...columns });
  const person = await world.recipient(shop, {
    phone: ending === '' ? `+4477009${block}000` : numberEndingIn(ending),
  });
  return { shop, person };
}
const numberEndingIn = (ending: string): string => `+44770${block}0${ending}`;

const report = (businessId: string, sendId: string, status: ReportStatus) =>
  handleReports(
    {
      pool: world.pool,
      clock: world.clock,
      hash: world.hash,
      onEvents: () => {},
      onSends: () => world.outbox.wake(),
    },
    [{ provider: 'test', reportId: null, reference: `${businessId}-${sendId}`, status, errorCode: null }],
  );

const texts = (to: string | null) => world.captured({ channel: 'sms', to: to ?? '' });
const asked = { whatsapp: true, smsIfWhatsappFails: true };

describe('the fallback text of a WhatsApp message', () => {
  test('is not sent when the WhatsApp message arrives, and costs nothing', async () => {
    const { shop, person } = await someoneEndingIn('');
    const { fallback } = await world.push(person, asked);
    await world.advance(HOUR);
    expect(await world.sendRow(fallback)).toMatchObject({ state: 'cancelled', reason: 'whatsapp_sufficed' });
    expect(await world.credits(shop.id)).toEqual({ balance: 4, reserved: 0, ledger: 4 });
  });

  test.each([
    ['the platform refuses it', '9001'],
    ['its status comes back failed', '9003'],
    ['the number turns out not to be on WhatsApp', '9005'],
  ])('goes at once when %s, as a send of its own with its own credit', async (_, ending) => {
    const { shop, person } = await someoneEndingIn(ending);
    const { fallback, whatsapp } = await world.push(person, asked);
    await world.advance(SECOND);
    // 9001 and 9003 behave alike on every channel: that the text was tried is what counts.
    expect((await world.sendRow(fallback)).attempts).toBe(1);
    expect(await texts(person.phone)).toHaveLength(1);
    expect(['rejected', 'failed']).toContain((await world.sendRow(whatsapp)).state);
    const { balance, ledger } = await world.credits(shop.id);
    expect(balance).toBe(ledger);
  });

  test('goes when the WhatsApp message could not be handed over at all', async () => {
    const { person } = await someoneEndingIn('9007');
    const { fallback, whatsapp } = await world.push(person, asked);
    await world.advance(4 * MINUTE);
    expect((await world.sendRow(fallback)).state).toBe('held');
    await world.advance(90 * SECOND);
    expect((await world.sendRow(whatsapp)).error_code).toBe('whatsapp.never_submitted');
    expect((await world.sendRow(fallback)).attempts).toBe(1);
  });

  test('goes when no status arrives within five minutes; the WhatsApp message stays queued', async () => {
    const { shop, person } = await someoneEndingIn('9004');
    const { fallback, whatsapp } = await world.push(person, asked);
    await world.advance(5 * MINUTE - SECOND);
    expect((await world.sendRow(fallback)).state).toBe('held');
    await world.advance(2 * SECOND);
    expect((await world.sendRow(fallback)).state).toBe('accepted');
    expect((await world.sendRow(whatsapp)).state).toBe('accepted');
    expect(await world.credits(shop.id)).toEqual({ balance: 3, reserved: 0, ledger: 3 });
    await report(shop.id, whatsapp, 'delivered');
    expect((await world.sendRow(whatsapp)).state).toBe('delivered');
  });

  test('waits its five minutes when the answer of the platform was lost', async () => {
    const { person } = await someoneEndingIn('9002');
    const { fallback, whatsapp } = await world.push(person, asked);
    await world.advance(4 * MINUTE);
    expect((await world.sendRow(whatsapp)).state).toBe('failed');
    expect((await world.sendRow(fallback)).state).toBe('held');
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(fallback)).attempts).toBe(1);
  });

  test('is not sent when a lost answer turns out to be a delivery within the five minutes', async () => {
    const { shop, person } = await someoneEndingIn('9002');
    const { fallback, whatsapp } = await world.push(person, asked);
    await world.advance(MINUTE);
    await report(shop.id, whatsapp, 'delivered');
    await world.advance(HOUR);
    expect(await world.sendRow(fallback)).toMatchObject({ state: 'cancelled', reason: 'whatsapp_sufficed' });
  });

  test('is one text at most: three failed reports, the timer and a late delivery', async () => {
    const { shop, person } = await someoneEndingIn('9004');
    const { whatsapp } = await world.push(person, asked);
    await world.advance(MINUTE);
    await Promise.all([1, 2, 3].map(() => report(shop.id, whatsapp, 'failed')));
    await world.advance(HOUR);
    await report(shop.id, whatsapp, 'delivered');
    await world.advance(HOUR);
    expect(await texts(person.phone)).toHaveLength(1);
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered', 'whatsapp.failed']);
  });

  test('does not fire for a message delivered but unread', async () => {
    const { person } = await someoneEndingIn('');
    const { fallback } = await world.push(person, asked);
    await world.advance(24 * HOUR);
    expect((await world.sendRow(fallback)).state).toBe('cancelled');
    expect(await texts(person.phone)).toEqual([]);
  });

  test('is skipped with a reason when it cannot be paid for, or texts are off', async () => {
    const poor = await someoneEndingIn('9004', { credits: 1 });
    const unpaid = await world.push(poor.person, asked);
    const off = await someoneEndingIn('9004', { sms_mode: 'off' });
    const silent = await world.push(off.person, asked);
    await world.advance(6 * MINUTE);
    expect(await world.sendRow(unpaid.fallback)).toMatchObject({
      state: 'skipped',
      reason: 'insufficient_credit',
    });
    expect(await world.sendRow(silent.fallback)).toMatchObject({ state: 'skipped', reason: 'sms_disabled' });
    expect(await world.credits(poor.shop.id)).toEqual({ balance: 0, reserved: 0, ledger: 0 });
  });

  test('goes when the reference went away before WhatsApp was sent, and does not while a template is in review', async () => {
    const gone = await someoneEndingIn('');
    const wordless = await world.push(gone.person, { ...asked, message: { reference: null } });
    await world.pool.query(
      `update whatsapp_templates set state = 'in_review' where order_status = 'refunded'`,
    );
    const waiting = await someoneEndingIn('');
    const inReview = await world.push(waiting.person, {
      ...asked,
      message: { order_status: 'refunded' },
    });
    await world.advance(HOUR);
    expect(await world.sendRow(wordless.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
    expect((await world.sendRow(wordless.fallback)).state).toBe('delivered');
    expect(await world.sendRow(inReview.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
    expect((await world.sendRow(inReview.fallback)).state).toBe('cancelled');
  });

  test('is not sent when a rule stops WhatsApp, which proves nothing about WhatsApp', async () => {
    const { person } = await someoneEndingIn('', { whatsapp_mode: 'off' });
    const { fallback } = await world.push(person, asked);
    await world.advance(HOUR);
    expect((await world.sendRow(fallback)).state).toBe('cancelled');
  });
});

describe('fallback and escalation together', () => {
  const held = { ...asked, escalateMinutes: 10 };

  test('hold both until the deadline; then the fallback follows its WhatsApp message', async () => {
    const { person } = await someoneEndingIn('9005');
    const { whatsapp, fallback } = await world.push(person, held);
    await world.advance(9 * MINUTE);
    expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
    await world.advance(2 * MINUTE);
    expect((await world.sendRow(whatsapp)).state).toBe('rejected');
    expect((await world.sendRow(fallback)).state).toBe('delivered');
  });

  test('send nothing on either channel when the message is opened first', async () => {
    const { shop, person } = await someoneEndingIn('9005');
    const { whatsapp, fallback, messageId } = await world.push(person, held);
    await world.advance(5 * MINUTE);
    await transaction(world.pool, (tx) =>
      openMessage(tx, { businessId: shop.id, recipientId: person.id, messageId }, world.now()),
    );
    await world.advance(HOUR);
    expect((await world.sendRow(whatsapp)).state).toBe('cancelled');
    expect((await world.sendRow(fallback)).state).toBe('cancelled');
    expect(await world.captured({ to: person.phone ?? '' })).toEqual([]);
    expect(await world.credits(shop.id)).toEqual({ balance: 5, reserved: 0, ledger: 5 });
  });

  test('text at the deadline a number known not to be on WhatsApp, or a push without a template', async () => {
    const known = await someoneEndingIn('9005');
    await world.push(known.person, { whatsapp: true });
    await world.advance(MINUTE);
    const unreachable = await world.push(known.person, held);
    const wordy = await someoneEndingIn('');
    const wordless = await world.push(wordy.person, { ...held, message: { order_status: null } });
    await world.advance(9 * MINUTE);
    expect(await texts(known.person.phone)).toEqual([]);
    await world.advance(2 * MINUTE);
    expect(await world.sendRow(unreachable.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'not_reachable',
    });
    expect((await world.sendRow(unreachable.fallback)).state).toBe('delivered');
    expect(await world.sendRow(wordless.whatsapp)).toMatchObject({
      state: 'skipped',
      reason: 'template_not_sendable',
    });
    expect((await world.sendRow(wordless.fallback)).state).toBe('delivered');
  });
});
