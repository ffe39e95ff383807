import { describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { later, SECOND } from '../../src/kit/clock.ts';
import { deleteEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { deliveryHistory } from '../../src/webhooks/deliveryLog.ts';
import { enableEndpoint } from '../../src/webhooks/endpoints.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import {
  countForMerchant,
  REPLAY_START,
  replayEvent,
  replayForMerchant,
  replayWindow,
} from '../../src/webhooks/replay.ts';
import { ATTEMPTS_MAX } from '../../src/webhooks/retrySchedule.ts';
import { type Merchant, openMerchant, sampleEvent } from './merchant.ts';

/** A merchant whose endpoint was disabled for a while; with what was told before, while and after. */
async function afterAnOutage(shop: Merchant) {
  const receiver = await shop.receiver();
  const { id } = await shop.endpoint(receiver.url);
  const webhooks = shop.start();
  const before = await shop.emitEvents(3);
  await webhooks.drain();
  shop.advance(60 * SECOND);
  const since = shop.clock.now();
  await shop.rows(
    'update webhook_endpoints set disabled_at = now(), consecutive_failures = 20 where id = $1',
    id,
  );
  const missed = [...(await shop.emitEvents(4)), ...(await shop.emitEvents(3))];
  shop.advance(60 * SECOND);
  const until = shop.clock.now();
  return { receiver, id, webhooks, before, missed, since, until };
}

describe('enabling an endpoint', () => {
  test('lets events arrive again from then on, with the count begun anew', async () => {
    const shop = await openMerchant();
    const { receiver, id, webhooks, before } = await afterAnOutage(shop);
    expect(await enableEndpoint(shop.pool, shop.clock, id)).toMatchObject({
      businessId: shop.businessId,
      wasDisabled: true,
    });
    expect((await listLiveEndpoints(shop.pool, shop.businessId))[0]).toMatchObject({
      disabled: false,
      consecutive_failures: 0,
    });
    const after = await shop.emitEvents(2);
    await webhooks.drain();
    expect(receiver.ids()).toEqual([...before, ...after]);
  });

  test('and replaying a window sends what was missed in it, in order, and nothing twice', async () => {
    const shop = await openMerchant();
    const { receiver, id, webhooks, before, missed, until } = await afterAnOutage(shop);
    await enableEndpoint(shop.pool, shop.clock, id);
    expect(await replayWindow(shop.pool, shop.clock, id, { since: new Date(0), until })).toBe(missed.length);
    await webhooks.drain();
    expect(receiver.ids()).toEqual([...before, ...missed]);
    expect(await replayWindow(shop.pool, shop.clock, id, { since: new Date(0), until })).toBe(0);
  });
});

describe('a window', () => {
  test('begins with its first moment and ends before its last', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const told: { id: string; at: Date }[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      shop.advance(SECOND);
      const [id = ''] = await shop.emitEvents(1);
      told.push({ id, at: shop.clock.now() });
    }
    const { id } = await shop.endpoint(receiver.url);
    const [, second, , fourth] = told;
    if (!second || !fourth) throw new Error('five were told');
    const webhooks = shop.start();
    expect(await replayWindow(shop.pool, shop.clock, id, { since: second.at, until: fourth.at })).toBe(2);
    await webhooks.drain();
    expect(receiver.ids()).toEqual(told.slice(1, 3).map((one) => one.id));
  });

  test('holds only what the endpoint is subscribed to', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    await shop.emit(sampleEvent(shop.businessId), {
      ...{ businessId: shop.businessId, messageId: null, recipientId: null },
      ...{ type: 'credits.low_balance', data: { balance: 1, threshold: 20 } },
    });
    const { id } = await shop.endpoint(receiver.url, { eventTypes: ['credits.low_balance'] });
    const webhooks = shop.start();
    const window = { since: new Date(0), until: later(shop.clock.now(), SECOND) };
    expect(await replayWindow(shop.pool, shop.clock, id, window)).toBe(1);
    await webhooks.drain();
    expect(receiver.received.map(({ type }) => type)).toEqual(['credits.low_balance']);
  });

  test('gives what was exhausted or stopped the whole schedule again, and its log goes on', async () => {
    const shop = await openMerchant();
    let broken = true;
    const receiver = await shop.receiver((_, response) => response.writeHead(broken ? 500 : 200).end());
    const { id: endpointId } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id = ''] = await shop.emitEvents(1);
    await webhooks.drain();
    for (let attempt = 2; attempt <= ATTEMPTS_MAX; attempt += 1) await shop.advanceToNext(webhooks);
    const window = { since: new Date(0), until: shop.clock.now() };
    expect(await replayWindow(shop.pool, shop.clock, endpointId, window)).toBe(1);
    await webhooks.drain();
    broken = false;
    await shop.advanceToNext(webhooks);
    const { delivery, attempts } = await deliveryHistory(shop.pool, endpointId, id);
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(attempts.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([
      ...Array.from({ length: ATTEMPTS_MAX + 1 }, (_, index) => [index + 1, 500]),
      [ATTEMPTS_MAX + 2, 200],
    ]);
    expect(new Set(receiver.ids())).toEqual(new Set([id]));
  });

  test('of many thousand events is replayed in parts, in order', async () => {
    const shop = await openMerchant();
    const count = 12_000;
    const [first = ''] = await shop.emitEvents(1);
    await shop.rows(
      `insert into events (business_id, id, type, occurred_at, data)
       select business_id, id || lpad(i::text, 6, '0'), type, occurred_at, data from events, generate_series(1, $2) i where id = $1`,
      first,
      count - 1,
    );
    const { id } = await shop.endpoint((await shop.receiver()).url);
    const window = { since: new Date(0), until: later(shop.clock.now(), SECOND) };
    expect(await replayWindow(shop.pool, shop.clock, id, window)).toBe(count);
    const [disorder] = await shop.rows(
      `select count(*)::int as count from (
         select event_id, lag(event_id) over (order by due_at) as before from webhook_deliveries) d where before > event_id`,
    );
    expect(disorder).toEqual({ count: 0 });
    const [late] = await shop.rows(
      'select count(*)::int as count from webhook_deliveries where due_at > $1',
      shop.clock.now(),
    );
    expect(late).toEqual({ count: 0 });
  });
});

