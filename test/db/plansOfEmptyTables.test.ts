import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishCalls, readKnownOrders } from '../../src/connections/workerSql.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { nextChanges } from '../../src/orders/projectorSql.ts';
import { acceptEmails } from '../../src/outbox/sendsSql.ts';
import { customersBeginning } from '../../src/pages/dashboard/recipients/sql.ts';
import { loadPlainGroupRows } from '../../src/push/loadSql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/* Plans made before a table was first analyzed are kept until it is; they must be those for a full one. */

let db: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  db = await testDatabase();
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {} });
});
afterAll(async () => {
  await pool.end();
  await db.drop();
});

/** The plan that a statement keeps, as a reference's check keeps its own. */
async function planOf(text: string, parameters = `'a', 'b'`): Promise<string> {
  await pool.query(`set plan_cache_mode = force_generic_plan`);
  await pool.query(`prepare asked as ${text}`);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain execute asked (${parameters})`);
  await pool.query('deallocate asked');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test.for([
  ['recipients', 'id'],
  ['messages', 'id'],
  ['sends', 'id'],
  ['events', 'id'],
  ['links', 'send_id'],
  ['inbox_sessions', 'id'],
  ['whatsapp_replies', 'id'],
] as const)('a row of %s is found by its key', async ([table, id]) => {
  const plan = await planOf(`select from ${table} where business_id = $1 and ${id} = $2 for key share`);
  expect(plan).toContain(`using ${table}_pkey`);
});

/** The plan that a list's statement keeps: what is asked for by `ask` is not asked. */
async function planOfList(ask: (db: Queryable) => Promise<unknown>, parameters: string): Promise<string> {
  const asked: string[] = [];
  const query = new Proxy(pool.query, {
    apply(target, _self, [first]: [{ text: string }]) {
      asked.push(first.text);
      return Reflect.apply(target, pool, ['select']);
    },
  });
  await ask({ query }).catch(() => {}); // it hears nothing
  await pool.query(
    'begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
  );
  const plan = await planOf(asked.join(), parameters);
  await pool.query('rollback');
  return plan;
}

const conditionsOn = (table: string, plan: string): string[] | undefined =>
  plan
    .match(new RegExp(`on ${table}.*\\n\\s+(?:Index|TID) Cond: .*`, 'g'))
    ?.map((line) => line.replace(/^.*\n\s+/, '').replaceAll(/\b(\w)_\d+\./g, '$1.'))
    // Postgres 15 writes the sides the other way round.
    .map((line) => line.replace('(ctid = t.place)', '(t.place = ctid)'));

test('emails that were taken are found by their keys and then their places, what is held for their messages by the message', async () => {
  const plan = await planOfList((db) => acceptEmails(db, '[]'), `'[]'`);
  expect(conditionsOn('sends', plan)).toEqual([
    'Index Cond: ((business_id = a.business_id) AND (id = a.send_id))',
    'Index Cond: ((business_id = a.business_id) AND (message_id = s.message_id))',
    'TID Cond: (m.locked = ctid)',
  ]);
});

test('what a list of pushes needs is found by its keys, each by itself', async () => {
  const plan = await planOfList(
    (db) => loadPlainGroupRows(db, new Date(), '[]', [], '[]', [], [], 0),
    `now(), '[]', '{}', '[]', '{}', '{}', 0`,
  );
  expect(conditionsOn('recipients', plan)).toEqual([
    'Index Cond: ((email = e.email) AND (business_id = p.business_id))',
  ]);
  expect(conditionsOn('suppressions', plan)).toEqual([
    'Index Cond: ((business_id = p.business_id) AND (email_hash = h.email_hash))',
  ]);
  expect(conditionsOn('platform_suppressions', plan)).toEqual([
    'Index Cond: (email_hash = ANY (p.email_hashes))',
  ]);
  expect(conditionsOn('idempotency_records', plan)).toEqual([
    'Index Cond: ((business_id = w.business_id) AND (scope = w.scope) AND (key = k.key))',
  ]);
});

test('what a change of an order needs is found by its keys, each by itself', async () => {
  const plan = await planOfList((db) => nextChanges(db, 'a', 1), `'a', 1`);
  expect(conditionsOn('orders', plan)).toEqual([
    'Index Cond: ((business_id = $1) AND (reference = order_changes.reference))',
  ]);
  expect(conditionsOn('order_recipients', plan)?.join()).toContain('COALESCE');
});

test('a call of a store is found by its key, and its order by its own', async () => {
  const finished = await planOfList((db) => finishCalls(db, '[]', null), `'[]', null`);
  expect(conditionsOn('connection_calls', finished)).toEqual([
    'Index Cond: ((business_id = f.business_id) AND (connection_id = f.connection_id) AND (id = f.id))',
    'TID Cond: (f.locked = ctid)',
  ]);
  const known = await planOfList((db) => readKnownOrders(db, [], [], []), `'{}', '{}', '{}'`);
  expect(conditionsOn('connection_orders', known)?.join()).toContain('store_order = k.store_order');
});

test('a delivery is found by its key, and what is due by its endpoint', async () => {
  const byKey = `select from webhook_deliveries where business_id = $1 and endpoint_id = $2 and event_id = $3`;
  expect(await planOf(byKey, `'a', 'b', 'c'`)).toContain('using webhook_deliveries_pkey');
  const due = `select from webhook_deliveries where business_id = $1 and endpoint_id = $2 and due_at is not null`;
  expect(await planOf(due)).toContain('webhook_deliveries_due');
});

test('people are found by the beginning of their address', async () => {
  const plan = await planOfList((db) => customersBeginning(db, 'a', 'b', '', 1), `'a', 'b', '', 1`);
  expect(conditionsOn('recipients', plan)?.join()).toMatch(/business_id \|\| ' '::text\) \|\| email\) >= /);
  expect(plan).toContain('using recipients_by_address');
});

test('a person is found by the address', async () => {
  const plan = await planOf('select id from recipients where business_id = $1 and email = $2');
  expect(plan).toContain('using recipients_by_email');
});
