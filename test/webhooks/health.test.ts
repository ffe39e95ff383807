import { describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { later, SECOND } from '../../src/kit/clock.ts';
import { claimDeliveries } from '../../src/webhooks/claim.ts';
import type { Job } from '../../src/webhooks/endpointQueue.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import { type Attempt, recordDeliveryAttempts } from '../../src/webhooks/record.ts';
import { ATTEMPTS_MAX } from '../../src/webhooks/retrySchedule.ts';
import { type Merchant, openMerchant } from './merchant.ts';

const moment = (shop: Merchant) => ({ floor: new Date(0), now: shop.clock.now() });

/** Deliveries as a worker holds them, each with one attempt left. */
async function lastAttempts(shop: Merchant, count: number): Promise<Job[]> {
  await shop.emitEvents(count);
  await shop.rows('update webhook_deliveries set attempts = $1 where due_at is not null', ATTEMPTS_MAX - 1);
  const wanted = { limit: 1_000, perEndpoint: 1_000, held: [] };
  const { claimed } = await claimDeliveries(shop.pool, 'testworker00', null, wanted, moment(shop));
  return claimed.flatMap(({ jobs }) => jobs);
}

const ended = (shop: Merchant, job: Job, status = 500): Attempt => ({
  job,
  url: job.content.url,
  answer: {
    delivered: status === 200,
    statusCode: status,
    error: status === 200 ? null : `answered ${status}`,
    durationMs: 5,
    response: null,
  },
  startedAt: shop.clock.now(),
  endedAt: shop.clock.now(),
});

/** Each in a transaction of its own, all at once, as if each by its own worker. Answers how many endpoints that disabled. */
async function recordAtOnce(shop: Merchant, attempts: readonly Attempt[]): Promise<number> {
  const disabled = await Promise.all(
    attempts.map((attempt) =>
      transaction(shop.pool, (tx) => recordDeliveryAttempts(tx, [attempt], Math.random)),
    ),
  );
  return disabled.flat().length;
}

const health = async (shop: Merchant) => {
  const [endpoint] = await listLiveEndpoints(shop.pool, shop.businessId);
  return { disabled: endpoint?.disabled, failures: endpoint?.consecutive_failures };
};

describe('exhausted events at once', () => {
  test.each([
    [19, 'do not disable the endpoint, and the count is exact', 0, { disabled: false, failures: 19 }],
    [20, 'disable it, once', 1, { disabled: true, failures: 20 }],
    [30, 'disable it once, at the twentieth', 1, { disabled: true, failures: 20 }],
  ] as const)('%i %s', async (count, _, disabled, expected) => {
    const shop = await openMerchant();
    await shop.endpoint((await shop.receiver()).url);
    const jobs = await lastAttempts(shop, count);
    const attempts = jobs.map((job) => ended(shop, job));
    expect(await recordAtOnce(shop, attempts)).toBe(disabled);
    expect(await health(shop)).toEqual(expected);
  });

  test('20 with a success between them, and not', async () => {
    const shop = await openMerchant();
    await shop.endpoint((await shop.receiver()).url);
    const jobs = await lastAttempts(shop, 21);
    const [success, ...rest] = jobs;
    if (!success) throw new Error('nothing was claimed');
    await recordAtOnce(
      shop,
      rest.slice(0, 10).map((job) => ended(shop, job)),
    );
    await recordAtOnce(shop, [ended(shop, success, 200)]);
    await recordAtOnce(
      shop,
      rest.slice(10).map((job) => ended(shop, job)),
    );
    expect(await health(shop)).toEqual({ disabled: false, failures: 10 });
  });

  test('in one list the order of the list counts', async () => {
    for (const [place, expected] of [
      [19, { disabled: false, failures: 1 }],
      [20, { disabled: true, failures: 20 }],
    ] as const) {
      const shop = await openMerchant();
      await shop.endpoint((await shop.receiver()).url);
      const jobs = await lastAttempts(shop, 21);
      const attempts = jobs.map((job, index) => ended(shop, job, index === place ? 200 : 500));
      await transaction(shop.pool, (tx) => recordDeliveryAttempts(tx, attempts, Math.random));
      expect(await health(shop)).toEqual(expected);
    }
  });

  test('counted once each, although a worker that lost its leases reports them too', async () => {
    const shop = await openMerchant();
    await shop.endpoint((await shop.receiver()).url);
    const stale = await lastAttempts(shop, 15);
    shop.advance(60 * SECOND);
    const wanted = { limit: 1_000, perEndpoint: 1_000, held: [] };
    const { claimed } = await claimDeliveries(shop.pool, 'otherworker0', null, wanted, moment(shop));
    const again = claimed.flatMap(({ jobs }) => jobs);
    expect(again).toHaveLength(15);
    const both = [...stale, ...again].map((job) => ended(shop, job));
    await recordAtOnce(shop, both);
    expect(await health(shop)).toEqual({ disabled: false, failures: 15 });
    const [logged] = await shop.rows('select count(*)::int as attempts from webhook_attempts');
    expect(logged).toEqual({ attempts: 15 });
  });
});

describe('an endpoint that fails for good', () => {
  test('is disabled after 20 events, and nothing that waits for it is sent any more', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    await shop.endpoint(receiver.url);
    const before = shop.start();
    await shop.emitEvents(10);
    await before.drain();
    await before.stop();
    const ids = await shop.emitEvents(30);
    const setAttempts = 'update webhook_deliveries set attempts = $1 where event_id = any ($2)';
    await shop.rows(setAttempts, ATTEMPTS_MAX - 1, ids.slice(0, 20));
    const webhooks = shop.start();
    await webhooks.drain();
    expect(await health(shop)).toEqual({ disabled: true, failures: 20 });
    expect(await webhooks.nextDue()).toBeNull();
    const attempts = receiver.received.length;
    await shop.emitEvents(5);
    shop.advance(24 * 3_600 * SECOND);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(attempts);
    const states = await shop.rows(
      'select state, count(*)::int as count from webhook_deliveries group by 1 order by 1',
    );
    expect(states).toEqual([
      { state: 'exhausted', count: 20 },
      { state: 'stopped', count: 20 },
    ]);
    expect(shop.logged.filter(({ message }) => message === 'webhook endpoint disabled')).toHaveLength(1);
  });

  test('one success in time keeps it enabled', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) =>
      response.writeHead(receiver.received.length === 12 ? 200 : 500).end(),
    );
    await shop.endpoint(receiver.url);
    await shop.emitEvents(30);
    await shop.rows('update webhook_deliveries set attempts = $1', ATTEMPTS_MAX - 1);
    await shop.start().drain();
    expect(receiver.received).toHaveLength(30);
    expect(await health(shop)).toEqual({ disabled: false, failures: 18 });
  });

  test('attempts that fail count nothing while the event has some left', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(25);
    await webhooks.drain();
    shop.advance(6 * SECOND);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(50);
    expect(await health(shop)).toEqual({ disabled: false, failures: 0 });
  });

  test('a late success of a disabled endpoint is remembered, and does not enable it', async () => {
    const shop = await openMerchant();
    await shop.endpoint((await shop.receiver()).url);
    const jobs = await lastAttempts(shop, 21);
    const [late, ...rest] = jobs;
    if (!late) throw new Error('nothing was claimed');
    await recordAtOnce(
      shop,
      rest.map((job) => ended(shop, job)),
    );
    const at = later(shop.clock.now(), 5 * SECOND);
    shop.advance(5 * SECOND);
    await recordAtOnce(shop, [ended(shop, late, 200)]);
    const [endpoint] = await listLiveEndpoints(shop.pool, shop.businessId);
    expect(endpoint).toMatchObject({
      disabled: true,
      consecutive_failures: 20,
      last_success_at: at,
      last_error: null,
    });
    const [row] = await shop.rows('select state from webhook_deliveries where event_id = $1', late.eventId);
    expect(row).toEqual({ state: 'delivered' });
  });
});
