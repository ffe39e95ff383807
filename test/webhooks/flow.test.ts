import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { notifyChannel } from '../../src/db/sql.ts';
import { later, monotonicMs, SECOND } from '../../src/kit/clock.ts';
import { CONTENT_KEPT_MS } from '../../src/webhooks/attempt.ts';
import { deleteEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { DELIVERY_LEASE_MS } from '../../src/webhooks/claim.ts';
import { CONCURRENCY_PER_ENDPOINT } from '../../src/webhooks/endpointQueue.ts';
import { leaseUntil } from '../../src/webhooks/lease.ts';
import { eventually } from '../support/waiting.ts';
import { type Merchant, openMerchant, type ReceivedDelivery, sampleEvent } from './merchant.ts';

/** Answers after a while, and keeps count of how many are open at a time. */
function countingReceiver(shop: Merchant, after: (request: ReceivedDelivery) => number) {
  const open = new Map<string, number>();
  const most = { atOnce: 0, ofOneMessage: 0 };
  const receiver = shop.receiver((request, response) => {
    const about = String(JSON.parse(request.body).data.message_id);
    open.set(about, (open.get(about) ?? 0) + 1);
    most.atOnce = Math.max(
      most.atOnce,
      [...open.values()].reduce((sum, count) => sum + count, 0),
    );
    most.ofOneMessage = Math.max(most.ofOneMessage, open.get(about) ?? 0);
    setTimeout(() => {
      open.set(about, (open.get(about) ?? 0) - 1);
      response.end();
    }, after(request));
  });
  return { receiver, most };
}

describe('order', () => {
  test('events arrive in the order in which they occurred, however long each answer takes', async () => {
    const shop = await openMerchant();
    const { receiver, most } = countingReceiver(shop, () => Math.random() * 8);
    const { url, ids } = await receiver;
    await shop.endpoint(url);
    const webhooks = shop.start();
    const told: string[] = [];
    for (let transaction = 0; transaction < 10; transaction += 1) told.push(...(await shop.emitEvents(4)));
    await webhooks.drain();
    expect(ids()).toEqual(told);
    expect(most.atOnce).toBe(1);
  });

  test('a thousand events of one moment come due one after the other, none of them later than now', async () => {
    const shop = await openMerchant();
    await shop.endpoint((await shop.receiver()).url);
    await shop.emitEvents(1_000);
    const [counted] = await shop.rows(
      `select count(*)::int as deliveries, (count(*) filter (where due_at <= before))::int as disordered,
         (count(*) filter (where due_at > $1))::int as late
       from (select due_at, lag(due_at) over (order by event_id) as before from webhook_deliveries) d`,
      shop.clock.now(),
    );
    expect(counted).toEqual({ deliveries: 1_000, disordered: 0, late: 0 });
  });

  test('an event that is tried again does not hold up those after it', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver(({ id }, response) =>
      response.writeHead(id === first && receiver.received.length < 3 ? 500 : 200).end(),
    );
    await shop.endpoint(receiver.url);
    const [first = '', second = '', third = ''] = await shop.emitEvents(3);
    const webhooks = shop.start();
    await webhooks.drain();
    await shop.advanceToNext(webhooks);
    expect(receiver.ids()).toEqual([first, second, third, first]);
  });
});

