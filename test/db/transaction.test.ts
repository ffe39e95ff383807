import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { allowLongStatements, statement } from '../../src/db/statement.ts';
import { TransactionEnd, transaction, writeNow } from '../../src/db/transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTestBusiness } from '../support/rows.ts';

let database: TestDatabase;

const insert = statement<[number: number], { number: number }>(
  'insert into written (number) values ($1) returning number',
);
const written = async (): Promise<number[]> =>
  (await database.pool.query('select number from written order by number')).rows.map(({ number }) => number);

beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query('create table written (number integer primary key)');
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('truncate written');
});

test('a statement that fails outside of a transaction leaves its connection open: a new one would plan everything again', async () => {
  const pool = openPool(database.url, { max: 1, name: 'test', onError: () => {} });
  onTestFinished(() => pool.end());
  const readBackend = statement<[], { pid: number }>('select pg_backend_pid() as pid');
  const before = await readBackend(pool);
  await expect(statement('select 1 / 0')(pool)).rejects.toThrow('division by zero');
  expect(await readBackend(pool)).toEqual(before);
});

describe('final writes', () => {
  test('are committed, and their rows make the result', async () => {
    const result = await transaction(database.pool, async () =>
      TransactionEnd.finalWrites((send) => {
        const first = send(insert, 1);
        const second = send(insert, 2);
        return () => [...first(), ...second()].map(({ number }) => number);
      }),
    );
    expect(result).toEqual([1, 2]);
    expect(await written()).toEqual([1, 2]);
  });

  test('cannot wait: an asynchronous function does not compile', () => {
    // @ts-expect-error The function must return at once how to read the result.
    TransactionEnd.finalWrites(async (send) => {
      send(insert, 1);
    });
  });

  test('show no rows before everything has succeeded', async () => {
    const tooEarly = transaction(database.pool, async () =>
      TransactionEnd.finalWrites((send) => {
        const first = send(insert, 1);
        first();
        return () => null;
      }),
    );
    await expect(tooEarly).rejects.toThrow('read before the commit');
    expect(await written()).toEqual([]);
  });

  test('are rolled back together when one fails, with the error of the first that failed', async () => {
    const failing = transaction(database.pool, async () =>
      TransactionEnd.finalWrites((send) => {
        send(insert, 1);
        send(insert, 1);
        return send(insert, 3);
      }),
    );
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await written()).toEqual([]);
    expect(await database.pool.query('select 1')).toMatchObject({ rowCount: 1 });
  });

  test('can also be sent in the middle of a transaction', async () => {
    await transaction(database.pool, async (tx) => {
      const number = await writeNow(tx, (send) => {
        const row = send(insert, 1);
        return () => row()[0]?.number;
      });
      expect(number).toBe(1);
      await insert(tx, 2);
    });
    expect(await written()).toEqual([1, 2]);
  });
});

test('longer limits hold where the rows are, also on a worker of a cluster, until the transaction ends', async () => {
  await insertTestBusiness(database.pool, new Date());
  const limits = statement<[], { statement: string; lock: string }>(
    `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock from businesses`,
  );
  const longer = await transaction(database.pool, async (tx) => {
    await allowLongStatements(tx, { statementMs: 600_000, lockMs: 30_000 });
    return limits(tx);
  });
  expect(longer).toEqual([{ statement: '10min', lock: '30s' }]);
  expect(await limits(database.pool)).toMatchObject([{ lock: '5s' }]);
});

test('a result without final writes is committed, or rolled back when the work throws', async () => {
  expect(await transaction(database.pool, async (tx) => (await insert(tx, 1))[0]?.number)).toBe(1);
  const failing = transaction(database.pool, async (tx) => {
    await insert(tx, 2);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await written()).toEqual([1]);
});

test('work that only read is answered, and its connection returns to the pool', async () => {
  for (let i = 0; i < 30; i += 1)
    expect(await transaction(database.pool, async () => TransactionEnd.readOnly(i))).toBe(i);
  await expect.poll(() => database.pool.idleCount).toBe(database.pool.totalCount);
});

describe('work that loses a race', () => {
  const losing = (races: number) => {
    let runs = 0;
    return async (tx: Parameters<typeof insert>[0]) => {
      runs += 1;
      await insert(tx, 1);
      if (runs <= races) await insert(tx, 1);
      return runs;
    };
  };

  test('is run again, as often as allowed', async () => {
    expect(await transaction(database.pool, losing(2), { attempts: 3 })).toBe(3);
    expect(await written()).toEqual([1]);
  });

  test('fails with the conflict after the last attempt', async () => {
    await expect(transaction(database.pool, losing(3), { attempts: 3 })).rejects.toMatchObject({
      code: '23505',
    });
    expect(await written()).toEqual([]);
  });

  test('is run once unless it asks for more', async () => {
    await expect(transaction(database.pool, losing(1))).rejects.toMatchObject({ code: '23505' });
  });

  test('is not confused with work that fails', async () => {
    let runs = 0;
    const failing = transaction(
      database.pool,
      async () => {
        runs += 1;
        throw new Error('no');
      },
      { attempts: 5 },
    );
    await expect(failing).rejects.toThrow('no');
    expect(runs).toBe(1);
  });
});
