import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { idBoundAt } from '../../src/kit/ids.ts';
import {
  ATTEMPTS_COUNTED_MAX,
  readDeliveryPage,
  readEndpointPage,
  readEndpoints,
} from '../../src/pages/dashboard/webhooks/reads.ts';
import { countAgain } from '../../src/webhooks/deliveriesSql.ts';
import { EVENTS_SCANNED_MAX, findDeliveries } from '../../src/webhooks/findDeliveries.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/* The pages about webhooks cost the same however much was sent, today or ever. Another shop has as much. */

const EVENTS = shortOrLong(20_000, 1_000_000);
/** A step of a replay. */
const STEP = 5_000;
const SEEDING_MS = 20 * 60_000;
const NOW = systemClock.now();
const LONG_AGO = new Date(0);

let db: TestDatabase;
let pool: Pool;
let shop: string;
/** Ids are unique over all shops. */
const endpointOf = (businessId: string): string => `${businessId}e1`;
const EVENT = `${idBoundAt(NOW)}${'1'.padStart(16, '0')}`;

beforeAll(async () => {
  db = await testDatabase();
  // One connection: a plan that it keeps is used for everything that follows.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  await pool.query('set session_replication_role = replica');
  for (const name of ['Other', 'Shop']) {
    shop = (await createBusiness(db.pool, systemClock, { name })).businessId;
    const seed = (sql: string, ...values: unknown[]) => pool.query(sql, [shop, ...values]);
    await seed(
      `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
       select $1, $1 || 'e' || n, 'https://shop.example/' || n, '', '', now() from generate_series(1, 2) n`,
    );
    // All of today: the figures of a day must not grow with the day either.
    await seed(
      `insert into events (business_id, id, type, occurred_at, recipient_id, data)
       select $1, $3 || lpad(n::text, 16, '0'), 'message.delivered', now(), 'r' || n / 6,
         case when n < 6 then '{"reference": "#1"}' else '{}' end::jsonb from generate_series(1, $2::int) n`,
      EVENTS,
      idBoundAt(NOW),
    );
    await seed(
      `insert into order_recipients (business_id, reference, email, named_id) values ($1, '#1', 'ann@example.com', 'r0')`,
    );
    await seed(
      `insert into webhook_deliveries (business_id, endpoint_id, event_id, state, created_at)
       select business_id, business_id || 'e1', id, 'delivered', now() from events where business_id = $1`,
    );
    await seed(
      `insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, error, duration_ms)
       select business_id, business_id || 'e1', id, 1, now(), 200, null, 7 from events where business_id = $1`,
    );
    await seed(
      `insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, error, duration_ms)
       select $1, $1 || 'e1', 'ping' || lpad(n::text, 20, '0'), 1, now(), 200, null, 7 from generate_series(1, $2::int / 4) n`,
      EVENTS,
    );
  }
  await pool.query('set session_replication_role = origin');
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

describe.each(PLAN_MODES)('planned as %s, a page costs the same at any size:', (mode) => {
  const pages = (ask: (db: Queryable) => Promise<unknown>) => pagesTouched(pool, mode, ask);
  const key = () => ({ businessId: shop, endpointId: endpointOf(shop) });

  test('the endpoints with their day', async () => {
    const ask = (queryable: Queryable) => readEndpoints(queryable, shop, NOW);
    expect((await ask(pool)).find(({ endpoint }) => endpoint.id === endpointOf(shop))?.day).toEqual({
      endpoint_id: endpointOf(shop),
      attempts: ATTEMPTS_COUNTED_MAX,
      succeeded: ATTEMPTS_COUNTED_MAX,
      p95_ms: 7,
      is_cut: true,
    });
    expect(await pages(ask)).toBeLessThan(ATTEMPTS_COUNTED_MAX);
  });

  test('an endpoint with its deliveries and its newest test', async () => {
    const filter = { status: null, type: null, order: null, cursor: null };
    const ask = (queryable: Queryable) => readEndpointPage(queryable, key(), filter, NOW);
    expect((await ask(pool))?.deliveries.items).toHaveLength(25);
    expect(await pages(ask)).toBeLessThan(ATTEMPTS_COUNTED_MAX + 400);
  });

  test('deliveries of an event that there is not: as many events as a page looks at', async () => {
    const search = { status: null, type: 'message.bounced', order: null, limit: 25, before: null };
    const ask = (queryable: Queryable) => findDeliveries(queryable, key(), search);
    expect(await ask(pool)).toMatchObject({ items: [], next_cursor: expect.any(String) });
    expect(await pages(ask)).toBeLessThan(EVENTS_SCANNED_MAX);
  });

  test('deliveries of a common event, and of an old order', async () => {
    const search = { status: null, type: 'message.delivered', order: null, limit: 25, before: null };
    const common = (queryable: Queryable) => findDeliveries(queryable, key(), search);
    expect((await common(pool)).items).toHaveLength(25);
    expect(await pages(common)).toBeLessThan(1_000);
    const ask = (queryable: Queryable) => findDeliveries(queryable, key(), { ...search, order: '#1' });
    expect(await ask(pool)).toMatchObject({ items: { length: 5 }, next_cursor: null, isCut: false });
    expect(await pages(ask)).toBeLessThan(200);
  });

  test('a delivery', async () => {
    const ask = (queryable: Queryable) => readDeliveryPage(queryable, { ...key(), eventId: EVENT });
    expect((await ask(pool))?.attempts).toHaveLength(1);
    expect(await pages(ask)).toBeLessThan(100);
  });

  test('a step of counting a replay', async () => {
    const ask = (queryable: Queryable) =>
      countAgain(
        queryable,
        shop,
        endpointOf(shop),
        [],
        true,
        LONG_AGO,
        new Date(NOW.getTime() + 60_000),
        '',
        '~',
        STEP,
      );
    expect(await ask(pool)).toMatchObject([{ scanned: STEP }]);
    expect(await pages(ask)).toBeLessThan(6 * STEP);
  });
});
