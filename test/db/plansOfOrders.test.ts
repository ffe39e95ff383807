import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { businessesWithChanges, hasWaitingChanges } from '../../src/orders/projectorSql.ts';
import { loadOrder, type OrderFilters, readOrderPage } from '../../src/orders/reads.ts';
import { ORDERS_OF_PERSON_MAX } from '../../src/orders/readsSql.ts';
import { pageMarkOf } from '../../src/pages/dashboard/live/sql.ts';
import { readOrder } from '../../src/pages/dashboard/orders/reads.ts';
import { findOrders } from '../../src/pages/dashboard/search/find.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * A page of orders, and one order, cost the same however many orders there are. Most of what is asked for is at the far end: what a scan
 * from the near end would find last.
 */

const ORDERS = shortOrLong(30_000, 1_000_000);
/** Pages of Postgres that one answer may touch. */
const PAGES_MAX = 400;
const SEEDING_MS = 20 * 60_000;

let db: TestDatabase;
let pool: Pool;
let businessId: string;

beforeAll(async () => {
  db = await testDatabase();
  // One connection: a plan that it keeps is used for everything that follows.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  ({ businessId } = await createBusiness(db.pool, systemClock, { name: 'Shop' }));
  const seed = (sql: string) => pool.query(sql, [businessId, ORDERS]);
  await pool.query('set session_replication_role = replica');
  await seed(
    `insert into orders (business_id, reference, status, status_at, change_id, updated_at)
     select $1, '#' || n, case when n <= 20 then 'returned' when n % 10 > 0 then 'delivered' end, now(),
       'mh' || lpad(n::text, 22, '0'), now()
     from generate_series(1, $2::int) n`,
  );
  await seed(
    `insert into order_recipients (business_id, reference, email, named_id)
     select $1, '#' || n, case when n <= 40 then 'first' else 'p' || n % 1000 end || '@example.com', 'mh' || lpad(n::text, 22, '0')
     from generate_series(1, $2::int) n`,
  );
  await pool.query(
    `insert into recipients (business_id, id, email, created_at) values ($1, 'r', 'first@example.com', now())`,
    [businessId],
  );
  await seed(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at)
     select $1, 'mh' || lpad(n::text, 22, '0'), 'r', 's', repeat('b', 300), 'one_off', 'active',
       case when n % 2 = 0 then '#1' else '#' || n end, now(), now()
     from generate_series(1, $2::int) n`,
  );
  await seed(
    `insert into shipments (business_id, reference, tracking_number, id, updated_at)
     select $1, '#' || n, 'CC' || n, 'mh' || lpad(n::text, 22, '0'), now() from generate_series(1, $2::int) n`,
  );
  await seed(
    `insert into tracking_events (business_id, reference, tracking_number, status, at, id, received_at)
     select $1, '#' || n, 'CC' || n, 'in_transit', now(), 'mh' || lpad(n::text, 22, '0'), now()
     from generate_series(1, $2::int) n`,
  );
  await seed(
    `insert into order_changes (business_id, id, reference, at)
     select $1, 'mh' || lpad(n::text, 22, '0'), '#' || n, now() from generate_series(1, $2::int) n`,
  );
  await pool.query('set session_replication_role = origin');
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

const NO_FILTER: OrderFilters = { status: null, recipientEmail: null, updatedAfter: null };

describe.each(PLAN_MODES)('planned as %s, it costs the same at any size:', (mode) => {
  test.each<[string, Partial<OrderFilters>, number]>([
    ['no filter', {}, 50],
    ['a status that most have', { status: 'delivered' }, 50],
    ['a status that the oldest have', { status: 'returned' }, 20],
    ['a status that none has', { status: 'refunded' }, 0],
    ['a person with the oldest', { recipientEmail: 'first@example.com' }, 40],
    ['a person and a status', { recipientEmail: 'first@example.com', status: 'returned' }, 20],
    ['somebody unknown', { recipientEmail: 'nobody@example.com' }, 0],
    ['a time after all', { updatedAfter: new Date('2050-01-01') }, 0],
    ['a time and a status', { updatedAfter: new Date(0), status: 'returned' }, 20],
  ])('a page with %s', async (_, filters, found) => {
    const ask = (queryable: Queryable) =>
      readOrderPage(queryable, businessId, { ...NO_FILTER, ...filters, limit: null, before: null });
    expect((await ask(pool)).items).toHaveLength(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('a person with many: no more than a bounded scan', async () => {
    const filters = { ...NO_FILTER, recipientEmail: 'p7@example.com' };
    const ask = (queryable: Queryable) =>
      readOrderPage(queryable, businessId, { ...filters, limit: null, before: null });
    expect((await ask(pool)).items.length).toBeGreaterThan(20);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(
      6 * Math.min(ORDERS / 1_000, ORDERS_OF_PERSON_MAX) + 50,
    );
  });

  test.each([
    ['with half of all messages', '#1', 100],
    ['of many', '#15001', 1],
    ['that nothing names', 'none', null],
  ])('an order %s', async (_, reference, messages) => {
    const ask = (queryable: Queryable) => loadOrder(queryable, businessId, reference);
    expect((await ask(pool))?.messages.length ?? null).toBe(messages);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test.each([
    ['with half of all messages', '#1', 100],
    ['of many', '#15001', 1],
  ])('the dashboard’s page of an order %s', async (_, reference, messages) => {
    const ask = (queryable: Queryable) => readOrder(queryable, businessId, reference, new Date());
    expect((await ask(pool)).messages).toHaveLength(messages);
    // Each message is looked up with its sends and its history.
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX + 20 * messages);
  });

  test.each([
    ['that many have', '1', '', 25],
    // At full size ten more have a digit more.
    ['that few have', '15001', '', shortOrLong(1, 11)],
    ['that none has', 'x', '', 0],
    ['after the first', '1', '#15', 25],
  ])('orders with a beginning %s', async (_, text, after, found) => {
    const ask = (queryable: Queryable) => findOrders(queryable, businessId, text, 25, after);
    expect((await ask(pool)).items).toHaveLength(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('whether an open page of the dashboard has changed', async () => {
    const ask = (queryable: Queryable) => pageMarkOf(queryable, businessId, '', '2026-01-01', '', '');
    expect(await ask(pool)).toEqual([{ mark: expect.any(String) }]);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('looking for what waits', async () => {
    const ask = async (queryable: Queryable) => [
      await businessesWithChanges(queryable),
      await hasWaitingChanges(queryable, businessId),
    ];
    expect(await ask(pool)).toEqual([[{ business_id: businessId }], [{ waiting: true }]]);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(50);
  });
});
