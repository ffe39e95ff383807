import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NEXT_MIGRATIONS } from '../support/nextMigrations.ts';
import { CLUSTER_EXAMPLES } from './clusterExamples.ts';
import { clusterFaults } from './clusterRules.ts';
import { migrationFaults } from './migrationRules.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

/** The files of the first release: they create the schema, and no earlier version runs meanwhile. */
const FIRST_RELEASE = [
  '0001_installation.sql',
  '0002_businesses.sql',
  '0003_credits_and_usage.sql',
  '0004_recipients.sql',
  '0005_messages.sql',
  '0006_inbox.sql',
  '0007_events_and_webhooks.sql',
  '0008_dashboard.sql',
  '0009_sandbox.sql',
];

const files = readdirSync(FOLDER)
  .filter((file) => file !== 'schema.sql')
  .sort();

const RELEASED = [
  ...readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8').matchAll(
    /^## \[(\d+\.\d+\.\d+)\]/gm,
  ),
].map(([, version]) => version ?? '');

const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');

test('the files of the first release come first, and every file has a number of its own', () => {
  expect(files.slice(0, FIRST_RELEASE.length)).toEqual(FIRST_RELEASE);
  expect(files.filter((file) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(file))).toEqual([]);
  expect(new Set(files.map((file) => file.slice(0, 4))).size).toBe(files.length);
});

test('every later migration is safe while the previous version runs', () => {
  const later = files.slice(FIRST_RELEASE.length);
  const faults = later.flatMap((file) =>
    migrationFaults(textOf(file), RELEASED).map((fault) => `${file}: ${fault}`),
  );
  expect(faults).toEqual([]);
});

test('every migration can be applied to a database that is distributed', () => {
  const faults = files.flatMap((file) => clusterFaults(textOf(file)).map((fault) => `${file}: ${fault}`));
  expect(faults).toEqual([]);
});

test('the migrations that stand for a next release keep to both rules', () => {
  for (const sql of Object.values(NEXT_MIGRATIONS))
    expect([...migrationFaults(sql, RELEASED), ...clusterFaults(sql)]).toEqual([]);
});

// test/cluster/migrations.test.ts shows that Citus agrees.
test.each(CLUSTER_EXAMPLES)('on a cluster: $name', ({ sql, fault }) => {
  expect(clusterFaults(sql)).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
});

test.each([
  [
    'a new table with its indexes',
    'create table notes (id integer primary key, business_id text not null references businesses); create index notes_by_business on notes (business_id);',
  ],
  [
    'rows of a new table',
    "create table tags (name text not null unique); insert into tags values ('a;b'), ('drop table sends');",
  ],
  ['rows of a known number', "insert into country_prices (country, credits) values ('EE', 2);"],
  [
    'a table that is altered where it was created',
    'create table notes (body text); alter table notes alter column body set storage external, alter column body set not null;',
  ],
  ['a column that may be null', 'alter table sends add column note text collate "C";'],
  [
    'a column with a constant default',
    "ALTER TABLE public.sends ADD COLUMN tries smallint NOT NULL DEFAULT 0, ADD tags text[] not null default '{}'::text[];",
  ],
  [
    'an index built concurrently',
    '-- Why; and how.\ncreate index concurrently sends_by_country on sends (country) where country is not null;',
  ],
  [
    'a constraint that is not yet checked',
    "alter table sends add constraint sends_country_check check (country ~ '^[A-Z]{2}$') not valid;",
  ],
  [
    'a check that allows one more value',
    "alter table sends drop constraint sends_channel_check; alter table sends add constraint sends_channel_check check (channel in ('email', 'push')) not valid;",
  ],
  [
    'a constraint that is checked in a file of its own',
    'alter table sends validate constraint sends_country_check;',
  ],
  [
    'storage settings',
    "alter table sends set (fillfactor = 60), alter column reason set compression pglz, alter column reason set default 'none';",
  ],
  ['a removal that names a release', '-- unused since 0.2.0\nalter table sends drop column about;'],
  [
    'a table removed after a release',
    '/* Notes; */ -- unused since 0.2.0: nothing reads it.\ndrop table notes;',
  ],
  [
    'an index removed after a release',
    '-- unused since 0.2.0\ndrop index concurrently if exists sends_by_country;',
  ],
])('allowed: %s', (_name, sql) => {
  expect(migrationFaults(sql, ['0.1.0', '0.2.0'])).toEqual([]);
});

