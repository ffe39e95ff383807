import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { closeAtOnce, processIdOf, sendWithoutNames, watchTraffic } from '../../src/db/driver.ts';
import type { Client } from '../../src/db/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/* What db/driver.ts relies on in the driver. That a turn of the event loop is one write is shown by oneWrite.test.ts. */

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function connected(): Promise<Client> {
  const client = await database.pool.connect();
  client.on('error', () => {});
  onTestFinished(() => client.release(true));
  return client;
}

test('a connection knows its process id as the server does', async () => {
  const client = await connected();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  expect(processIdOf(client)).toBe(rows[0]?.pid);
});

test('what is sent is seen before each answer, and that none is awaited any more', async () => {
  const client = await connected();
  const seen: string[] = [];
  watchTraffic(client, {
    onSent: () => seen.push('sent'),
    onAnswered: () => seen.push('answered'),
    onIdle: () => seen.push('idle'),
  });
  await Promise.all([client.query('select 1'), client.query({ name: 'two', text: 'select 2' })]);
  const [first, ...others] = seen;
  expect(first).toBe('sent');
  expect(others.filter((one) => one !== 'sent').sort()).toEqual(['answered', 'answered', 'idle']);
});

test('a connection that is closed fails the statements that wait, with the reason that was given', async () => {
  const client = await connected();
  const waiting = [client.query('select pg_sleep(60)'), client.query('select 1')];
  const reason = new Error('it fell silent');
  closeAtOnce(client, reason);
  for (const result of await Promise.allSettled(waiting))
    expect(result).toEqual({ status: 'rejected', reason });
});

test('without names, nothing is prepared at the server', async () => {
  const client = await connected();
  const prepared = async () => (await client.query('select name from pg_prepared_statements')).rows;
  await client.query({ name: 'kept', text: 'select $1::int', values: [1] });
  expect(await prepared()).toEqual([{ name: 'kept' }]);
  sendWithoutNames(client);
  const { rows } = await client.query({ name: 'not kept', text: 'select $1::int as n', values: [2] });
  expect(rows).toEqual([{ n: 2 }]);
  expect(await prepared()).toEqual([{ name: 'kept' }]);
});
