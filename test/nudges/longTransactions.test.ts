import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { earlier, HOUR, systemClock } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import * as rows from '../support/rows.ts';

const SENT = 2_000;
const room: ClaimCapacity = { limit: 200, channels: ['email', 'sms', 'whatsapp'], full: [] };

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

/** Entries of the index of what is due that were read so far. */
async function entriesRead(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows: found } = await pool.query<{ read: number }>(
    `select idx_tup_read::int as read from pg_stat_user_indexes where indexrelname = 'sends_due'`,
  );
  return found[0]?.read ?? 0;
}

test('claims do not scan sent rows again, even while an open transaction keeps vacuum from removing them', async () => {
  const now = systemClock.now();
  const shop = await rows.insertTestBusiness(pool, now);
  const person = await rows.insertRecipient(pool, now, shop);
  await old.query('begin isolation level repeatable read');
  await old.query('select 1 from sends');
  for (let number = 0; number < SENT; number += 1) await rows.insertPush(pool, earlier(now, HOUR), person);
  await pool.query(`update sends set state = 'accepted', due_at = null`);

  // Time stands still for it, so that it does not look at everything again.
  const claimer = new Claimer(pool, () => 0);
  const before = await entriesRead();
  expect((await claimer.claim(room, systemClock.now())).sends).toEqual([]);
  const fromTheBottom = await entriesRead();
  expect(fromTheBottom - before).toBeGreaterThanOrEqual(SENT);

  const { email } = await rows.insertPush(pool, systemClock.now(), person);
  expect((await claimer.claim(room, systemClock.now())).sends.map(({ id }) => id)).toEqual([email]);
  expect((await entriesRead()) - fromTheBottom).toBeLessThan(SENT / 10);
});
