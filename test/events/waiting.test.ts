import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { openEventFeed } from '../../src/events/feed.ts';
import { createEventNotifier } from '../../src/events/notify.ts';
import { createFeedReader } from '../../src/events/page.ts';
import { WAITING_MAX, WAITING_PER_BUSINESS_MAX, WaitingCalls } from '../../src/events/waiting.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { recordUnsubscribe } from '../interface/recipientEvents.ts';
import { silentLog } from '../support/outboxHarness.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { median } from '../support/statistics.ts';
import { eventually } from '../support/waiting.ts';
import {
  deliveredEvent,
  type EventsAnswer,
  eventsOf,
  eventsPath,
  isPending,
  joinProcess,
  lowBalanceEvent,
  waitingCalls,
  writeEventsOf,
} from './feedReader.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const deliver = (count = 1) =>
  writeEventsOf(
    service.pool,
    Array.from({ length: count }, () => deliveredEvent(shop)),
  );

/** Calls that wait; returns once all of them do. */
async function waiting(...queries: Parameters<typeof eventsOf>[1][]): Promise<Promise<EventsAnswer>[]> {
  const before = await waitingCalls(service);
  const calls = queries.map((query) => eventsOf(shop, { wait: 20, ...query }));
  await eventually(async () => expect(await waitingCalls(service)).toBe(before + queries.length));
  return calls;
}

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work, performance.now() - began];
}

describe('a call that waits', () => {
  test('is answered at once if there are events', async () => {
    await deliver(2);
    const [page, ms] = await timed(eventsOf(shop, { wait: 20 }));
    expect(page.items).toHaveLength(2);
    expect(ms).toBeLessThan(5 * SECOND);
  });

  test('is held back until an event comes, and then answered right away', async () => {
    const times: number[] = [];
    for (let after: string | undefined, round = 0; round < 3; round += 1) {
      const [call] = await waiting(after === undefined ? {} : { after });
      if (call === undefined) throw new Error('nobody waits');
      expect(await isPending(call, 300)).toBe(true);
      await deliver();
      const [page, ms] = await timed(call);
      times.push(ms);
      after = page.next;
      expect(page.items.map(({ type }) => type)).toEqual(['message.delivered']);
      expect(await eventsOf(shop, { after })).toEqual({ items: [], next: after, has_more: false });
    }
    // 50 ms on a machine with nothing else to do; the check that finds lost notifications takes a second.
    expect(median(times)).toBeLessThan(500);
  });

  test('is answered with an empty page and its cursor when the time is over', async () => {
    const { next } = await eventsOf(shop);
    const [page, ms] = await timed(eventsOf(shop, { after: next, wait: 1 }));
    expect(page).toEqual({ items: [], next, has_more: false });
    expect(ms).toBeGreaterThan(990);
  });

  test('with after=latest is answered at once', async () => {
    const [page, ms] = await timed(eventsOf(shop, { after: 'latest', wait: 20 }));
    expect(page.items).toEqual([]);
    expect(ms).toBeLessThan(5 * SECOND);
  });

  test('is woken by a push, whether or not there is an endpoint', async () => {
    await recordUnsubscribe(service, shop, 'ann@example.com');
    const [call] = await waiting({});
    const { id } = await shop.pushed();
    expect((await call)?.items.map(({ data }) => data.message_id)).toEqual([id]);
  });

  test('is woken by a matching event only, and its cursor moves past the others', async () => {
    const [byType, byMessage, soon] = await waiting(
      { types: 'credits.low_balance' },
      { message_id: 'm9' },
      { types: 'sms.failed', wait: 5 },
    );
    if (!byType || !byMessage || !soon) throw new Error('nobody waits');
    await deliver(3);
    expect(await isPending(Promise.race([byType, byMessage, soon]), 300)).toBe(true);
    await writeEventsOf(service.pool, [lowBalanceEvent(shop), deliveredEvent(shop, 'm9')]);
    expect((await byType).items.map(({ type }) => type)).toEqual(['credits.low_balance']);
    expect((await byMessage).items.map(({ data }) => data.message_id)).toEqual(['m9']);
    const { items, next } = await soon;
    expect(items).toEqual([]);
    expect((await eventsOf(shop, { after: next })).items).toEqual([]);
  });

  test('gets as many as it asked for, and learns that more follow', async () => {
    const [two, all] = await waiting({ limit: 2 }, {});
    await deliver(5);
    const [first, whole] = [await two, await all];
    expect([first?.items.length, first?.has_more]).toEqual([2, true]);
    expect([whole?.items.length, whole?.has_more]).toEqual([5, false]);
    expect((await eventsOf(shop, { after: first?.next ?? '' })).items).toEqual(whole?.items.slice(2));
  });

  test('gets every event of a burst that is larger than one scan', async () => {
    const [one, rare] = await waiting({ limit: 1000 }, { types: 'credits.low_balance' });
    await writeEventsOf(service.pool, [
      ...Array.from({ length: 2_500 }, () => deliveredEvent(shop)),
      lowBalanceEvent(shop),
    ]);
    const first = await one;
    expect([first?.items.length, first?.has_more]).toEqual([1_000, true]);
    expect((await rare)?.items.map(({ type }) => type)).toEqual(['credits.low_balance']);
  });

  test('finds an event whose notification got lost', async () => {
    const [call] = await waiting({});
    await service.database.pool.query(
      `insert into events (business_id, id, type, occurred_at, data) values ($1, $2, 'credits.low_balance', now(), '{}')`,
      [shop.businessId, newId(new Date())],
    );
    const [page, ms] = await timed(call ?? Promise.reject(new Error('nobody waits')));
    expect(page.items).toHaveLength(1);
    expect(ms).toBeLessThan(4 * SECOND);
  });

  test('waits no longer once the caller hangs up', async () => {
    const before = await waitingCalls(service);
    const connection = await openRawConnection(service.url);
    connection.send(
      `GET ${eventsPath({ wait: 30 })} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`,
    );
    await eventually(async () => expect(await waitingCalls(service)).toBe(before + 1));
    connection.destroy();
    await eventually(async () => expect(await waitingCalls(service)).toBe(before));
  });
});

