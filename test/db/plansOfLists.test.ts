import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { MESSAGES_SCANNED_MAX, type MessageFilters } from '../../src/messages/list.ts';
import { listMessages } from '../../src/messages/read.ts';
import { DELIVERIES_SCANNED_MAX, listEndpointDeliveries } from '../../src/webhooks/deliveryLog.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * A page of a list costs the same however long the list is. `npm run test:long` looks at a million messages and a million deliveries. Most
 * of what is asked for is at the far end: what a scan from the near end would find last.
 */

const MESSAGES = shortOrLong(30_000, 1_000_000);
const DELIVERIES = shortOrLong(20_000, 1_000_000);
/** Pages of Postgres that one answer may touch: some per row of the answer, with its person and sends, and those of the indexes. */
const PAGES_MAX = 400;
const SEEDING_MS = 20 * 60_000;

let db: TestDatabase;
let pool: Pool;
let businessId: string;
const ENDPOINT = 'endpoint1';
const RARE_ENDPOINT = 'endpoint2';
/** Has more pending than are sorted for a page. */
const SLOW_ENDPOINT = 'endpoint3';

beforeAll(async () => {
  db = await testDatabase();
  // One connection: a plan that it keeps is used for everything that follows.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  ({ businessId } = await createBusiness(db.pool, systemClock, { name: 'Shop' }));
  const seed = (sql: string, ...values: unknown[]) => pool.query(sql, [businessId, ...values]);
  await pool.query('set session_replication_role = replica');
  await seed(
    `insert into recipients (business_id, id, email, created_at)
     select $1, 'r' || n, 'p' || n || '@example.com', now() from generate_series(0, 999) n`,
  );
  // The oldest are retracted, obsolete, of one rare reference and of a person with few; one reference has half of all.
  await seed(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at)
     select $1, 'mh' || lpad(n::text, 22, '0'), case when n <= 40 then 'r0' else 'r' || (1 + n % 999) end, 's', repeat('b', 300), 'one_off',
       case when n <= 20 then 'retracted' when n <= 40 then 'obsolete' else 'active' end,
       case when n <= 40 then 'rare' when n % 2 = 0 then 'often' when n % 4 = 1 then '#' || n end, now(), now()
     from generate_series(1, $2::int) n`,
    MESSAGES,
  );
  // Each was resent once, in vain.
  await seed(
    `insert into message_events (business_id, id, message_id, type, detail, at)
     select $1, id, id, 'sms.skipped', 'no_phone', now() from messages where business_id = $1`,
  );
  await seed(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
     select $1, id, id, '', '', now() from unnest($2::text[]) id`,
    [ENDPOINT, RARE_ENDPOINT, SLOW_ENDPOINT],
  );
  await seed(
    `insert into events (business_id, id, type, occurred_at, data)
     select $1, 'mh' || lpad(n::text, 22, '0'), 'message.delivered', now(), '{}' from generate_series(1, $2::int) n`,
    DELIVERIES,
  );
  await seed(
    `insert into webhook_deliveries (business_id, endpoint_id, event_id, state, due_at, created_at)
     select $1, case when n % 1000 = 1 then $4 else $3 end, 'mh' || lpad(n::text, 22, '0'),
       case when n <= 20 then 'exhausted' when n <= 40 then 'stopped' when n <= 60 then 'pending' else 'delivered' end,
       case when n between 41 and 60 then now() end, now() from generate_series(1, $2::int) n`,
    DELIVERIES,
    ENDPOINT,
    RARE_ENDPOINT,
  );
  await seed(
    `insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, created_at)
     select business_id, $2, id, now(), now() from events where business_id = $1 order by id limit $3`,
    SLOW_ENDPOINT,
    DELIVERIES_SCANNED_MAX + 1,
  );
  await pool.query('set session_replication_role = origin');
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

const NO_FILTER: MessageFilters = { recipientEmail: null };

describe.each(PLAN_MODES)('planned as %s, a page costs the same at any size:', (mode) => {
  test.each<[string, Partial<MessageFilters>, number]>([
    ['no filter', {}, 50],
    ['a status that most have', { status: 'active' }, 50],
    ['a status that the oldest have', { status: 'retracted' }, 20],
    ['another', { status: 'obsolete' }, 20],
    ['a reference that many have', { reference: 'often' }, 50],
    ['a reference that the oldest have', { reference: 'rare' }, 40],
    ['a reference that none has', { reference: 'none' }, 0],
    ['a person with many', { recipientEmail: 'p7@example.com' }, shortOrLong(30, 50)],
    ['a person with the oldest', { recipientEmail: 'p0@example.com' }, 40],
    ['a person and a status', { recipientEmail: 'p0@example.com', status: 'retracted' }, 20],
    ['a rare reference and a status', { reference: 'rare', status: 'obsolete' }, 20],
    ['all of them', { recipientEmail: 'p0@example.com', reference: 'rare', status: 'obsolete' }, 20],
    ['a time before all', { createdBefore: new Date(0) }, 0],
    ['a time after all', { createdAfter: new Date('2050-01-01') }, 0],
    ['a time and a status', { createdAfter: new Date(0), status: 'retracted' }, 20],
  ])('%s', async (_, filters, found) => {
    const ask = (queryable: Queryable) =>
      listMessages(queryable, businessId, { ...NO_FILTER, ...filters, limit: null, before: null });
    expect((await ask(pool)).items).toHaveLength(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('filters that nothing passes: no more than a bounded scan', async () => {
    const filters = { ...NO_FILTER, reference: 'often', status: 'retracted' } as const;
    const ask = (queryable: Queryable) =>
      listMessages(queryable, businessId, { ...filters, limit: null, before: null });
    expect(await ask(pool)).toEqual({ items: [], next_cursor: expect.any(String) });
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(3 * MESSAGES_SCANNED_MAX);
  });

  test.each([
    ['every delivery of an endpoint', ENDPOINT, null, 50],
    ['every delivery of one that gets few', RARE_ENDPOINT, null, shortOrLong(20, 50)],
    ['delivered', ENDPOINT, 'delivered', 50],
    ['exhausted, the oldest', ENDPOINT, 'exhausted', 19],
    ['cancelled, the oldest', ENDPOINT, 'cancelled', 20],
    ['pending, the oldest', ENDPOINT, 'pending', 20],
    ['none', RARE_ENDPOINT, 'pending', 0],
  ] as const)('deliveries: %s', async (_, endpointId, status, found) => {
    const ask = (queryable: Queryable) =>
      listEndpointDeliveries(queryable, { businessId, endpointId }, { status, limit: null, before: null });
    expect((await ask(pool)).items).toHaveLength(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test.each([null, 'pending'] as const)(
    'deliveries of a long backlog, status %s: a bounded scan',
    async (status) => {
      const ask = (queryable: Queryable) =>
        listEndpointDeliveries(
          queryable,
          { businessId, endpointId: SLOW_ENDPOINT },
          { status, limit: null, before: null },
        );
      expect((await ask(pool)).next_cursor).not.toBeNull();
      expect(await pagesTouched(pool, mode, ask)).toBeLessThan(3 * DELIVERIES_SCANNED_MAX);
    },
  );
});
