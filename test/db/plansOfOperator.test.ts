import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { AUDIT_SCANNED_MAX, type AuditFilter, readAuditLog } from '../../src/pages/dashboard/audit/reads.ts';
import { readOutboxReport } from '../../src/pages/operator/outbox/reads.ts';
import { findPerson, readPeople } from '../../src/pages/operator/people/sql.ts';
import { readShopLines, readShops, type ShopFilter } from '../../src/pages/operator/shops/reads.ts';
import { waitingSendsOf } from '../../src/pages/operator/shops/sql.ts';
import { sumGrants } from '../../src/pages/operator/shops/totalsSql.ts';
import { countTroubles, TROUBLE_COUNTED_MAX } from '../../src/pages/operator/shops/troubles.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

/* The operator's lists cost the same however many shops, members and entries there are. */

const SHOPS = shortOrLong(5_000, 100_000);
const ENTRIES = shortOrLong(30_000, 1_000_000);
/** The lines of 25 shops take the most, about 27 pages each; then a filter of the audit log, which scans 10,000 entries. */
const PAGES_MAX = 800;
const SIZE = 25;
/** The shops of each kind of trouble. */
const EACH = 20;
const SEEDING_MS = 20 * 60_000;
const shopId = (n: number): string => `b${String(n).padStart(22, '0')}`;

