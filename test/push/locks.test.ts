import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../src/db/pool.ts';
import { type Lockable, tryLocks } from '../../src/push/locks.ts';
import { numberLock } from '../../src/recipients/stops.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let db: TestDatabase;
let [ours, theirs]: Client[] = [];
beforeAll(async () => {
  db = await testDatabase();
  [ours, theirs] = await Promise.all([db.pool.connect(), db.pool.connect()]);
});
afterAll(async () => {
  for (const client of [ours, theirs]) client?.release();
  await db.drop();
});

const item = (name: string, number: string | null = null): Lockable => ({
  businessId: 'business',
  key: name,
  request: {
    recipientEmail: `${name}@example.com`,
    phone: number === null ? null : { number, country: 'SE' },
  },
});

test('a push with a number that is being stopped waits, and no other push does', async () => {
  await theirs?.query('select pg_advisory_lock($1)', [numberLock('+46700000002')]);
  await ours?.query('begin');
  const items = [item('none'), item('free', '+46700000001'), item('held', '+46700000002'), item('last')];
  const locks = ours && (await tryLocks(ours, items));
  await ours?.query('rollback');
  expect(locks).toMatchObject({ keys: [true, true, true, true], recipients: [true, true, false, true] });
});