describe('a receiver that falls behind', () => {
  test('gets several at a time, within the bound, and never two about one message', async () => {
    const shop = await openMerchant();
    const { receiver, most } = countingReceiver(shop, () => 15);
    const { url, ids, received } = await receiver;
    await shop.endpoint(url);
    const told: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      told.push(
        ...(await shop.emit(
          ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((about) =>
            sampleEvent(shop.businessId, about),
          ),
        )),
      );
    }
    shop.advance(5 * SECOND);
    const webhooks = shop.start();
    await webhooks.drain();
    expect([...ids()].sort()).toEqual([...told].sort());
    expect(most.atOnce).toBeGreaterThan(1);
    expect(most.atOnce).toBeLessThanOrEqual(CONCURRENCY_PER_ENDPOINT);
    expect(most.ofOneMessage).toBe(1);
    for (const about of ['a', 'j']) {
      const ofOne = received
        .filter(({ body }) => JSON.parse(body).data.message_id === about)
        .map(({ id }) => id);
      expect(ofOne).toEqual([...ofOne].sort());
    }
  });

  test('delays nobody else: hanging endpoints of this and of other businesses', async () => {
    const shop = await openMerchant();
    const hanging = await shop.receiver(() => {});
    for (let number = 0; number < 5; number += 1) await shop.endpoint(`${hanging.url}/${number}`);
    const quick = await shop.receiver();
    await shop.endpoint(quick.url);
    const webhooks = shop.start();
    await shop.emitEvents(50);
    webhooks.wake();
    await expect.poll(() => hanging.received.length, { timeout: 5_000 }).toBe(5);
    shop.advance(5 * SECOND);
    const told = await shop.emitEvents(50);
    webhooks.wake();
    // Well before the first of the hanging ones has timed out.
    await expect.poll(() => quick.ids().slice(-50), { timeout: 8_000, interval: 20 }).toEqual(told);
    expect(hanging.received.length).toBeLessThanOrEqual(5 * CONCURRENCY_PER_ENDPOINT);
  });

  test('each of hundreds of endpoints gets its fair share', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const flood = await shop.endpoint(receiver.url);
    const flooding = new Set(await shop.emitEvents(400));
    const others = 60;
    for (let number = 0; number < others; number += 1) {
      const { businessId } = await createBusiness(shop.pool, shop.clock, { name: `Shop ${number}` });
      // Copied with its id, which the secret is sealed for.
      await shop.rows(
        `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
         select $1, id, url, secret_sealed, secret_masked, created_at from webhook_endpoints where id = $2 limit 1`,
        businessId,
        flood.id,
      );
      await shop.emit(sampleEvent(businessId));
    }
    const webhooks = shop.start();
    await webhooks.drain();
    const places = receiver.ids().flatMap((id, place) => (flooding.has(id) ? [] : [place]));
    expect(places).toHaveLength(others);
    // They came after four hundred, and were served long before those were done.
    expect(places.at(-1)).toBeLessThan(350);
  });
});

describe('several workers', () => {
  test('share the work: each event arrives once', async () => {
    const shop = await openMerchant();
    const receivers = [await shop.receiver(), await shop.receiver(), await shop.receiver()];
    for (const { url } of receivers) await shop.endpoint(url);
    const workers = [shop.start(), shop.start(), shop.start()];
    const told: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      told.push(...(await shop.emitEvents(20)));
      for (const worker of workers) worker.wake();
    }
    await Promise.all(workers.map((worker) => worker.drain()));
    for (const { ids } of receivers) expect([...ids()].sort()).toEqual(told);
  });

  test('one is woken by what another process says', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await webhooks.drain();
    await sleep(100);
    const waits: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      await shop.emitEvents(1);
      const began = monotonicMs();
      await notifyChannel(shop.pool, 'waypost_webhooks');
      await expect.poll(() => receiver.received.length, { interval: 5, timeout: 5_000 }).toBe(turn + 1);
      waits.push(monotonicMs() - began);
    }
    // By polling alone they would wait for half a second on average.
    expect(Math.min(...waits)).toBeLessThan(400);
  });
});

