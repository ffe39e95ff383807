import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabaseClock } from '../../src/db/databaseClock.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { advanceDatabaseTime } from '../../src/db/sql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

const STEP_BACK_MS = 200;
const WAIT_MS = 20;

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

test('after the database’s clock steps back, time runs slower until it is right, and never stands still', async () => {
  const clock = await startDatabaseClock(pool, () => {});
  try {
    const before = clock.now().getTime();
    await advanceDatabaseTime(pool, -STEP_BACK_MS);
    await clock.sync();
    const times = [before];
    for (let n = 0; n < 5; n++) {
      await sleep(WAIT_MS);
      times.push(clock.now().getTime());
    }
    const steps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(Math.floor(WAIT_MS * 0.8));

    // A clock that starts now is right from the beginning: the gap to it closes.
    const right = await startDatabaseClock(pool, () => {});
    const gap = () => clock.now().getTime() - right.now().getTime();
    const first = gap();
    await sleep(10 * WAIT_MS);
    expect(gap()).toBeLessThan(first);
    right.stop();
  } finally {
    clock.stop();
  }
});
