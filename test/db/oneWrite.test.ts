import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../../src/db/pool.ts';
import { probe } from '../../src/db/sql.ts';
import { TransactionEnd, transaction } from '../../src/db/transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** How often something leaves for the database while `work` runs. */
async function writesOf({ connection: { stream } }: Client, work: () => Promise<unknown>): Promise<number> {
  const one = vi.spyOn(stream, '_write');
  const several = vi.spyOn(stream, '_writev');
  await work();
  const writes = one.mock.calls.length + several.mock.calls.length;
  one.mockRestore();
  several.mockRestore();
  return writes;
}

test('statements issued in one turn of the event loop are sent in one write', async () => {
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  const together = () => Promise.all([client.query('select 1'), client.query('select 2')]);
  expect(await writesOf(client, together)).toBe(1);
  const inTurn = async () => {
    await client.query('select 1');
    await client.query('select 2');
  };
  expect(await writesOf(client, inTurn)).toBe(2);
});

test('a transaction is sent in two writes: BEGIN with its reads, and its last statements with COMMIT', async () => {
  const client = await database.pool.connect();
  const pool = Object.assign(Object.create(database.pool), { connect: async () => client });
  const writes = await writesOf(client, () =>
    transaction(pool, async (tx) => {
      await Promise.all([tx.query('select 1'), tx.query('select 2')]);
      return TransactionEnd.finalWrites((send) => {
        send(probe);
        return send(probe);
      });
    }),
  );
  expect(writes).toBe(2);
});
