import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { ASYNCHRONOUS_COMMIT } from '../../src/db/sql.ts';
import { insertCaptured } from '../../src/sandbox/sql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/* Few commits may leave before they are on disk. The others must not follow them by accident. */

let db: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  db = await testDatabase();
  pool = openPool(db.url, { max: 1, name: 'test', onError: () => {} });
  await pool.query('set synchronous_commit = on');
});
afterAll(async () => {
  await pool.end();
  await db.drop();
});

const waits = async (from = ''): Promise<string | undefined> =>
  (await pool.query<{ waits: string }>(`select current_setting('synchronous_commit') as waits ${from}`))
    .rows[0]?.waits;

test('an asynchronous commit does not wait for the disk, even where no row is selected', async () => {
  expect(await waits(`from (${ASYNCHRONOUS_COMMIT}) as kept`)).toBe('off');
  expect(
    await waits(`from (${ASYNCHRONOUS_COMMIT}) as kept left join (select 1 where false) as nothing on true`),
  ).toBe('off');
});

test('the next commit on the same connection waits for the disk again', async () => {
  await waits(`from (${ASYNCHRONOUS_COMMIT}) as kept`);
  await insertCaptured(pool, '[]', '[]');
  expect(await waits()).toBe('on');
});
