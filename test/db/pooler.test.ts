import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { describeRoute, findRoute } from '../../src/db/route.ts';
import { statement } from '../../src/db/statement.ts';
import { transaction } from '../../src/db/transaction.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { keepsStatements, type PgBouncer, pgBouncerPath, startPgBouncer } from '../support/pgbouncer.ts';
import { startService } from '../support/service.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { expectStatus } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

const path = pgBouncerPath();
if (path === null)
  process.stdout.write('PgBouncer is not installed: its tests are skipped (apt-get install pgbouncer).\n');

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('without a pooler the route is direct', async () => {
  const route = await findRoute(database.url, null);
  expect(route).toEqual({ url: database.url, directUrl: database.url, pooler: null });
  expect(describeRoute(route)).toBeNull();
});

/** PgBouncer from 1.21 on is tried both ways; Debian's has only the first. */
const poolers =
  path === null || !keepsStatements(path)
    ? [{ kind: 'which keeps no prepared statements', keeps: false, settings: {} }]
    : [
        {
          kind: 'which keeps no prepared statements',
          keeps: false,
          settings: { max_prepared_statements: 0 },
        },
        { kind: 'which keeps prepared statements', keeps: true, settings: { max_prepared_statements: 100 } },
      ];

describe.skipIf(path === null).each(poolers)('behind PgBouncer in transaction mode, $kind', (pooler) => {
  let bouncer: PgBouncer;
  let url: string;
  beforeAll(async () => {
    const settings = { default_pool_size: 5, ...pooler.settings };
    bouncer = await startPgBouncer(path ?? '', await clusterUrl(), settings);
    url = bouncer.through(database.url);
  });
  afterAll(() => bouncer.stop());

  test('the pooler is recognised, with what it cannot do, and the probe leaves nothing behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      const route = await findRoute(url, null);
      expect(route).toEqual({ url, directUrl: null, pooler: { namedStatements: pooler.keeps } });
      if (!pooler.keeps) expect(describeRoute(route)).toContain(`connection pooler, ${pooler.kind}`);
      expect(describeRoute({ ...route, directUrl: database.url })).toContain('DATABASE_DIRECT_URL');
    }
    const ours = `select name from pg_prepared_statements where name not like 'PGBOUNCER%'`;
    expect(await runStatements(url, ours)).toEqual([]);
  });

  test('every transaction and every single statement has its timeouts, and leaves none to others', async () => {
    const pool = openPool(await findRoute(url, null), { max: 4, name: 'test', onError: () => {} });
    onTestFinished(() => pool.end());
    const settings = statement<[], Record<string, string>>(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle, current_setting('jit') as jit`,
    );
    const ours = { statement: '10s', lock: '5s', idle: '4s', jit: 'off' };
    expect(await settings(pool)).toEqual([ours]);
    expect(await transaction(pool, (tx) => settings(tx), { planning: 'by_key' })).toEqual([ours]);
    const [stranger] = await runStatements(
      url,
      `select current_setting('statement_timeout') as statement, current_setting('jit') as jit`,
    );
    expect(stranger).toMatchObject({ statement: '0' });
  });

  test('many clients that send the same statements do not mix them up', async () => {
    const route = await findRoute(url, null);
    const pools = Array.from({ length: 4 }, () =>
      openPool(route, { max: 5, name: 'test', onError: () => {} }),
    );
    onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.end()))));
    const add = statement<[a: number, b: number], { sum: number }>('select $1::int + $2::int as sum');
    const sums = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => (await add(pools[n % 4] ?? database.pool, n, 1))[0]?.sum),
    );
    expect(sums).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    const fail = statement<[]>('select 1 / 0');
    await expect(fail(pools[0] ?? database.pool)).rejects.toMatchObject({ code: '22012' });
    expect(await add(pools[0] ?? database.pool, 1, 1)).toEqual([{ sum: 2 }]);
  });

  test('migrations run, one process at a time, and leave no lock behind', async () => {
    const name = 'waypost_pooled_migration';
    const cluster = await clusterUrl();
    await runStatements(cluster, `drop database if exists ${name}`, `create database ${name}`);
    onTestFinished(
      async () => void (await runStatements(cluster, `drop database if exists ${name} with (force)`)),
    );
    const pooled = bouncer.through(databaseUrl(cluster, name));
    const applied = await Promise.all([migrate(pooled), migrate(pooled), migrate(pooled)]);
    expect(applied.filter((files) => files.length > 0)).toHaveLength(1);
    expect(await pendingMigrations(pooled)).toEqual([]);
    expect(
      await runStatements(
        databaseUrl(cluster, name),
        `select from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())`,
      ),
    ).toEqual([]);
  });

  test('the service pushes, nudges without notifications, and says what it found', async () => {
    const service = await startService({}, {}, async (direct) => bouncer.through(direct));
    onTestFinished(() => service.close());
    expect(JSON.stringify(service.logged)).toContain('DATABASE_URL leads to a connection pooler');
    const shop = await service.business({ credits: 10, smsMode: 'on' });
    const pushes = Array.from({ length: 40 }, (_, n) =>
      shop.push({ recipient_email: `person${n}@example.com`, recipient_phone: `+3725555${1000 + n}` }),
    );
    for (const answer of await Promise.all(pushes)) expectStatus(201, answer);
    await eventually(async () => expect((await capturedMessages(service.url)).length).toBe(50));
    const idle = `select from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`;
    await eventually(async () => expect((await service.database.pool.query(idle)).rows).toEqual([]));
  });
});

test.skipIf(path === null)('a session of the pooler that is killed in the middle is replaced', async () => {
  const bouncer = await startPgBouncer(path ?? '', await clusterUrl());
  onTestFinished(() => bouncer.stop());
  const pool = openPool(await findRoute(bouncer.through(database.url), null), {
    max: 2,
    name: 'test',
    onError: () => {},
  });
  onTestFinished(() => pool.end());
  const killing = transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    const killer = new pg.Client({ connectionString: database.url });
    await killer.connect();
    await killer.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await killer.end();
    await tx.query('select 1');
  });
  await expect(killing).rejects.toThrow();
  const one = statement<[], { one: number }>('select 1 as one');
  await eventually(async () => expect(await one(pool)).toEqual([{ one: 1 }]));
});
