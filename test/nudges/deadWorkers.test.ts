import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { advanceDatabaseTime } from '../../src/db/sql.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildPart } from '../support/program.ts';
import { insertPush, insertRecipient, insertTestBusiness } from '../support/rows.ts';

let database: TestDatabase;
let workers: ChildProcess[];
let program: string;
beforeAll(async () => {
  program = await buildPart(new URL('workerProcess.mjs', import.meta.url));
}, 120_000);
beforeEach(async () => {
  workers = [];
  database = await testDatabase();
  await database.pool.query('create table submissions (send_id text not null, worker integer not null)');
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await database.drop();
});

async function worker(manner: 'hang' | 'slow'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, database.url, manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function queue(count: number): Promise<{ shopId: string; sends: string[] }> {
  const now = systemClock.now();
  const shop = await insertTestBusiness(database.pool, now, { credits: count });
  const sends: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const person = await insertRecipient(database.pool, now, shop, { phone: `+447700${900_000 + n}` });
    const { sms, email } = await insertPush(database.pool, now, person, { sms: true });
    sends.push(sms, email);
  }
  return { shopId: shop.id, sends };
}

const states = async (): Promise<Record<string, number>> => {
  const { rows } = await database.pool.query<{ state: string; count: number }>(
    `select state || coalesce(' ' || reason, '') as state, count(*)::int as count from sends group by 1`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};
const submissions = async (): Promise<{ total: number; sends: number }> => {
  const { rows } = await database.pool.query<{ total: number; sends: number }>(
    'select count(*)::int as total, count(distinct send_id)::int as sends from submissions',
  );
  return rows[0] ?? { total: 0, sends: 0 };
};

const connectionsOfWorkers = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name = 'waypost test worker'`,
  );
  return rows[0]?.count ?? 0;
};

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 600; n += 1) {
    if (await condition()) return;
    await sleep(50);
  }
  throw new Error(`it did not happen; the sends are ${JSON.stringify(await states())}`);
}

const settled = async (): Promise<boolean> => {
  const { held = 0, queued = 0, submitting = 0 } = await states();
  return held + queued + submitting === 0;
};

/** Leases and deadlines follow the database's clock: they run out when it is moved, on every worker. */
const let2MinutesPass = () => advanceDatabaseTime(database.pool, 120_000);

test('a worker killed while its provider hangs: those sends end unknown, once, and nothing is submitted twice', async () => {
  const { shopId, sends } = await queue(15);
  const doomed = await worker('hang');
  await until(async () => (await submissions()).total >= 15);
  const before = await submissions();
  doomed.kill('SIGKILL');
  await once(doomed, 'exit');
  // What it had sent to Postgres is still carried out.
  await until(async () => (await connectionsOfWorkers()) === 0);
  const submitting = (await states()).submitting ?? 0;
  expect(submitting).toBeGreaterThanOrEqual(before.total);

  await let2MinutesPass();
  await worker('slow');
  await until(settled);
  const after = await submissions();
  expect(after.total).toBe(after.sends);
  expect(await states()).toEqual({
    'failed outcome_unknown': submitting,
    ...(submitting < sends.length && { accepted: sends.length - submitting }),
  });
  const { rows } = await database.pool.query(
    `select count(*)::int as attempts, count(distinct send_id)::int as sends from send_attempts where outcome = 'unknown'`,
  );
  expect(rows).toEqual([{ attempts: submitting, sends: submitting }]);
  const events = await database.pool.query(
    `select count(*)::int as count from events where business_id = $1 and type in ('message.failed', 'sms.failed')`,
    [shopId],
  );
  expect(events.rows).toEqual([{ count: submitting }]);
}, 60_000);

test('a worker stopped past its lease and continued: nothing is submitted twice', async () => {
  await queue(60);
  const frozen = await worker('slow');
  await until(async () => (await submissions()).total >= 30);
  frozen.kill('SIGSTOP');
  await let2MinutesPass();
  const other = await worker('slow');
  await until(settled);
  const meanwhile = await states();
  frozen.kill('SIGCONT');
  await sleep(2_000);
  const { total, sends } = await submissions();
  expect(total).toBe(sends);
  expect(await states()).toEqual(meanwhile);
  expect(other.exitCode).toBeNull();
  const { rows } = await database.pool.query(
    `select a.balance = (select sum(amount) from credit_ledger) as balanced from credit_accounts a`,
  );
  expect(rows).toEqual([{ balanced: true }]);
}, 60_000);
