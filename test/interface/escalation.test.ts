import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ViewedMessage } from '../../src/contract/messages.ts';
import { transaction } from '../../src/db/transaction.ts';
import { wordsIn } from '../../src/language/words.ts';
import { countLockWaits } from '../support/databaseLocks.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { FULL_PUSH } from './channelOutcomes.ts';
import { countedUsage, inShort, openFromEmail, timelineItems } from './happenings.ts';
import { creditBalanceOf } from './recipientEvents.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FIRST = { ...FULL_PUSH, kind: 'updateable' };
const UPDATE = { ...FIRST, body: 'It comes tomorrow.', notify: true };
const ESCALATING = { ...UPDATE, channels: ['sms'], escalate_if_unread_after_minutes: 30 };

const viewOf = async (shop: Shop, id: string): Promise<ViewedMessage> =>
  expectStatus(200, await shop.get(`/api/v1/messages/${id}`));

const openedEvents = async (shop: Shop): Promise<number> => {
  const { items } = expectStatus<{ items: object[] }>(
    200,
    await shop.get('/api/v1/events?types=message.opened'),
  );
  return items.length;
};

/** A message that was opened once, half an hour ago. */
async function openedMessage(
  push: Record<string, unknown> = FIRST,
): Promise<{ shop: Shop; id: string; openedAt: string }> {
  const shop = await service.business({ credits: 5 });
  const { id } = await shop.pushed(push);
  await service.advance({ minutes: 1 });
  await openFromEmail(service, id);
  await service.advance({ minutes: 30 });
  const { delivery } = await viewOf(shop, id);
  return { shop, id, openedAt: delivery.opened_at ?? '' };
}

const textsOf = async (id: string): Promise<number> =>
  (await capturedMessages(service.url, { channel: 'sms' })).filter(({ message_id }) => message_id === id)
    .length;

describe('2.1 escalate_if_unread_after_minutes on an update of a message that was opened before', () => {
  test.each([
    ['whose first push held nothing', FIRST],
    ['whose first text was cancelled by the opening', ESCALATING],
  ])('texts at escalates_at when nobody opens it again: a message %s', async (_, first) => {
    const { shop, id, openedAt } = await openedMessage(first);
    expect(await textsOf(id)).toBe(0);
    const updated = await shop.pushed(ESCALATING);
    expect(updated).toMatchObject({ id, created: false, sms: { queued: false } });
    expect(updated.sms?.escalates_at).toBe(
      new Date(Date.parse(updated.updated_at) + 30 * 60_000).toISOString(),
    );
    await service.advance({ minutes: 29 });
    expect(await textsOf(id)).toBe(0);
    await service.advance({ minutes: 2 });
    expect(await textsOf(id)).toBe(1);
    expect((await viewOf(shop, id)).delivery).toMatchObject({
      opened: true,
      opened_at: openedAt,
      sms: { status: 'delivered', credits_charged: 1 },
    });
  });

  test('texts nobody who opens it again in time, and the first opening stays the one that counts', async () => {
    const { shop, id, openedAt } = await openedMessage();
    await shop.pushed(ESCALATING);
    await service.advance({ minutes: 17 });
    await openFromEmail(service, id);
    await service.advance({ hours: 1 });
    expect(await textsOf(id)).toBe(0);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 5, reserved: 0 });
    expect((await viewOf(shop, id)).delivery).toMatchObject({ opened_at: openedAt, sms: null });
    expect(await openedEvents(shop)).toBe(1);
    const { total } = await countedUsage(shop);
    expect([total.email.opened, total.avoided.opened_first]).toEqual([1, 1]);

    const items = await timelineItems(shop, id);
    expect(inShort(items).filter((line) => /opened|armed|updated/.test(line))).toEqual([
      'opened',
      'updated',
      'armed sms',
      'opened',
      'cancelled sms opened_first',
    ]);
    expect(items.at(-1)?.says).toBe(
      'No SMS: the customer opened the message 12 minutes before its deadline.',
    );
  });

  test('texts although the message was opened, when a quiet update follows', async () => {
    const { shop, id } = await openedMessage();
    await shop.pushed(ESCALATING);
    await shop.pushed({ ...FIRST, body: 'It comes today.' });
    await service.advance({ minutes: 31 });
    expect(await textsOf(id)).toBe(1);
  });

  test('judges each update in a batch: a quiet one after it leaves the message unread', async () => {
    const { shop, id } = await openedMessage();
    await shop.batch([ESCALATING, { ...FIRST, body: 'It comes today.' }]);
    await service.advance({ minutes: 31 });
    expect(await textsOf(id)).toBe(1);
  });

  test('texts when the opening came just before the update, which waited for it', async () => {
    const { shop, id } = await openedMessage();
    await shop.pushed(UPDATE);
    await service.advance({ minutes: 1 });
    await inOrder(shop.businessId, id, [() => openFromEmail(service, id), () => shop.pushed(ESCALATING)]);
    await service.advance({ minutes: 31 });
    expect(await textsOf(id)).toBe(1);
  });

  test('texts nobody when the opening came just after the update, for which it waited', async () => {
    const { shop, id } = await openedMessage();
    await inOrder(shop.businessId, id, [() => shop.pushed(ESCALATING), () => openFromEmail(service, id)]);
    await service.advance({ minutes: 31 });
    expect(await textsOf(id)).toBe(0);
  });
});

