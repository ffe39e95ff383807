import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distributeDatabase, planDistribution } from '../../src/db/cluster/distribute.ts';
import { recogniseCluster } from '../../src/db/cluster/shards.ts';
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from '../../src/db/cluster/tables.ts';
import { closeAtOnce } from '../../src/db/driver.ts';
import { migrate } from '../../src/db/migrate.ts';
import { isOnCluster, openPool } from '../../src/db/pool.ts';
import { openConsole } from '../cli/console.ts';
import { addressesOf, CITUS_URL, dropCitusDatabase, makeCitusDatabase } from '../support/citus.ts';
import { runStatements } from '../support/cluster.ts';
import { testDatabase } from '../support/database.ts';

const SHARDS = 4;

const recognised = async (url: string): Promise<boolean> => {
  const pool = openPool(url, { max: 1, name: 'test', onError: () => {} });
  try {
    const found = await recogniseCluster(pool);
    expect(isOnCluster(pool)).toBe(found);
    return found;
  } finally {
    await pool.end();
  }
};

test.skipIf(CITUS_URL !== undefined)(
  'a Postgres without Citus is not taken for a cluster, and cannot be distributed',
  async () => {
    const database = await testDatabase();
    try {
      expect(await recognised(database.url)).toBe(false);
      await expect(planDistribution(database.url)).rejects.toThrow('This Postgres has no Citus');
    } finally {
      await database.drop();
    }
  },
);

describe.skipIf(!CITUS_URL)('an existing database on the coordinator of a cluster', () => {
  const coordinator = CITUS_URL ?? '';
  const name = 'waypost_distribute';
  let url = '';

  beforeAll(async () => {
    await dropCitusDatabase(coordinator, name);
    url = await makeCitusDatabase(coordinator, name);
    await migrate(url);
    await runStatements(
      url,
      `insert into businesses (id, name, created_at) select 'b' || n, 'Shop', now() from generate_series(1, 50) n`,
      `insert into recipients (business_id, id, email, created_at) select id, 'r', 'a@example.com', now() from businesses`,
      `insert into members (id, email, created_at) values ('m', 'm@example.com', now())`,
      `insert into memberships (business_id, member_id, role, created_at) select id, 'm', 'owner', now() from businesses`,
    );
  });
  afterAll(() => dropCitusDatabase(coordinator, name));

  test('is one Postgres until it is distributed; the plan names every table and changes nothing', async () => {
    const { steps, workers } = await planDistribution(url);
    expect(steps).toHaveLength(1 + DISTRIBUTED_TABLES.length + REFERENCE_TABLES.length);
    expect(workers).toBeGreaterThan(1);
    const plan = await openConsole(url).json('cluster', 'distribute', '--plan');
    expect(plan).toMatchObject({ workers, would_do: steps });
    expect(await recognised(url)).toBe(false);
  });

  test('is not distributed while a process of Waypost is connected', async () => {
    const client = new pg.Client({ connectionString: url, application_name: 'waypost api' });
    await client.connect();
    try {
      await expect(distributeDatabase(url, SHARDS)).rejects.toThrow('stop all of its processes first');
    } finally {
      await client.end();
    }
  });

  test('keeps its rows, on all workers and no longer on the coordinator, and is recognised', async () => {
    const { steps } = await planDistribution(url);
    const done = await openConsole(url).json('cluster', 'distribute', '--shards', String(SHARDS));
    expect(done).toMatchObject({ done: steps });
    expect(await recognised(url)).toBe(true);
    const counts = await runStatements(
      url,
      `select (select count(*) from recipients)::int as recipients, (select count(*) from memberships)::int as memberships,
        (select count(distinct nodeport) from citus_shards where table_name = 'recipients'::regclass)::int as nodes`,
    );
    expect(counts).toEqual([
      { recipients: 50, memberships: 50, nodes: (await planDistribution(url)).workers },
    ]);
    const limits = await runStatements(
      url,
      `select distinct result from run_command_on_workers('select current_setting(''lock_timeout'') || current_setting(''tcp_keepalives_idle'')')`,
    );
    expect(limits).toEqual([{ result: '5s10' }]);
  });

  test('ends a statement that hangs on a worker with its time limit, and one whose coordinator is gone', async () => {
    const countSleeping = (): Promise<unknown[]> =>
      runStatements(
        url,
        `select sum(result::int)::int as sleeping from run_command_on_workers($$select count(*) from pg_stat_activity
          where datname = current_database() and state = 'active' and query ilike 'select pg_sleep%'$$)`,
      );
    const pool = openPool(url, { max: 1, name: 'test', statementTimeoutMs: 3_000, onError: () => {} });
    const limited = pool.query(`select pg_sleep(600) from businesses where id = 'b1'`);
    await Promise.all([
      expect(limited).rejects.toMatchObject({ code: '57014' }),
      expect.poll(countSleeping).toEqual([{ sleeping: 1 }]),
    ]).finally(() => pool.end());
    await expect.poll(countSleeping).toEqual([{ sleeping: 0 }]);

    const [, worker] = await addressesOf(coordinator, name);
    const session = new pg.Client({ connectionString: worker });
    session.on('error', () => {});
    await session.connect();
    session.query('select pg_sleep(600)').catch(() => {});
    await expect.poll(countSleeping).toEqual([{ sleeping: 1 }]);
    closeAtOnce(session);
    await expect.poll(countSleeping).toEqual([{ sleeping: 0 }]);
  });

  test('is left alone by another run', async () => {
    const again = await openConsole(url).run('cluster', 'distribute');
    expect(again).toMatchObject({ code: 0, out: 'All tables are distributed.\n' });
  });

  test('a table that a migration made is distributed by the next start, if that migration was cut off', async () => {
    await runStatements(
      url,
      'drop table subject_words',
      'create table subject_words (business_id text collate "C", word text)',
    );
    expect((await planDistribution(url)).steps).toEqual([
      { table: 'subject_words', how: 'sharded by business' },
    ]);
    expect(await migrate(url)).toEqual([]);
    expect((await planDistribution(url)).steps).toEqual([]);
  });
});
