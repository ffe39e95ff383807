import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

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
async function planOf(text: string): Promise<string> {
  await pool.query(`set plan_cache_mode = force_generic_plan`);
  await pool.query(`prepare asked as ${text}`);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain execute asked ('a', 'b')`);
  await pool.query('deallocate asked');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test.for(['recipients', 'messages', 'sends', 'events', 'links', 'inbox_sessions', 'whatsapp_replies'])(
  'a row of %s is found by its key',
  async (table) => {
    const plan = await planOf(`select from ${table} where business_id = $1 and id = $2 for key share`);
    expect(plan).toContain(`using ${table}_pkey`);
  },
);

test('a person is found by the address', async () => {
  const plan = await planOf('select id from recipients where business_id = $1 and email = $2');
  expect(plan).toContain('using recipients_by_email');
});