describe('2.1 a deadline that comes before the email has gone out', () => {
  const DOWN = { ...ESCALATING, recipient_email: 'down@example.com', escalate_if_unread_after_minutes: 5 };

  /** Its provider could not be reached so far. */
  async function waitsForEmail(): Promise<{ shop: Shop; id: string }> {
    const shop = await service.business({ credits: 5 });
    const { id } = await shop.pushed(DOWN);
    await service.advance({ minutes: 6 });
    expect(await rescheduled(shop, id)).toEqual([
      'The SMS’s deadline came before the email had gone out, so it waits for the email.',
    ]);
    return { shop, id };
  }

  const rescheduled = async (shop: Shop, id: string): Promise<string[]> =>
    (await timelineItems(shop, id)).filter(({ kind }) => kind === 'rescheduled').map(({ says }) => says);

  test('moves when it goes out, and the timeline says to when', async () => {
    const { shop, id } = await waitsForEmail();
    await service.pool.query(`update recipients set email = 'up@example.com' where business_id = $1`, [
      shop.businessId,
    ]);
    await service.advance({ minutes: 5 });
    const { rows } = await service.pool.query(
      `select due_at from sends where message_id = $1 and state = 'held'`,
      [id],
    );
    expect((await rescheduled(shop, id)).slice(1)).toEqual([
      `The SMS’s deadline moved to ${wordsIn('en').moment(rows[0].due_at)}, because the email had not gone out.`,
    ]);
    expect(await textsOf(id)).toBe(0);
    await service.advance({ minutes: 5 });
    expect(await textsOf(id)).toBe(1);
  });

  test('also moves when a newer email takes the place of the one it waits for', async () => {
    const { shop, id } = await waitsForEmail();
    await shop.pushed({ ...DOWN, channels: ['email'] });
    await service.advance({ hours: 1 });
    expect(await textsOf(id)).toBe(1);
  });
});

/** Runs the tasks while the message is locked, so that each waits for the one before it. */
async function inOrder(businessId: string, id: string, tasks: (() => Promise<unknown>)[]): Promise<void> {
  const started: Promise<unknown>[] = [];
  await transaction(service.pool, async (tx) => {
    await tx.query('select from messages where business_id = $1 and id = $2 for update', [businessId, id]);
    for (const task of tasks) {
      started.push(task());
      await eventually(async () => expect(await countLockWaits(service.pool)).toBe(started.length));
    }
  });
  await Promise.all(started);
}