describe('across processes', () => {
  test('a call in one is woken by an event that another one writes', async () => {
    const other = await joinProcess(service, 'api');
    onTestFinished(() => other.stop());
    await recordUnsubscribe(service, shop, 'ann@example.com');
    const there = new Shop(other.url, shop.businessId, shop.apiKey);
    const call = eventsOf(there, { wait: 20 });
    await eventually(async () => expect(await waitingCalls(other)).toBe(1));
    // The listener has connected once the process has been told of an event.
    await shop.pushed();
    const { next, items } = await call;
    expect(items).toHaveLength(1);
    const times = [];
    for (let after = next, round = 0; round < 5; round += 1) {
      const again = eventsOf(there, { after, wait: 20 });
      await eventually(async () => expect(await waitingCalls(other)).toBe(1));
      await shop.pushed();
      const [page, ms] = await timed(again);
      after = page.next;
      times.push(ms);
    }
    expect(Math.min(...times)).toBeLessThan(300);
  });

  test('a process that only works off sends wakes the calls in another', async () => {
    const worker = await joinProcess(service, 'worker');
    onTestFinished(() => worker.stop());
    const [call] = await waiting({});
    await shop.pushed();
    // The sandbox reports it as delivered a second later.
    expect((await call)?.items.map(({ type }) => type)).toEqual(['message.delivered']);
  });
});

test('behind a pooler, where notifications are lost, a call learns of an event by asking often', async () => {
  const route = { url: service.database.url, directUrl: null, pooler: { namedStatements: true } };
  const pool = openPool(route, { max: 4, name: 'test', onError: () => {} });
  const feed = openEventFeed({ pool, clock: systemClock, log: silentLog });
  onTestFinished(async () => {
    await feed.stop();
    await pool.end();
  });
  const query = { businessId: shop.businessId, types: null, messageId: null, after: null, limit: 10 };
  const held = await feed.read(query, 20 * SECOND);
  if (!('wait' in held)) throw new Error('nobody waits');
  const [page, ms] = await timed(
    Promise.all([held.wait(new AbortController().signal), deliver()]).then(([found]) => found),
  );
  expect(page.events.map(({ type }) => type)).toEqual(['message.delivered']);
  // Without the pooler's timer the check of each second would find it.
  expect(ms).toBeLessThan(2 * SECOND);
});

