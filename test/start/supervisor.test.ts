import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { pauseBeforeCommit, untilPaused } from '../support/databaseLocks.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { ORDER_UPDATE, Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { latestPidOf, logLines, metricOf, untilEnded, untilReadyTimes } from './supervised.ts';

/* One program with PROCESSES=2, which the last test stops. */

let database: TestDatabase;
let program: Program;
let shop: Shop;
beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  program = await startProgram({
    DATABASE_URL: database.url,
    DATABASE_POOL_MAX: '6',
    PROCESSES: '2',
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'info',
  });
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  shop = new Shop(program.url, businessId, apiKey);
});
afterAll(async () => {
  await killAllPrograms();
  await database.drop();
});
vi.setConfig({ testTimeout: 120_000 });

const NAMES = ['api 1', 'api 2', 'worker'];
const PUSHED = 'waypost_http_request_seconds_count{method="POST",route="/api/v1/messages",status="201"}';
let pushes = 0;

/** A push as a careful client makes it: repeated with its key until there is an answer. */
async function pushWithRetries(recipient_email: string): Promise<void> {
  const key = randomUUID();
  const { status } = await eventually(() => shop.push({ recipient_email }, key));
  expect(status).toBe(201);
  pushes += 1;
}

/** Each over a connection of its own, which the supervisor gives to the next process. */
async function getFresh(path: string): Promise<number> {
  const response = await fetch(program.url + path, { headers: { connection: 'close' } });
  await response.text();
  return response.status;
}

test('all processes answer on one port, and the worker beside them sends', async () => {
  for (const path of ['/healthz', '/readyz', '/healthz', '/readyz']) expect(await getFresh(path)).toBe(200);
  await eventually(async () => {
    const served = logLines(program).filter(({ msg }) => msg === 'request served');
    expect(new Set(served.map(({ process }) => process))).toEqual(new Set(['api 1', 'api 2']));
  });
  await Promise.all(Array.from({ length: 20 }, (_, n) => pushWithRetries(`p${n}@example.com`)));
  await eventually(async () => expect(await capturedMessages(program.url)).toHaveLength(20));
  expect(program.printed().match(/listening on/g)).toHaveLength(1);
});

test('/metrics on any process counts for all of them', async () => {
  for (let n = 0; n < 3; n += 1) {
    expect(await metricOf(program.url, PUSHED)).toBe(pushes);
    expect(await metricOf(program.url, 'waypost_processes')).toBe(3);
  }
  await eventually(async () =>
    expect(await metricOf(program.url, 'waypost_sends_total{channel="email",outcome="accepted"}')).toBe(20),
  );
  // The same in every process, so it must not be added up.
  expect(await metricOf(program.url, 'waypost_channel_paused{channel="email"}')).toBe(0);
});

test('a process that is killed is restarted; pushes go on, and the counts do not fall', async () => {
  const counted = await metricOf(program.url, PUSHED);
  const killed = latestPidOf(program, 'api 1');
  const pushing = Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; n < 10; n += 1) await pushWithRetries(`k${lane}-${n}@example.com`);
    }),
  );
  process.kill(killed, 'SIGKILL');
  await pushing;
  expect(await metricOf(program.url, PUSHED)).toBeGreaterThanOrEqual(counted);
  await untilReadyTimes(program, 'api 1', 2);
  expect(latestPidOf(program, 'api 1')).not.toBe(killed);
  expect(logLines(program).filter(({ msg }) => msg === 'process ended')).toMatchObject([
    { process: 'api 1', pid: killed, signal: 'SIGKILL' },
  ]);
  const { rows } = await database.pool.query('select from messages');
  expect(rows).toHaveLength(pushes);
});

test('each process keeps to DATABASE_POOL_MAX', async () => {
  const { rows } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and application_name ~ '^waypost (api|worker|webhooks|listen)'`,
  );
  expect(rows.length).toBeGreaterThan(6);
  expect(rows.length).toBeLessThanOrEqual(NAMES.length * 6);
});

test('SIGTERM answers the pushes in progress, and leaves no process', async () => {
  const pids = NAMES.map((name) => latestPidOf(program, name));
  const before = pushes;
  const { release } = await pauseBeforeCommit(database.pool);
  const updates = Array.from({ length: 8 }, (_, n) => ({
    ...ORDER_UPDATE,
    recipient_email: `late${n}@example.com`,
  }));
  const inProgress = updates.map((update) => shop.push(update));
  await untilPaused(database.pool);
  // The others wait in the processes that received them.
  const bytes = updates.reduce((sum, update) => sum + JSON.stringify(update).length, 0);
  await eventually(async () =>
    expect(await metricOf(program.url, 'waypost_http_held_bytes')).toBeGreaterThanOrEqual(bytes),
  );
  const ended = program.end('SIGTERM');
  await eventually(() => expect(getFresh('/healthz')).rejects.toThrow());
  await release();
  const answers = await Promise.all(inProgress);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const answeredAt = performance.now();
  expect(await ended).toBe(0);
  // Not until connections that are kept alive are cut off, which takes 6 s.
  expect(performance.now() - answeredAt).toBeLessThan(5_000);
  await untilEnded(pids);
  const { rows } = await database.pool.query('select from messages');
  expect(rows).toHaveLength(before + answers.length);
});
