import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { later, SECOND } from '../../src/kit/clock.ts';
import { earliest } from '../../src/outbox/dueWorks.ts';
import { claimDeliveries } from '../../src/webhooks/claim.ts';
import type { ClaimLimits } from '../../src/webhooks/claimShares.ts';
import { dueDeliveries } from '../../src/webhooks/claimSql.ts';
import { leaseUntil } from '../../src/webhooks/lease.ts';
import { CITUS_URL } from '../support/citus.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PromisedDeliveries, type TestEndpoint, type WaitingDelivery } from './promisedDeliveries.ts';

/** Six endpoints of three shops. */
const ENDPOINTS = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'];
const shopOf = (endpoint: number): string => `shop${1 + Math.floor(endpoint / 2)}`;
const EVENTS_MAX = 8;
/** On a cluster each takes several times as long. */
const SITUATIONS = CITUS_URL ? 15 : 40;
const WORKER = 'thisworker00';
const OTHER = 'otherworker0';
const start = new Date('2026-08-20T09:00:00.000Z');
const EVERYTHING: ClaimLimits = { limit: 200, perEndpoint: 200, held: [] };

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  const { pool } = database;
  const shops = [...new Set(ENDPOINTS.map((_, at) => shopOf(at)))];
  await pool.query(
    `insert into businesses (id, name, created_at) select unnest($1::text[]), 'Shop', $2::timestamptz`,
    [shops, start],
  );
  await pool.query(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
     select b, e, 'https://example.com/' || e, ''::bytea, '', $3::timestamptz from unnest($1::text[], $2::text[]) k (b, e)`,
    [ENDPOINTS.map((_, at) => shopOf(at)), ENDPOINTS, start],
  );
  await pool.query(
    `insert into events (business_id, id, type, occurred_at, data)
     select b, 'v' || n, 'message.delivered', $2::timestamptz, '{}'
     from unnest($1::text[]) b, generate_series(0, ${EVENTS_MAX - 1}) n`,
    [shops, start],
  );
});
afterAll(() => database.drop());

/** Makes these the only deliveries, and the endpoints like this. */
async function put(
  endpoints: readonly TestEndpoint[],
  deliveries: readonly WaitingDelivery[],
): Promise<void> {
  const { pool } = database;
  await pool.query('delete from webhook_deliveries');
  for (const disabled of [true, false])
    for (const failing of [true, false]) {
      const such = endpoints.filter((one) => one.live !== disabled && one.failing === failing);
      if (such.length > 0)
        await pool.query(
          'update webhook_endpoints set disabled_at = $2, last_error = $3 where id = any ($1)',
          [such.map(({ endpointId }) => endpointId), disabled ? start : null, failing ? 'refused' : null],
        );
    }
  const rows = deliveries.map(({ businessId, endpointId, eventId, dueAt, lease }) => ({
    business_id: businessId,
    endpoint_id: endpointId,
    event_id: eventId,
    due_at: dueAt,
    lease: lease && leaseUntil(lease.end, lease.worker),
  }));
  await pool.query(
    `insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, lease, created_at)
     select business_id, endpoint_id, event_id, due_at, lease, $2::timestamptz
     from json_populate_recordset(null::webhook_deliveries, $1::json)`,
    [JSON.stringify(rows), start],
  );
}

/** As `PromisedDeliveries` says it. */
async function stored(): Promise<string[]> {
  const { rows } = await database.pool.query<{
    endpoint_id: string;
    event_id: string;
    lease: string | null;
    state: string;
  }>('select endpoint_id, event_id, lease, state from webhook_deliveries');
  return rows
    .map(({ endpoint_id, event_id, lease, state }) => {
      const [end, worker] = (lease ?? '').split('.');
      const now = state === 'stopped' ? 'stopped' : lease ? `${worker} until ${Number(end)}` : 'waits';
      return `${endpoint_id} ${event_id}: ${now}`;
    })
    .sort();
}

const aDelivery = fc.record({
  // Waiting for long, due now, or to be tried again later.
  dueInSeconds: fc.integer({ min: -60, max: 30 }),
  holder: fc.constantFrom(null, null, null, null, WORKER, OTHER),
  leaseInSeconds: fc.integer({ min: -10, max: 20 }),
});
const anEndpoint = fc.record({
  live: fc.constantFrom(true, true, true, false),
  failing: fc.constantFrom(false, false, true),
  deliveries: fc.array(aDelivery, { maxLength: EVENTS_MAX }),
});
const aSituation = fc
  .array(anEndpoint, { minLength: ENDPOINTS.length, maxLength: ENDPOINTS.length })
  .map((made) => ({
    endpoints: made.map(
      ({ live, failing }, at): TestEndpoint => ({
        businessId: shopOf(at),
        endpointId: ENDPOINTS[at] ?? '',
        live,
        failing,
      }),
    ),
    deliveries: made.flatMap(({ deliveries }, endpoint) =>
      deliveries.map(
        ({ dueInSeconds, holder, leaseInSeconds }, at): WaitingDelivery => ({
          businessId: shopOf(endpoint),
          endpointId: ENDPOINTS[endpoint] ?? '',
          eventId: `v${at}`,
          dueAt: later(start, dueInSeconds * SECOND),
          lease: holder && { worker: holder, end: later(start, leaseInSeconds * SECOND) },
          stopped: false,
        }),
      ),
    ),
  }));
const someLimits: fc.Arbitrary<ClaimLimits> = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  perEndpoint: fc.integer({ min: 1, max: 5 }),
  held: fc.uniqueArray(
    fc
      .record({ at: fc.nat({ max: ENDPOINTS.length - 1 }), capacity: fc.integer({ min: 0, max: 3 }) })
      .map(({ at, capacity }) => ({ businessId: shopOf(at), endpointId: ENDPOINTS[at] ?? '', capacity })),
    { maxLength: 4, selector: ({ endpointId }) => endpointId },
  ),
});
const someClaims = fc.array(
  fc.record({
    worker: fc.constantFrom(WORKER, WORKER, OTHER),
    limits: someLimits,
    afterSeconds: fc.integer({ min: 0, max: 25 }),
  }),
  { minLength: 1, maxLength: 3 },
);

const claim = (worker: string, limits: ClaimLimits, now: Date) =>
  claimDeliveries(database.pool, worker, null, limits, { floor: new Date(0), now });

test('claims take and stop what they promise, whether or not the capacity suffices', async () => {
  await fc.assert(
    fc.asyncProperty(aSituation, someClaims, async ({ endpoints, deliveries }, claims) => {
      await put(endpoints, deliveries);
      const promised = new PromisedDeliveries(endpoints, deliveries);
      let now = start;
      for (const { worker, limits, afterSeconds } of claims) {
        now = later(now, afterSeconds * SECOND);
        await claim(worker, limits, now);
        promised.claim(worker, limits, now);
      }
      expect(await stored()).toEqual(promised.state());
    }),
    { numRuns: SITUATIONS },
  );
});

test('the next delivery is found in every queue, and the longest-waiting one of an endpoint that does not fail', async () => {
  await fc.assert(
    fc.asyncProperty(aSituation, async ({ endpoints, deliveries }) => {
      await put(endpoints, deliveries);
      const onTime = endpoints
        .filter(({ live, failing }) => live && !failing)
        .map(({ endpointId }) => endpointId);
      const firstOf = (some: WaitingDelivery[]): Date | null => earliest(some.map(({ dueAt }) => dueAt));
      expect({
        next: await dueDeliveries.next(database.pool, start),
        oldest: await dueDeliveries.oldest(database.pool, start),
      }).toEqual({
        next: firstOf(deliveries.filter(({ dueAt }) => dueAt > start)),
        oldest: firstOf(
          deliveries.filter(({ dueAt, endpointId }) => dueAt <= start && onTime.includes(endpointId)),
        ),
      });
    }),
    { numRuns: SITUATIONS },
  );
});

describe('a claim', () => {
  const live = ENDPOINTS.map((endpointId, at) => ({
    businessId: shopOf(at),
    endpointId,
    live: true,
    failing: false,
  }));
  const waiting = live.flatMap(({ businessId, endpointId }) =>
    Array.from({ length: EVENTS_MAX }, (_, at) => ({
      businessId,
      endpointId,
      eventId: `v${at}`,
      dueAt: start,
      lease: null,
      stopped: false,
    })),
  );

  test('passes over a delivery that another transaction holds, and does not wait for it', async () => {
    await put(live, waiting);
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `select from webhook_deliveries where business_id = 'shop1' and endpoint_id = 'e1' and event_id = 'v3' for update`,
      );
      await claim(WORKER, EVERYTHING, start);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect((await stored()).filter((one) => one.endsWith('waits'))).toEqual(['e1 v3: waits']);
  });

  test('by several workers at once takes each delivery once', async () => {
    await put(live, waiting);
    const workers = ['worker000001', 'worker000002', 'worker000003'];
    const claims = await Promise.all(workers.map((worker) => claim(worker, EVERYTHING, start)));
    const taken = claims.flatMap(({ claimed }) =>
      claimed.flatMap(({ endpointId, jobs }) => jobs.map(({ eventId }) => `${endpointId} ${eventId}`)),
    );
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toHaveLength((await stored()).filter((one) => !one.endsWith('waits')).length);
  });
});
