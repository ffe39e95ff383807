import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { createFeedReader } from '../../src/events/page.ts';
import { earlier, HOUR, systemClock } from '../../src/kit/clock.ts';
import { idBoundAt, newId } from '../../src/kit/ids.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTestBusiness } from '../support/rows.ts';

const PLACED = 3_000;

let db: TestDatabase;
let pool: Pool;
let old: pg.Client;
beforeAll(async () => {
  db = await testDatabase();
  // One connection, whose own figures are asked for.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {} });
  old = new pg.Client({ connectionString: db.url });
  await old.connect();
});
afterAll(async () => {
  await old.end();
  await pool.end();
  await db.drop();
});

/** Entries of the index of unplaced events that were read so far. */
async function entriesRead(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ read: number }>(
    `select idx_tup_read::int as read from pg_stat_user_indexes where indexrelname = 'events_unplaced'`,
  );
  return rows[0]?.read ?? 0;
}

test('reads do not step over placed events again, even while an open transaction keeps vacuum from removing them', async () => {
  const now = systemClock.now();
  const { id: businessId } = await insertTestBusiness(pool, now);
  const insert = (id: string) =>
    pool.query(
      `insert into events (business_id, id, type, occurred_at, data) values ($1, $2, 'message.opened', now(), '{}')`,
      [businessId, id],
    );
  await old.query('begin isolation level repeatable read');
  await old.query('select 1 from events');
  await pool.query(
    `insert into events (business_id, id, type, occurred_at, data)
      select $1, $2 || lpad(n::text, 16, '0'), 'message.opened', now(), '{}' from generate_series(1, $3) n`,
    [businessId, idBoundAt(earlier(now, HOUR)), PLACED],
  );
  const reader = createFeedReader({ pool, clock: systemClock });
  const end = await reader.end(businessId);
  expect(end.position).toBe(PLACED);

  const before = await entriesRead();
  const query = { businessId, types: null, messageId: null, limit: 10, after: end };
  const id = newId(systemClock.now());
  await insert(id);
  expect((await reader.page(query)).events.map((event) => event.id)).toEqual([id]);
  expect(await reader.grown([{ businessId, position: end.position + 1 }])).toEqual([]);
  expect((await entriesRead()) - before).toBeLessThan(PLACED / 10);
});
