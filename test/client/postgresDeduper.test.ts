import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';

type Handle = (event: { id: string }, client: pg.PoolClient) => unknown;
interface Example {
  processInTransaction(pool: pg.Pool, event: { id: string }, handle: Handle): Promise<boolean>;
}

/** The example, on a database of the shop's own. */
let database: TestDatabase;
let pool: pg.Pool;
let example: Example;
beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  await pool.query(
    'create table waypost_events (id text primary key, at timestamptz not null default now())',
  );
  await pool.query('create table bounced (event_id text not null)');
  example = await import(`../../clients/typescript/examples/${'postgres'}.mjs`);
});
beforeEach(async () => void (await pool.query('truncate waypost_events, bounced')));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const EVENT = { id: 'e1' };
const note: Handle = ({ id }, client) => client.query('insert into bounced (event_id) values ($1)', [id]);
const stored = async () => {
  const { rows } = await pool.query<{ claims: number; bounced: number }>(
    'select (select count(*)::int from waypost_events) as claims, (select count(*)::int from bounced) as bounced',
  );
  return rows[0];
};

test('an event is processed once, with what the handler writes', async () => {
  expect(await example.processInTransaction(pool, EVENT, note)).toBe(true);
  expect(await example.processInTransaction(pool, EVENT, note)).toBe(false);
  expect(await stored()).toEqual({ claims: 1, bounced: 1 });
});

test('a handler that fails leaves no claim and nothing of what it wrote, and the event is processed when it comes again', async () => {
  const failing: Handle = async (event, client) => {
    await note(event, client);
    throw new Error('the warehouse does not answer');
  };
  await expect(example.processInTransaction(pool, EVENT, failing)).rejects.toThrow('the warehouse');
  expect(await stored()).toEqual({ claims: 0, bounced: 0 });
  expect(await example.processInTransaction(pool, EVENT, note)).toBe(true);
  expect(await stored()).toEqual({ claims: 1, bounced: 1 });
});

test('two at once process once: the other waits for the outcome of the first', async () => {
  const slow: Handle = async (event, client) => {
    await note(event, client);
    await sleep(100);
  };
  const both = [1, 2].map(() => example.processInTransaction(pool, EVENT, slow));
  expect((await Promise.all(both)).sort()).toEqual([false, true]);
  expect(await stored()).toEqual({ claims: 1, bounced: 1 });
});

test('if the first of two fails, the other processes', async () => {
  let calls = 0;
  const failingFirst: Handle = async (event, client) => {
    calls += 1;
    const isFirst = calls === 1;
    await note(event, client);
    await sleep(100);
    if (isFirst) throw new Error('the first fails');
  };
  const both = [1, 2].map(() => example.processInTransaction(pool, EVENT, failingFirst));
  const ends = (await Promise.allSettled(both)).map(({ status }) => status);
  expect(ends.sort()).toEqual(['fulfilled', 'rejected']);
  expect(await stored()).toEqual({ claims: 1, bounced: 1 });
});