let db: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  db = await testDatabase();
  // One connection: a plan that it keeps is used for everything that follows.
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {}, statementTimeoutMs: SEEDING_MS });
  await pool.query('set session_replication_role = replica');
  await pool.query(
    `insert into businesses (id, name, created_at)
     select 'b' || lpad(n::text, 22, '0'), case when n % 500 = 0 then 'Rare ' else 'Common ' end || n || ' Shop', now()
     from generate_series(1, $1::int) n`,
    [SHOPS],
  );
  await pool.query(
    `insert into members (id, email, created_at)
     select 'm' || lpad(n::text, 22, '0'), 'p' || n || '@example.com', now() from generate_series(1, $1::int) n`,
    [SHOPS],
  );
  await pool.query(
    `insert into memberships (business_id, member_id, role, created_at)
     select 'b' || lpad(n::text, 22, '0'), 'm' || lpad(n::text, 22, '0'), 'owner', now() from generate_series(1, $1::int) n`,
    [SHOPS],
  );
  // The oldest entries are the rare ones, and the first shop has half of all.
  await pool.query(
    `insert into audit_entries (business_id, id, actor, action, detail, at)
     select 'b' || lpad(case when n % 2 = 0 then '1' else (1 + n / 2 % 50)::text end, 22, '0'), 'e' || lpad(n::text, 22, '0'),
       case when n < 30 then 'operator' else 'member:m' || n end, case when n < 30 then 'credits.granted' else 'reply.read' end, '{}', now()
     from generate_series(1, $1::int) n`,
    [ENTRIES],
  );
  await pool.query(
    `insert into platform_audit_entries (id, actor, action, detail, at)
     select 'e' || lpad(n::text, 22, '0') || 'p', 'member:m' || n, 'price.set', '{}', now() from generate_series(1, $1::int, 10) n`,
    [ENTRIES],
  );
  // A few shops of each kind of trouble, far apart, and a fifth of all deactivated.
  const kinds = `n % ($1::int / ${EACH})`;
  await pool.query(
    `update businesses b set paused = ${kinds} = 1, active = n % 5 <> 0,
       plan = case ${kinds} when 6 then 'lapsed' when 11 then 'past_due' else 'active' end
     from generate_series(1, $1::int) n where b.id = 'b' || lpad(n::text, 22, '0')`,
    [SHOPS],
  );
  await pool.query(
    `insert into credit_accounts (business_id, balance, low_balance_notified)
     select 'b' || lpad(n::text, 22, '0'), case ${kinds} when 16 then 0 when 21 then 3 else 100 end, ${kinds} in (16, 21)
     from generate_series(1, $1::int) n`,
    [SHOPS],
  );
  await pool.query(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at, disabled_at)
     select 'b' || lpad(n::text, 22, '0'), 'w' || n, 'https://shop.example/' || n, '', '', now(), case ${kinds} when 26 then now() end
     from generate_series(1, $1::int) n`,
    [SHOPS],
  );
  await pool.query(
    `insert into usage_counters (business_id, day, slot, messages)
     select 'b' || lpad(n::text, 22, '0'), current_date - day, 0, 5
     from generate_series(1, $1::int) n, generate_series(0, 9) day`,
    [SHOPS],
  );
  // Shops with many charges, and a few grants of which one is recent.
  await pool.query(
    `insert into credit_ledger (business_id, id, kind, amount, send_id, at)
     select 'b' || lpad((1 + 50 * (n % 25))::text, 22, '0'), 'l' || lpad(n::text, 22, '0'), 'charge', -1, 's' || n, now()
     from generate_series(1, $1::int) n`,
    [ENTRIES],
  );
  await pool.query(
    `insert into credit_ledger (business_id, id, kind, amount, at)
     select 'b' || lpad((1 + 50 * (n % 25))::text, 22, '0'), 'g' || lpad(n::text, 22, '0'), 'grant', 10, now() - n / 25 * interval '40 days'
     from generate_series(0, 99) n`,
  );
  await pool.query('set session_replication_role = origin');
  await pool.query('vacuum analyze');
}, SEEDING_MS);
afterAll(async () => {
  await pool.end();
  await db.drop();
});

const listed = async (q: Queryable, filter: Partial<ShopFilter>) =>
  (await readShops(q, { find: null, trouble: null, ...filter }, null, SIZE)).items;

const MONTH_AGO = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
const creditsOf = (sums: readonly { credits: number }[]): number =>
  sums.reduce((sum, { credits }) => sum + credits, 0);

const SOME = Array.from({ length: SIZE }, (_, index) => shopId(1 + index * 50));
/** Of six kinds, and more deactivated shops than are counted. */
const TROUBLED = 6 * EACH + TROUBLE_COUNTED_MAX;

const audit = (q: Queryable, filter: Partial<AuditFilter>) =>
  readAuditLog(q, { business: null, actor: null, action: null, ...filter }, null, { size: SIZE });

describe.each(PLAN_MODES)('planned as %s, it costs the same at any size:', (mode) => {
  test.each<[string, (queryable: Queryable) => Promise<number>, number]>([
    ['all shops', async (q) => (await listed(q, {})).length, SIZE],
    ['the lines of some shops', async (q) => (await readShopLines(q, SOME, new Date())).length, SIZE],
    [
      'the credits sold to some shops',
      async (q) => creditsOf(await sumGrants(q, SOME, MONTH_AGO)),
      10 * SIZE,
    ],
    [
      'what is wrong with how many shops',
      async (q) => (await countTroubles(q)).map(({ shops }) => shops.length).reduce((a, b) => a + b),
      TROUBLED,
    ],
    ['the shops that are paused', async (q) => (await listed(q, { trouble: 'paused' })).length, EACH],
    ['the deactivated shops', async (q) => (await listed(q, { trouble: 'deactivated' })).length, SIZE],
    ['the shops without credits', async (q) => (await listed(q, { trouble: 'no_credits' })).length, EACH],
    [
      'the shops that get no events',
      async (q) => (await listed(q, { trouble: 'endpoint_off' })).length,
      EACH,
    ],
    ['a shop by a rare word', async (q) => (await listed(q, { find: 'rare 500' })).length, shortOrLong(2, 3)],
    ['everybody', async (q) => (await readPeople(q, null, SIZE)).items.length, SIZE],
    ['a person by address', async (q) => (await findPerson(q, 'p77@example.com')).length, 1],
    ['the audit of everything', async (q) => (await audit(q, {})).items.length, SIZE],
    ['the audit of a shop', async (q) => (await audit(q, { business: shopId(7) })).items.length, SIZE],
    ['the audit of no shop', async (q) => (await audit(q, { business: 'platform' })).items.length, SIZE],
    ['the audit, by what most do', async (q) => (await audit(q, { actor: 'member' })).items.length, SIZE],
    ['an empty outbox', async (q) => (await readOutboxReport(q, new Date())).sends.waiting, 0],
    ['what waits for a shop', async (q) => (await waitingSendsOf(q, shopId(7), new Date(), 100)).length, 0],
  ])('%s', async (_, ask, found) => {
    expect(await ask(pool)).toBe(found);
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(PAGES_MAX);
  });

  test.each([
    ['everything', null],
    ['a shop', shopId(1)],
  ])('an action that only the oldest entries have, in the log of %s: a bounded scan', async (_, business) => {
    const ask = (queryable: Queryable) => audit(queryable, { business, action: 'credits.granted' });
    expect(await ask(pool)).toEqual({ items: [], next_cursor: expect.any(String), isCut: true });
    expect(await pagesTouched(pool, mode, ask)).toBeLessThan(AUDIT_SCANNED_MAX / 2);
  });
});