describe('the count beforehand', () => {
  const STATES = ['pending', 'delivered', 'exhausted', 'stopped', null] as const;

  test.each([
    ['undelivered', null, 6],
    ['undelivered', ['message.opened'], 3],
    ['all', ['message.opened'], 4],
    // With the event from before the endpoint.
    ['all', null, 9],
  ] as const)('of what is %s, of the types %j, is what is then queued', async (only, types, expected) => {
    const shop = await openMerchant();
    await shop.emitEvents(1);
    const since = shop.clock.now();
    shop.advance(SECOND);
    const { id: endpointId } = await shop.endpoint((await shop.receiver()).url);
    for (const type of ['message.delivered', 'message.opened'] as const)
      for (const state of STATES) {
        const [event = ''] = await shop.emit(sampleEvent(shop.businessId, undefined, type));
        if (state === null) await shop.rows('delete from webhook_deliveries where event_id = $1', event);
        else
          await shop.rows(
            `update webhook_deliveries set state = $2, due_at = case when $2 = 'pending' then due_at end where event_id = $1`,
            event,
            state,
          );
      }
    const wish = { since, until: later(shop.clock.now(), SECOND), types, only };
    const act = { businessId: shop.businessId, keyId: shop.keyId, endpointId };
    const { count, isWhole } = await countForMerchant(shop.pool, act, wish);
    expect([count, isWhole]).toEqual([expected, true]);
    const { progress } = await transaction(shop.pool, (tx) =>
      replayForMerchant(tx, shop.clock.now(), { ...act, ...wish }, REPLAY_START),
    );
    expect(progress.queued).toBe(count);
    expect((await countForMerchant(shop.pool, act, wish)).count).toBe(0);
  });

  test('of many thousand events is made in parts, and changes nothing', async () => {
    const shop = await openMerchant();
    const [first = ''] = await shop.emitEvents(1);
    await shop.rows(
      `insert into events (business_id, id, type, occurred_at, data)
       select business_id, id || lpad(i::text, 6, '0'), type, occurred_at, data from events, generate_series(1, 11999) i where id = $1`,
      first,
    );
    const { id: endpointId } = await shop.endpoint((await shop.receiver()).url);
    const wish = {
      since: new Date(0),
      until: later(shop.clock.now(), SECOND),
      types: null,
      only: 'all',
    } as const;
    const act = { businessId: shop.businessId, endpointId };
    expect(await countForMerchant(shop.pool, act, wish)).toEqual({ count: 12_000, isWhole: true });
    expect(await shop.rows('select 1 from webhook_deliveries')).toEqual([]);
  });
});

describe('one event', () => {
  test('is sent again although it has arrived, with the same id', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id: endpointId } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id = ''] = await shop.emitEvents(1);
    await webhooks.drain();
    await replayEvent(shop.pool, shop.clock, endpointId, id);
    await webhooks.drain();
    expect(receiver.ids()).toEqual([id, id]);
  });

  test('that waits for its next attempt is attempted now, and has one fewer left', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    const { id: endpointId } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id = ''] = await shop.emitEvents(1);
    await webhooks.drain();
    await replayEvent(shop.pool, shop.clock, endpointId, id);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(2);
    expect((await deliveryHistory(shop.pool, endpointId, id)).delivery).toMatchObject({
      state: 'pending',
      attempts: 2,
    });
  });

  test('of nobody, or of another business, is a mistake', async () => {
    const shop = await openMerchant();
    const { id } = await shop.endpoint((await shop.receiver()).url);
    await expect(replayEvent(shop.pool, shop.clock, id, 'nothing')).rejects.toThrow(
      'The business of this endpoint has no event with the id "nothing".',
    );
  });
});

test('nothing is replayed to an endpoint that is disabled, deleted or unknown', async () => {
  const shop = await openMerchant();
  const { id, missed, since, until } = await afterAnOutage(shop);
  const window = { since, until };
  const disabled = `The endpoint "${id}" is disabled: enable it first.`;
  await expect(replayWindow(shop.pool, shop.clock, id, window)).rejects.toThrow(disabled);
  await expect(replayEvent(shop.pool, shop.clock, id, missed[0] ?? '')).rejects.toThrow(disabled);
  await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
  await expect(replayWindow(shop.pool, shop.clock, id, window)).rejects.toThrow(
    `No webhook endpoint has the id "${id}".`,
  );
  await expect(enableEndpoint(shop.pool, shop.clock, id)).rejects.toThrow(
    `No webhook endpoint has the id "${id}".`,
  );
  await expect(enableEndpoint(shop.pool, shop.clock, 'x')).rejects.toThrow(
    'No webhook endpoint has the id "x".',
  );
});
