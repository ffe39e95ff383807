import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';
import { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

let database: TestDatabase;
beforeAll(buildProgram);
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await killAllPrograms();
  await database.drop();
});
afterAll(killAllPrograms);
vi.setConfig({ testTimeout: 120_000 });

const LANES = 8;
const PUSHES_PER_LANE = 6;
const COUNT_EVERY_MS = 3;

/** Counts everybody's connections to the database except the test's own, all the while. */
async function countConnections(url: string) {
  const client = new Client({ connectionString: url, application_name: 'waypost test' });
  await client.connect();
  let most = 0;
  let last = 0;
  let counting = true;
  const counted = (async () => {
    while (counting) {
      const { rows } = await client.query(
        `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
         and application_name <> 'waypost test'`,
      );
      last = rows.length;
      most = Math.max(most, last);
      await sleep(COUNT_EVERY_MS);
    }
    await client.end();
  })();
  return {
    async stop(): Promise<{ most: number; last: number }> {
      counting = false;
      await counted;
      return { most, last };
    },
  };
}

/** The fewest that a process can have; in the long run also more. */
const POOLS = [6, 13].slice(0, shortOrLong(1, 2));

test.each(POOLS)('with DATABASE_POOL_MAX=%d a busy process never has more connections', async (max) => {
  const received: string[] = [];
  const receiver = await startLoopbackServer(
    createServer(({ headers }, response) => {
      received.push(String(headers['webhook-id']));
      response.end();
    }),
  );
  const connections = await countConnections(database.url);
  const { url } = await startProgram({
    DATABASE_URL: database.url,
    DATABASE_POOL_MAX: String(max),
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    RATE_LIMIT_PER_SECOND: '0',
    WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}`,
  });
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  const shop = new Shop(url, businessId, apiKey);
  await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: `http://127.0.0.1:${receiver.port}/` },
  });

  // Single pushes (every third to the same person), batches, reads and health, all at once.
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const statuses: number[] = [];
    for (let n = 0; n < PUSHES_PER_LANE; n += 1) {
      const recipient_email = n % 3 === 0 ? 'ann@example.com' : `p${lane}-${n}@example.com`;
      statuses.push((await shop.push({ recipient_email })).status);
      statuses.push((await shop.get('/api/v1/messages?limit=20')).status);
    }
    return statuses;
  });
  const batches = Array.from({ length: LANES }, async (_, n) => [
    (await shop.batch([{ recipient_email: 'ann@example.com' }, { recipient_email: `b${n}@example.com` }]))
      .status,
    (await fetch(`${url}/readyz`)).status,
  ]);
  const statuses = (await Promise.all([...lanes, ...batches])).flat();
  expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);

  const messages = LANES * PUSHES_PER_LANE + 2 * LANES;
  await eventually(async () => {
    const { rows } = await database.pool.query(`select from sends where state in ('accepted', 'delivered')`);
    expect(rows).toHaveLength(messages);
  });
  expect((await capturedMessages(url)).length).toBeGreaterThan(0);
  await eventually(async () => expect(new Set(received).size).toBe(messages));
  const { most, last } = await connections.stop();
  expect(most).toBeLessThanOrEqual(max);
  // The load used what it may: with fewer the test would show nothing.
  expect(last).toBeGreaterThanOrEqual(max - 1);
});
