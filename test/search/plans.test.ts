import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { openDashboardLive, type ShownOnPage } from '../../src/pages/dashboard/live/reads.ts';
import { filterIn, listFilters, type MessageListFilters } from '../../src/pages/dashboard/messages/query.ts';
import { listForMember } from '../../src/pages/dashboard/messages/reads.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import { wordsOf } from '../../src/search/words.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { recordingLog } from '../support/recordingLog.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/*
 * A page of the dashboard costs the same however many messages the shop has. `npm run test:long` looks at a million. The rare
 * words are those of the oldest messages.
 */

const MESSAGES = shortOrLong(30_000, 1_000_000);
/** Some per row of a page, with its person and sends, and those of the segments. */
const PAGES_MAX = 600;
const SEEDING_MS = 20 * 60_000;
const PAGE = 25;
const NOW = new Date();

let db: TestDatabase;
let pool: Pool;
let businessId: string;

beforeAll(async () => {
  db = await testDatabase();
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  ({ businessId } = await createBusiness(db.pool, systemClock, { name: 'Shop' }));
  await pool.query('set session_replication_role = replica');
  await pool.query(
    `insert into recipients (business_id, id, email, created_at)
     select $1, 'r' || n, 'p' || n || '@example.com', now() from generate_series(0, 999) n`,
    [businessId],
  );
  await pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select $1, 'k' || lpad(n::text, 9, '0') || left(md5(n::text), 14), 'r' || (n % 1000),
       'Your order #' || n || case when n % 2 = 0 then ' even' else ' odd' end || case when n <= 40 then ' antique' else '' end
         || case when n % 5000 = 7 then ' teapot' else '' end,
       repeat('b', 300), 'one_off', 'active', now(), now()
     from generate_series(1, $2::int) n`,
    [businessId, MESSAGES],
  );
  await pool.query('set session_replication_role = origin');
  // All but the newest, which a search reads one by one.
  const until = `k${String(MESSAGES - 300).padStart(9, '0')}`;
  // By the pool that may take its time: a busy machine writes a segment for longer than a worker waits.
  while ((await indexSegment(pool, businessId, until)) > 0);
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

const EVERYTHING = listFilters(filterIn({}), null, null);
const listing = (filters: Partial<MessageListFilters>) => ({
  businessId,
  filters: { ...EVERYTHING, ...filters },
  now: NOW,
});

describe.each(PLAN_MODES)('planned as %s, a page costs the same at any size:', (mode) => {
  test.each<[string, string, number]>([
    ['words that every subject has', 'your order', PAGE],
    ['a word that half of them have', 'odd', PAGE],
    ['a word that few of them have', 'teapot', MESSAGES / 5_000],
    ['a word of the oldest', 'antique', PAGE],
    ['a frequent word and one of the oldest', 'order even antique', 20],
    ['one number', String(shortOrLong(12_345, 112_345)), 1],
    ['a word that none has', 'nothing', 0],
  ])('%s', async (_, words, found) => {
    const ask = (queryable: Queryable) =>
      listForMember(queryable, listing({ words: wordsOf(words) }), null, PAGE);
    expect((await ask(pool)).items).toHaveLength(Math.min(found, PAGE));
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  // Each of some words is looked up in each of some segments.
  test.each<[string, string, number]>([
    ['of a frequent word', 'ord', PAGE],
    ['of a rare one', 'tea', MESSAGES / 5_000],
    ['of thousands of words', '1', PAGE],
    ['of several', 'ord ev ant', 20],
    ['of none', 'nothin', 0],
  ])('the beginning %s', async (_, words, found) => {
    const ask = (queryable: Queryable) =>
      listForMember(queryable, listing({ words: wordsOf(words) }), null, PAGE);
    const { items } = await ask(pool);
    if (words !== '1') expect(items).toHaveLength(Math.min(found, PAGE));
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(10 * PAGES_MAX);
  });

  test('a page in the middle of a search', async () => {
    const before = `k${String(MESSAGES / 2).padStart(9, '0')}`;
    const ask = (queryable: Queryable) =>
      listForMember(queryable, listing({ words: ['order'] }), before, PAGE);
    expect((await ask(pool)).items).toHaveLength(PAGE);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test('words that are never together, and what the filters look through: no more than is bounded', async () => {
    const never = listing({ words: ['odd', 'even'] });
    expect((await listForMember(pool, never, AFTER_EVERY_ID, PAGE)).items).toEqual([]);
    expect(
      await pagesTouched(pool, mode, (queryable) => listForMember(queryable, never, AFTER_EVERY_ID, PAGE)),
    ).toBeLessThan(3 * PAGES_MAX);
    const filtered = listing({ outcomes: { ...EVERYTHING.outcomes, email: 'bounced' } });
    const page = await listForMember(pool, filtered, null, PAGE);
    expect(page).toEqual({ items: [], nextBefore: expect.any(String) });
  });

  test('the mark of the shop and of a message, which open pages are told by', async () => {
    const markOf = (shown: ShownOnPage) => (queryable: Queryable) =>
      openDashboardLive({ pool: queryable, clock: systemClock, log: recordingLog([]) }).markOf(
        businessId,
        shown,
      );
    expect(await pagesTouched(pool, mode, markOf({}))).toBeLessThan(100);
    const { rows } = await pool.query('select id from messages where business_id = $1 limit 1', [businessId]);
    expect(await pagesTouched(pool, mode, markOf({ messageId: rows[0].id }))).toBeLessThan(30);
  });
});