test.each([
  ['rename a table', 'alter table sends rename to jobs;', 'old name'],
  ['rename a column', 'alter table sends rename column about to topic;', 'old name'],
  ['rename a column without the word', 'alter table sends rename about to topic;', 'old name'],
  ['rename a constraint', 'alter table sends rename constraint sends_check to sends_credits;', 'old name'],
  ['rename a type', 'alter type mood rename to moods;', 'old name'],
  ['rename an index', 'alter index sends_due rename to sends_by_due;', 'old name'],
  ['drop a table', 'drop table sends;', 'may use the table'],
  ['drop a column', 'alter table sends drop column about;', 'may use the column'],
  ['drop a column without the word', 'alter table "sends" drop "about" cascade;', 'may use the column'],
  [
    'drop a column beside a harmless action',
    'alter table sends add column a integer, drop column about;',
    'may use the column',
  ],
  [
    'drop for a release that is not out',
    '-- unused since 0.3.0\nalter table sends drop column about;',
    'may use the column',
  ],
  [
    'excuse two removals by one comment',
    '-- unused since 0.2.0\nalter table sends drop column about; alter table sends drop column lease;',
    'drop column lease',
  ],
  ['drop a default', 'alter table sends alter column attempts drop default;', 'leave the column out'],
  ['drop not null', 'alter table sends alter attempts drop not null;', 'not expect null'],
  ['drop a key', 'alter table sends drop constraint sends_pkey;', 'rely on the constraint'],
  ['change a type', 'alter table sends alter column attempts type bigint;', 'Rewrites'],
  ['change a type in the long form', 'alter table sends\n  alter attempts set data type bigint;', 'Rewrites'],
  ['set not null', 'alter table sends alter column country set not null;', 'not valid'],
  [
    'excuse what is no removal',
    '-- unused since 0.2.0\nalter table sends alter column country set not null;',
    'not valid',
  ],
  [
    'add a column that must be given',
    'alter table sends add column note text not null;',
    'give it a default',
  ],
  [
    'add a column whose default is null',
    'alter table sends add note text not null default null;',
    'give it a default',
  ],
  [
    'add a column with a computed default',
    'alter table sends add column token uuid not null default gen_random_uuid();',
    'constant default',
  ],
  ['add a column with an index', 'alter table sends add column token text unique;', 'add the column alone'],
  [
    'add a column with a check',
    'alter table sends add column n integer check (n > 0);',
    'add the column alone',
  ],
  ['add a numbered column', 'alter table sends add column n bigserial;', 'add the column alone'],
  ['add a constraint at once', 'alter table sends add constraint c check (credits > 0);', 'not valid'],
  ['add a unique constraint', 'alter table sends add unique (lease);', 'concurrently'],
  [
    'add and validate in one transaction',
    'alter table sends add constraint c check (credits > 0) not valid; alter table sends validate constraint c;',
    'alone',
  ],
  ['build an index under a lock', 'create index sends_by_country on sends (country);', 'concurrently'],
  [
    'build a unique index under a lock',
    'create unique index if not exists x on public.sends (country);',
    'concurrently',
  ],
  [
    'build an index concurrently beside another statement',
    'create table a (id integer); create index concurrently x on sends (country);',
    'alone',
  ],
  [
    'build an index concurrently on a new table',
    'create table a (id integer); create index concurrently x on a (id);',
    'alone',
  ],
  ['drop an index under a lock', '-- unused since 0.2.0\ndrop index sends_due;', 'drop index concurrently'],
  ['drop an index that is in use', 'drop index concurrently if exists sends_due;', 'need the index'],
  [
    'alter two tables',
    'alter table sends add column a integer; alter table messages add column a integer;',
    'several tables',
  ],
  ['update rows', "update sends set reason = 'x';", 'batches'],
  ['delete rows', 'delete from sends;', 'batches'],
  ['copy rows', 'insert into country_prices select country, 1 from sends;', 'batches'],
  ['copy a table', 'create table copies as select * from sends;', 'Copies'],
  ['create a table that may be there', 'create table if not exists sends (id integer);', 'is there already'],
  ['hide in a block', 'do $$ begin drop table sends; end $$;', 'Cannot be checked'],
  ['lock a table', 'lock table sends;', 'for long'],
  ['empty a table', 'truncate sends;', 'for long'],
  ['end the transaction', 'commit;', 'transaction'],
  ['set a timeout', "set lock_timeout = '1h';", 'transaction'],
  ['add a trigger', 'create trigger t before insert on sends execute function f();', 'Not known'],
  ['move a table', 'alter table sends set schema other;', 'Not known'],
  ['have a way back', 'create table a (id integer);\n-- Down Migration\ndrop table a;', 'forward only'],
  ['do nothing', '-- Later.\n', 'no statement'],
])('refused: to %s', (_name, sql, reason) => {
  const faults = migrationFaults(sql, ['0.1.0', '0.2.0']);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(reason);
});