test('an attempt that outlasted its lease does not count once another worker has made one', async () => {
  const shop = await openMerchant();
  const hanging: ServerResponse[] = [];
  const receiver = await shop.receiver((_, response) => void hanging.push(response));
  await shop.endpoint(receiver.url);
  const [id = ''] = await shop.emitEvents(1);
  const webhooks = shop.start();
  await expect.poll(() => hanging.length).toBe(1);
  // Another worker, once the lease had run out: its attempt failed, and the next one is due in five seconds.
  shop.advance(DELIVERY_LEASE_MS + 1);
  const due = later(shop.clock.now(), 5 * SECOND);
  await shop.rows(
    'update webhook_deliveries set lease = null, attempts = 1, attempts_logged = 1, due_at = $1',
    due,
  );
  await shop.rows(
    `insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, duration_ms)
     select business_id, endpoint_id, event_id, 1, $1, 500, 1 from webhook_deliveries`,
    shop.clock.now(),
  );
  shop.advance(6 * SECOND);
  webhooks.wake();
  const leased = 'select count(*)::int as count from webhook_deliveries where lease is not null';
  await expect.poll(() => shop.rows(leased)).toEqual([{ count: 1 }]);

  hanging[0]?.writeHead(500).end();
  await expect
    .poll(() => shop.logged.filter(({ message }) => message === 'webhook attempted').length)
    .toBe(1);
  // A claim that comes before the answer was written down leaves the delivery alone for one more lease.
  await eventually(async () => {
    shop.advance(DELIVERY_LEASE_MS + 1);
    webhooks.wake();
    await expect.poll(() => hanging.length, { timeout: 5_000 }).toBe(2);
  });
  hanging[1]?.writeHead(200).end();
  await webhooks.drain();
  const attempts = await shop.rows(
    'select attempt, status_code, at > $2 as later from webhook_attempts where event_id = $1 order by attempt',
    id,
    due,
  );
  expect(attempts).toEqual([
    { attempt: 1, status_code: 500, later: false },
    { attempt: 2, status_code: 200, later: true },
  ]);
});

describe('a worker that died', () => {
  const leaveBehind = async (shop: Merchant): Promise<string> => {
    const [id = ''] = await shop.emitEvents(1);
    const lease = leaseUntil(later(shop.clock.now(), DELIVERY_LEASE_MS), 'deadworker00');
    await shop.rows('update webhook_deliveries set lease = $2 where event_id = $1', id, lease);
    return id;
  };

  test('holds up what it had claimed until its lease has run out; then it is sent, with the same id', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    await shop.endpoint(receiver.url);
    const id = await leaveBehind(shop);
    const webhooks = shop.start();
    webhooks.wake();
    await sleep(300);
    expect(receiver.received).toEqual([]);
    shop.advance(DELIVERY_LEASE_MS + 1);
    await webhooks.drain();
    expect(receiver.ids()).toEqual([id]);
  });

  test('nobody overtakes it meanwhile: what came later to the same endpoint waits too', async () => {
    const shop = await openMerchant();
    const [receiver, other] = [await shop.receiver(), await shop.receiver()];
    await shop.endpoint(receiver.url);
    const id = await leaveBehind(shop);
    const elsewhere = await shop.endpoint(other.url);
    const [after = ''] = await shop.emitEvents(1);
    const webhooks = shop.start();
    await expect.poll(() => other.ids()).toEqual([after]);
    expect(elsewhere.disabled).toBe(false);
    expect(receiver.ids()).toEqual([]);
    shop.advance(DELIVERY_LEASE_MS + 1);
    await webhooks.drain();
    expect(receiver.ids()).toEqual([id, after]);
  });
});

describe('deliveries that wait behind a slow answer', () => {
  /** Two events claimed together, of which the second waits longer than what was read of it is kept. */
  async function oneWaits(
    shop: Merchant,
    meanwhile: (second: string, endpointId: string) => Promise<unknown>,
  ) {
    let answer = () => {};
    const receiver = await shop.receiver((_, response) => {
      if (receiver.received.length > 1) response.end();
      else answer = () => response.end();
    });
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [, second = ''] = await shop.emitEvents(2);
    webhooks.wake();
    await expect.poll(() => receiver.received.length).toBe(1);
    await meanwhile(second, id);
    await sleep(CONTENT_KEPT_MS + 100);
    answer();
    await webhooks.drain();
    return receiver.received.slice(1);
  }

  test('says what the event says by then: an erasure reaches it', async () => {
    const shop = await openMerchant();
    const scrubbed = { message_id: 'm', recipient_email: null };
    const [second] = await oneWaits(shop, (id) =>
      shop.rows('update events set data = $2 where id = $1', id, JSON.stringify(scrubbed)),
    );
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ data: scrubbed });
  });

  test('is not sent to an endpoint that was deleted by then', async () => {
    const shop = await openMerchant();
    const after = await oneWaits(shop, (_, endpointId) =>
      deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId }),
    );
    expect(after).toEqual([]);
    const states = await shop.rows('select state from webhook_deliveries order by event_id');
    expect(states).toEqual([{ state: 'delivered' }, { state: 'stopped' }]);
  });
});

