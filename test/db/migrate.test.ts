import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasPendingMigrations, migrate, pendingMigrations, planMigrations } from '../../src/db/migrate.ts';
import { MIGRATIONS, migrationNames } from '../../src/db/migrationFiles.ts';
import type { Pool } from '../../src/db/pool.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { VERSION } from '../../src/kit/version.ts';
import { openConsole } from '../cli/console.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { eventually } from '../support/waiting.ts';

/* Runs real migrations, those of the program and a few written here, on a real Postgres. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-migrations-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a later migration', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeEach(async () => {
    database = await testDatabase();
    pool = database.pool;
    await cp(MIGRATIONS, folder, { recursive: true });
  });
  afterEach(() => database.drop());

  const add = (name: string, sql: string): Promise<void> => writeFile(join(folder, `${name}.sql`), sql);
  const indexIsValid = async (name: string): Promise<boolean | undefined> => {
    const { rows } = await pool.query<{ indisvalid: boolean }>(
      'select indisvalid from pg_index where indexrelid = to_regclass($1)',
      [name],
    );
    return rows[0]?.indisvalid;
  };

  test('is applied by one of several processes that start at once, also where it builds an index concurrently', async () => {
    await add('0101_index', '-- Why.\ncreate index concurrently sends_by_country on sends (country);');
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, folder)));
    expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [], ['0101_index']]);
    expect(await indexIsValid('sends_by_country')).toBe(true);
  });

  test('builds its index anew after it failed and left an invalid one', async () => {
    await pool.query(`insert into country_prices (country, credits) values ('EE', 2), ('FI', 2)`);
    await add('0101_index', 'create unique index concurrently prices_once on country_prices (credits);');
    await expect(migrate(database.url, folder)).rejects.toThrow(/prices_once/);
    expect(await indexIsValid('prices_once')).toBe(false);
    await pool.query(`update country_prices set credits = 3 where country = 'FI'`);
    expect(await migrate(database.url, folder)).toEqual(['0101_index']);
    expect(await indexIsValid('prices_once')).toBe(true);
    await add('0102_no_index', 'DROP INDEX CONCURRENTLY IF EXISTS prices_once;');
    expect(await migrate(database.url, folder)).toEqual(['0102_no_index']);
    expect(await indexIsValid('prices_once')).toBeUndefined();
  });

  test('that fails leaves nothing of its own behind, keeps the files before it, and runs when it is mended', async () => {
    await add('0101_good', 'create table good (id integer);');
    await add('0102_bad', 'create table half (id integer); select 1 / 0;');
    await expect(migrate(database.url, folder)).rejects.toThrow('division by zero');
    const { rows } = await pool.query(
      `select to_regclass('good') is not null as good, to_regclass('half') as half`,
    );
    expect(rows).toEqual([{ good: true, half: null }]);
    await add('0102_bad', 'create table half (id integer);');
    expect(await migrate(database.url, folder)).toEqual(['0102_bad']);
  });

  test('waits for a table without keeping others from it, and is applied once the table is free', async () => {
    await add('0101_column', 'alter table country_prices add column note text collate "C";');
    const backup = await pool.connect();
    await backup.query('begin');
    await backup.query('lock table country_prices in access share mode');
    const migrating = migrate(database.url, folder);
    try {
      await eventually(async () => {
        const { rows } = await pool.query(
          `select from pg_locks where relation = 'country_prices'::regclass and not granted`,
        );
        expect(rows).toHaveLength(1);
      });
      // Behind the migration in the queue, which makes way although the backup goes on.
      await pool.query('select from country_prices');
    } finally {
      await backup.query('commit');
      backup.release();
    }
    expect(await migrating).toEqual(['0101_column']);
  });

  test('is seen by a running process until it is applied, without a further connection', async () => {
    expect(await hasPendingMigrations(pool)).toBe(false);
    await pool.query('delete from schema_migrations where id = (select max(id) from schema_migrations)');
    expect(await hasPendingMigrations(pool)).toBe(true);
    await pool.query('drop table schema_migrations');
    expect(await hasPendingMigrations(pool)).toBe(true);
  });

  test('keeps a version that does not know it from starting, and names the version that wrote it', async () => {
    await add('0101_table', 'create table later (id integer);');
    await migrate(database.url, folder);
    const sentence = (writer: string): string =>
      `The schema of the database was written by ${writer}, and this is Waypost ${VERSION}, which does not know 0101_table: start the version that wrote it, or a later one.`;
    await expect(migrate(database.url)).rejects.toThrow(
      new OperatorError(sentence(`a later build of Waypost ${VERSION}`)),
    );
    for (const [version, writer] of [
      ['0.9.0', 'Waypost 0.9.0'],
      [null, 'a newer version of Waypost'],
    ] as const) {
      await pool.query(`update schema_migrations set written_by = $1 where name = '0101_table'`, [version]);
      await expect(migrate(database.url)).rejects.toThrow(new OperatorError(sentence(writer)));
      await expect(pendingMigrations(database.url)).rejects.toThrow(new OperatorError(sentence(writer)));
      expect(await openConsole(database.url).mistake('migrate', '--plan')).toBe(sentence(writer));
      expect(await openConsole(database.url).mistake('business', 'list')).toBe(sentence(writer));
    }
    // A process that runs already is not disturbed.
    expect(await hasPendingMigrations(pool)).toBe(false);
  });

  test('is recorded with the version that applied it, also where a later file failed', async () => {
    await add('0101_good', 'create table good (id integer);');
    await add('0102_bad', 'select 1 / 0;');
    await expect(migrate(database.url, folder)).rejects.toThrow('division by zero');
    const { rows } = await pool.query(
      `select distinct written_by from schema_migrations where name in ('0001_installation', '0101_good')`,
    );
    expect(rows).toEqual([{ written_by: VERSION }]);
  });

  test('is shown by a plan, which changes nothing', async () => {
    const cli = openConsole(database.url);
    expect(await cli.text('migrate', '--plan')).toBe('The database is up to date.\n');
    await add('0101_table', '-- A table of notes. With more to say.\ncreate table notes (id integer);');
    await add('0102_index', '-- Found by name:\ncreate index concurrently notes_by_id on notes (id);');
    const plan = [
      { name: '0101_table', in_transaction: true, about: 'A table of notes.' },
      { name: '0102_index', in_transaction: false, about: 'Found by name.' },
    ];
    expect(await planMigrations(database.url, folder)).toEqual(plan);
    expect(await planMigrations(database.url, folder)).toEqual(plan);
    expect(await migrate(database.url, folder)).toEqual(['0101_table', '0102_index']);
    expect(await planMigrations(database.url, folder)).toEqual([]);
  });
});

describe('an empty database', () => {
  const name = `waypost_empty_${randomBytes(6).toString('hex')}`;
  let url: string;
  beforeEach(async () => {
    await runStatements(await clusterUrl(), `CREATE DATABASE ${name}`);
    url = databaseUrl(await clusterUrl(), name);
  });
  afterEach(async () => runStatements(await clusterUrl(), `DROP DATABASE ${name} WITH (FORCE)`));

  test('has a plan, which lists everything and leaves it empty', async () => {
    const { pending } = await openConsole(url).json('migrate', '--plan');
    expect(pending).toEqual(
      expect.arrayContaining([
        { name: '0001_installation', in_transaction: true, about: expect.stringMatching(/^What belongs to/) },
      ]),
    );
    const listed = await openConsole(url).text('migrate', '--plan');
    expect(listed).toMatch(/^WOULD APPLY +HOW +WHAT\n0001_installation +in a transaction +What belongs/);
    expect(await runStatements(url, `select tablename from pg_tables where schemaname = 'public'`)).toEqual(
      [],
    );
  });

  test('whose first migration failed is migrated by the next start', async () => {
    await writeFile(join(folder, '0001_installation.sql'), 'select 1 / 0;');
    await expect(migrate(url, folder)).rejects.toThrow('division by zero');
    expect(await migrate(url)).toEqual(await migrationNames(MIGRATIONS));
    expect(await pendingMigrations(url)).toEqual([]);
  });
});