describe('many calls', () => {
  test('share one scan, and hold no connection and no slot', async () => {
    const others = await service.business();
    const CALLS = 300;
    const calls = await waiting(...Array.from({ length: CALLS }, () => ({})));
    const { pool } = service;
    await eventually(async () => expect(pool.totalCount - pool.idleCount).toBe(0));
    const statements = countUses();
    await sleep(1_500);
    expect(statements.end()).toBeLessThan(15);

    // While another business calls too, only a few calls of one business run at once.
    await others.pushed();
    const [push, ms] = await timed(shop.push());
    expect([push.status, ms < 2 * SECOND]).toEqual([201, true]);
    const scan = countUses();
    await deliver();
    const pages = await Promise.all(calls);
    expect(scan.end()).toBeLessThan(40);
    expect(new Set(pages.map(({ items }) => items[0]?.id)).size).toBe(1);
    expect(pages.every(({ items }) => items.length === 1)).toBe(true);
  });

  test('count towards no share of the requests of their business', async () => {
    const small = await startService({ ROLES: 'api' }, { httpLimits: { requests: 20 } });
    const busy = await small.business();
    const calls: Promise<EventsAnswer>[] = [];
    // One after another: while they are read, they do count.
    for (let count = 1; count <= 30; count += 1) {
      calls.push(eventsOf(busy, { wait: 30 }));
      await eventually(async () => expect(await waitingCalls(small)).toBe(count));
    }
    expect((await busy.push()).status).toBe(201);
    await small.close();
    expect(await Promise.all(calls)).toHaveLength(30);
  });

  test('over the limit of a business or of the process do not wait', () => {
    const reader = createFeedReader({ pool: service.pool, clock: systemClock });
    const calls = new WaitingCalls(reader, silentLog);
    const enter = (business: string, count: number) =>
      Array.from({ length: count }, () => calls.enter(business)).filter((call) => call !== null);
    expect(enter('a', WAITING_PER_BUSINESS_MAX + 5)).toHaveLength(WAITING_PER_BUSINESS_MAX);
    const [first] = enter('b', WAITING_PER_BUSINESS_MAX);
    expect(enter('c', WAITING_PER_BUSINESS_MAX)).toHaveLength(WAITING_MAX - 2 * WAITING_PER_BUSINESS_MAX);
    first?.leave();
    first?.leave();
    expect(enter('c', 5)).toHaveLength(1);
    calls.stop();
    expect(calls.enter('d')).toBeNull();
  });
});

test('a stop answers the calls that wait, with their cursors', async () => {
  const stopping = await startService({ ROLES: 'api' });
  const merchant = await stopping.business();
  const { next } = await eventsOf(merchant);
  const call = eventsOf(merchant, { after: next, wait: 30 });
  await eventually(async () => expect(await waitingCalls(stopping)).toBe(1));
  const closed = stopping.close();
  const [page, ms] = await timed(call);
  expect(page).toEqual({ items: [], next, has_more: false });
  expect(ms).toBeLessThan(5 * SECOND);
  await closed;
});

/** How often this process uses a connection. */
function countUses(): { end(): number } {
  let count = 0;
  const { pool } = service;
  const connect = pool.connect;
  Reflect.set(pool, 'connect', (...args: unknown[]) => {
    count += 1;
    return Reflect.apply(connect, pool, args);
  });
  return {
    end() {
      Reflect.set(pool, 'connect', connect);
      return count;
    },
  };
}

test('a thousand commits in a moment become a handful of notifications, and a lone one is not held back', async () => {
  const listener = new pg.Client({ connectionString: service.database.url });
  await listener.connect();
  onTestFinished(() => listener.end());
  const payloads: string[] = [];
  listener.on('notification', ({ payload = '' }) => void payloads.push(payload));
  await listener.query('listen waypost_events');
  const notifier = createEventNotifier(service.pool, silentLog);
  for (let n = 0; n < 1_000; n += 1) notifier.notify([`b${n % 50}`]);
  await eventually(async () => expect(payloads.length).toBeGreaterThan(0));
  await sleep(200);
  expect(payloads.length).toBeLessThanOrEqual(2);
  const named = payloads.flatMap((payload) => payload.split(' ').slice(1));
  expect(new Set(named).size).toBe(50);
  expect(payloads.map((payload) => notifier.read(payload))).toEqual(payloads.map(() => []));
  expect(createEventNotifier(service.pool, silentLog).read(payloads[0] ?? '')).toContain('b7');
});