describe('an endpoint that is deleted', () => {
  test('gets nothing more: what waits for it stops', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(3);
    await webhooks.drain();
    const before = receiver.received.length;
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
    expect(await webhooks.nextDue()).toBeNull();
    shop.advance(24 * 3_600 * SECOND);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(before);
    const states = await shop.rows('select distinct state, due_at, lease from webhook_deliveries');
    expect(states).toEqual([{ state: 'stopped', due_at: null, lease: null }]);
    const [row] = await shop.rows('select secret_sealed from webhook_endpoints where id = $1', id);
    expect(row?.secret_sealed).toEqual(Buffer.alloc(0));
  });

  test('while an attempt is under way: it ends, is logged, and is the last', async () => {
    const shop = await openMerchant();
    let answer = () => {};
    const receiver = await shop.receiver((_, response) => {
      answer = () => response.writeHead(500).end();
    });
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [eventId] = await shop.emitEvents(1);
    webhooks.wake();
    await expect.poll(() => receiver.received.length).toBe(1);
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
    answer();
    await webhooks.drain();
    expect(await shop.rows('select event_id, state, due_at from webhook_deliveries')).toEqual([
      { event_id: eventId, state: 'stopped', due_at: null },
    ]);
    expect(await shop.rows('select attempt, status_code from webhook_attempts')).toEqual([
      { attempt: 1, status_code: 500 },
    ]);
  });

  test('as an event was being written for it: that is stopped when it is found', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    await shop.emitEvents(2);
    await shop.rows('update webhook_endpoints set deleted_at = now() where id = $1', id);
    const webhooks = shop.start();
    await webhooks.drain();
    expect(receiver.received).toEqual([]);
    expect(await shop.rows('select distinct state, due_at from webhook_deliveries')).toEqual([
      { state: 'stopped', due_at: null },
    ]);
  });
});

test('a worker that stops finishes what it began and gives back the rest', async () => {
  const shop = await openMerchant();
  const { receiver } = countingReceiver(shop, () => 100);
  const { url, received } = await receiver;
  await shop.endpoint(url);
  await shop.emitEvents(50);
  const webhooks = shop.start();
  webhooks.wake();
  await expect.poll(() => received.length).toBeGreaterThan(0);
  await webhooks.stop();
  const [counted] = await shop.rows(
    `select count(*) filter (where lease is not null)::int as held, count(*) filter (where state = 'delivered')::int as delivered
     from webhook_deliveries`,
  );
  expect(counted).toEqual({ held: 0, delivered: received.length });
  expect(received.length).toBeLessThan(50);
});

test('the sandbox’s clock may jump while an attempt is under way: it is not sent twice', async () => {
  const shop = await openMerchant();
  let answer = () => {};
  const receiver = await shop.receiver((_, response) => {
    answer = () => response.end();
  });
  await shop.endpoint(receiver.url);
  const webhooks = shop.start();
  await shop.emitEvents(1);
  webhooks.wake();
  await expect.poll(() => receiver.received.length).toBe(1);
  shop.advance(3_600 * SECOND);
  webhooks.wake();
  await sleep(200);
  answer();
  await webhooks.drain();
  expect(receiver.received).toHaveLength(1);
  expect(await shop.rows('select state, attempts from webhook_deliveries')).toEqual([
    { state: 'delivered', attempts: 1 },
  ]);
});
