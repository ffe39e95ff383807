import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpSchema } from '../../scripts/schemaDump.ts';
import { withClient } from '../../src/db/client.ts';
import { distributeDatabase, planDistribution } from '../../src/db/cluster/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS, migrationNames, SCHEMA_CHANGE_SETTINGS } from '../../src/db/migrationFiles.ts';
import { splitStatements } from '../../src/db/splitStatements.ts';
import { CLUSTER_EXAMPLES } from '../db/clusterExamples.ts';
import {
  addressesOf,
  CITUS_URL,
  dropCitusDatabase,
  makeCitusDatabase,
  onEveryNode,
} from '../support/citus.ts';
import { runStatements } from '../support/cluster.ts';
import { NEXT_MIGRATIONS } from '../support/nextMigrations.ts';

const SHARDS = 4;

/** The files after this one make sharded, copied and local tables, which refer to each other and to the tables before them. */
const DISTRIBUTED_AFTER = '0004_recipients.sql';

/** SQLSTATE of what is not supported, and of a definition that is not. */
const CITUS_REFUSES = expect.stringMatching(/^(?:0A000|42P16)$/);

/**
 * The tables of a node, with the shards. A shard has its number in its name and in those of its indexes, and its constraints have
 * it only if they are younger than the shard.
 */
const tablesAt = (connectionString: string): Promise<Set<string>> =>
  withClient({ connectionString }, async (client) => {
    await client.query('set citus.override_table_visibility = off');
    const tables = (await dumpSchema(client))
      .replaceAll(/_\d{6}\b/g, '')
      .trim()
      .split('\n\n');
    return new Set(tables.map((table) => table.replaceAll(/,$/gm, '').split('\n').sort().join('\n')));
  });

describe.skipIf(!CITUS_URL)('migrations of a database that is distributed', () => {
  const coordinator = CITUS_URL ?? '';
  const [migratedLater, migratedFirst] = ['waypost_migrated_later', 'waypost_migrated_first'];
  let folder = '';
  let url = '';
  const add = (name: string, sql: string): Promise<void> => writeFile(join(folder, `${name}.sql`), sql);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-migrations-'));
    const files = await readdir(MIGRATIONS);
    for (const file of files.filter((file) => file <= DISTRIBUTED_AFTER))
      await cp(join(MIGRATIONS, file), join(folder, file));
    for (const name of [migratedLater, migratedFirst]) await dropCitusDatabase(coordinator, name);
    url = await makeCitusDatabase(coordinator, migratedLater);
    await migrate(url, folder);
    await runStatements(
      url,
      `insert into businesses (id, name, created_at) select 'b' || n, 'Shop', now() from generate_series(1, 50) n`,
      `insert into recipients (business_id, id, email, created_at) select id, 'r', 'a@example.com', now() from businesses`,
    );
    await distributeDatabase(url, SHARDS);
    await cp(MIGRATIONS, folder, { recursive: true });
    for (const [name, sql] of Object.entries(NEXT_MIGRATIONS)) await add(name, sql);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    for (const name of [migratedLater, migratedFirst]) await dropCitusDatabase(coordinator, name);
  });

  test('lead to the same tables and shards on every node as if it had been distributed after them', async () => {
    expect(await migrate(url, folder)).toEqual(
      (await migrationNames(folder)).filter((name) => `${name}.sql` > DISTRIBUTED_AFTER),
    );
    expect((await planDistribution(url)).steps).toEqual([]);
    const first = await makeCitusDatabase(coordinator, migratedFirst);
    await migrate(first, folder);
    await distributeDatabase(first, SHARDS);
    const [ofLater, ofFirst] = await Promise.all(
      [migratedLater, migratedFirst].map(async (name) =>
        Promise.all((await addressesOf(coordinator, name)).map(tablesAt)),
      ),
    );
    expect(ofLater).toEqual(ofFirst);
    expect(await runStatements(url, `select count(*)::int as recipients from recipients`)).toEqual([
      { recipients: 50 },
    ]);
  });

  test('may change a sharded table and the copied one that it refers to, and make a table that refers to both kinds', async () => {
    await add(
      '0201_notes',
      `alter table memberships add column note text collate "C";
      insert into members (id, email, created_at) values ('m', 'm@example.com', now());
      create table notes (business_id text collate "C" references businesses, member_id text collate "C" references members);
      create index notes_by_member on notes (member_id);`,
    );
    expect(await migrate(url, folder)).toEqual(['0201_notes']);
  });

  test.each(CLUSTER_EXAMPLES)('are judged by our rules as by Citus: $name', async ({ sql, fault }) => {
    const apply = withClient({ connectionString: url }, async (client) => {
      const made = /create table (\w+)/.exec(sql)?.[1];
      await client.query('begin');
      for (const setting of SCHEMA_CHANGE_SETTINGS) await client.query(setting);
      if (made !== undefined) await client.query(`drop table ${made}`);
      for (const statement of splitStatements(sql)) await client.query(statement);
      if (made !== undefined)
        await client.query(
          `select create_distributed_table('${made}', 'business_id', colocate_with := 'businesses')`,
        );
    });
    if (fault === null) await apply;
    else await expect(apply).rejects.toMatchObject({ code: CITUS_REFUSES });
  });

  test('make way on a worker too for others who want a locked table, and are applied once it is free', async () => {
    await add('0202_note', 'alter table recipients add column note text collate "C";');
    // So that the wait can only end by the limit of the migration.
    await onEveryNode(coordinator, `alter database ${migratedLater} set lock_timeout = 0`);
    const [, worker = ''] = await addressesOf(coordinator, migratedLater);
    await withClient({ connectionString: worker }, async (backup) => {
      const { rows } = await backup.query<{ shard: string }>(`
        select shard_name as shard from citus_shards
        where table_name = 'recipients'::regclass and nodeport = inet_server_port()`);
      await backup.query('begin');
      await backup.query(`select from ${rows[0]?.shard}`);
      const countWaiting = async (): Promise<unknown[]> =>
        runStatements(
          worker,
          `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
          where not granted and datname = current_database()`,
        );
      const migrating = migrate(url, folder);
      await expect.poll(countWaiting).toEqual([{ waiting: 1 }]);
      await expect.poll(countWaiting).toEqual([{ waiting: 0 }]);
      await backup.query('commit');
      expect(await migrating).toContain('0202_note');
    });
  });
});
