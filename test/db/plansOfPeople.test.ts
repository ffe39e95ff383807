import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { findShop } from '../../src/members/sql.ts';
import { readLedger } from '../../src/pages/dashboard/credits/reads.ts';
import { creditsByCountry, ledgerAfter } from '../../src/pages/dashboard/credits/sql.ts';
import { anyMessage } from '../../src/pages/dashboard/messages/sql.ts';
import { readRecipients } from '../../src/pages/dashboard/recipients/reads.ts';
import { type ReplyList, readReplies } from '../../src/pages/dashboard/replies/reads.ts';
import { findCustomers, findWhole } from '../../src/pages/dashboard/search/find.ts';
import { findReply } from '../../src/recipients/repliesSql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * The pages about customers, replies and credits cost the same however many there are. Another shop has as many, before and after
 * this one in every index.
 */

const PEOPLE = shortOrLong(20_000, 1_000_000);
const PAGES_MAX = 400;
const SIZE = 25;
const SEEDING_MS = 20 * 60_000;

let db: TestDatabase;
let pool: Pool;
let shop: string;
let read: string;

beforeAll(async () => {
  db = await testDatabase();
  // One connection: a plan that it keeps is used for everything that follows.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  await pool.query('set session_replication_role = replica');
  const made: string[] = [];
  for (const name of ['Other', 'Shop', 'Read'])
    made.push((await createBusiness(db.pool, systemClock, { name })).businessId);
  [, shop = '', read = ''] = made;
  for (const businessId of made) {
    const seed = (sql: string) => pool.query(sql, [businessId, PEOPLE]);
    await seed(
      `insert into recipients (business_id, id, email, phone, phone_country, created_at)
       select $1, 'r' || lpad(n::text, 22, '0'), 'p' || n || '@example.com', '+3725' || lpad(n::text, 7, '0'), 'EE', now()
       from generate_series(1, $2::int) n`,
    );
    await seed(
      `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
       select $1, 'm' || lpad(n::text, 22, '0'), 'r' || lpad(n::text, 22, '0'), 's', 'b', 'one_off', 'active', now(), now()
       from generate_series(1, $2::int) n`,
    );
    await seed(
      `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, country, created_at)
       select $1, 's' || lpad(n::text, 22, '0'), 'm' || lpad(n::text, 22, '0'), 'r' || lpad(n::text, 22, '0'), 'sms', 'nudge', 'delivered',
         'EE', now() from generate_series(1, $2::int) n`,
    );
    await seed(
      `insert into credit_ledger (business_id, id, kind, amount, send_id, at)
       select $1, 'l' || lpad(n::text, 22, '0'), 'charge', -1, 's' || lpad(n::text, 22, '0'), now() from generate_series(1, $2::int) n`,
    );
  }
  // One shop has read none but its newest replies, the other all but the oldest.
  await pool.query(
    `insert into whatsapp_replies (business_id, id, recipient_id, message_id, body, received_at, read_at)
     select b, 'w' || lpad(n::text, 22, '0'), 'r' || lpad(n::text, 22, '0'), 'm' || lpad(n::text, 22, '0'), 'Hi', now(),
       case when case b when $2 then n > 10 else n > $1::int - 10 end then now() end
     from generate_series(1, $1::int) n, unnest($3::text[]) b`,
    [PEOPLE, read, made],
  );
  await pool.query('set session_replication_role = origin');
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

/** Whether an answer was as long as it should be. */
const sized = (items: readonly unknown[]): number => items.length;

describe.each(PLAN_MODES)('planned as %s, it costs the same at any size:', (mode) => {
  test.each<[string, (queryable: Queryable) => Promise<number>, number]>([
    ['the newest customers', async (q) => sized((await readRecipients(q, shop, null, SIZE)).items), SIZE],
    ['a customer by address', async (q) => sized(await findWhole(q, shop, 'p7@example.com')), 1],
    ['a customer by number', async (q) => sized(await findWhole(q, shop, '+3725 0000 077')), 1],
    ['a customer by id', async (q) => sized(await findWhole(q, shop, `r${'7'.padStart(22, '0')}`)), 1],
    ['all customers', async (q) => sized((await findCustomers(q, shop, 'p', SIZE)).items), SIZE],
    ['customers by beginning', async (q) => sized((await findCustomers(q, shop, 'p777@', SIZE)).items), 1],
    ['nobody by beginning', async (q) => sized((await findCustomers(q, shop, 'q', SIZE)).items), 0],
    [
      'customers in the middle',
      async (q) => sized((await findCustomers(q, shop, 'p', SIZE, 'p5@example.com')).items),
      SIZE,
    ],
    ['replies, most unread', async (q) => sized((await readReplies(q, shop, null, SIZE)).items), SIZE],
    ['replies, most read', async (q) => sized((await readReplies(q, read, null, SIZE)).items), SIZE],
    ['one reply', async (q) => sized(await findReply(q, read, `w${'7'.padStart(22, '0')}`)), 1],
    ['the bar, most unread', async (q) => (await findShop(q, shop, 'nobody'))[0]?.unread_replies ?? -1, 100],
    ['the bar, most read', async (q) => (await findShop(q, read, 'nobody'))[0]?.unread_replies ?? -1, 10],
    ['the newest of the ledger', async (q) => sized((await readLedger(q, shop, null, SIZE)).items), SIZE],
    [
      'a part of the CSV',
      async (q) => sized(await ledgerAfter(q, shop, `l${'9'.padStart(22, '0')}`, SIZE)),
      SIZE,
    ],
    ['the months by country', async (q) => sized(await creditsByCountry(q, shop, '2020-01-01')), 0],
    ['whether there is a message', async (q) => sized(await anyMessage(q, shop)), 1],
  ])('%s', async (_, ask, found) => {
    expect(await ask(pool)).toBe(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('replies, from the first page to the last', async () => {
    let cursor: string | null = null;
    for (let page = 0; page < 4; page += 1) {
      const at: string | null = cursor;
      const ask = (queryable: Queryable): Promise<ReplyList> => readReplies(queryable, read, at, SIZE);
      const { items, next_cursor }: ReplyList = await ask(pool);
      expect(items).toHaveLength(SIZE);
      expect(items[0]?.read_at === null).toBe(page === 0);
      expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
      cursor = next_cursor;
    }
  });
});
