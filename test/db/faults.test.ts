import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { explainDatabaseError } from '../../src/db/faults.ts';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { clusterUrl } from '../support/sharedResources.ts';

/*
 * A start meets each fault at the database as a real server reports it.
 */

const role = `waypost_limited_${randomBytes(4).toString('hex')}`;
const name = `waypost_faults_${randomBytes(4).toString('hex')}`;
let cluster: string;
/** The address of our database for a role that may connect once at a time and owns nothing. */
let limited: string;

beforeAll(async () => {
  cluster = await clusterUrl();
  await runStatements(
    cluster,
    `create role ${role} login password 'right' connection limit 1`,
    `create database ${name}`,
  );
  limited = databaseUrl(cluster, name).replace(/^([a-z]+:\/\/)([^@/]*@)?/, `$1${role}:right@`);
});
afterAll(async () => {
  await runStatements(cluster, `drop database ${name} with (force)`, `drop role ${role}`);
});

const sentenceOf = async (url: string): Promise<string> => {
  const failed = await migrate(url).then(
    () => null,
    (error: unknown) => error,
  );
  expect(failed).not.toBeNull();
  return explainDatabaseError(failed).message;
};

test('no server at the address', async () => {
  expect(await sentenceOf('postgresql://waypost@127.0.0.1:1/waypost')).toContain('cannot be reached');
});

test('a database that does not exist', async () => {
  expect(await sentenceOf(databaseUrl(cluster, 'waypost_nowhere'))).toContain('refuses the connection');
});

test('a role without a connection left', async () => {
  expect(await sentenceOf(limited)).toContain('no connection left');
});

test('a role that may not create tables', async () => {
  await runStatements(cluster, `alter role ${role} connection limit 10`);
  expect(await sentenceOf(limited)).toContain('may not create or use its tables');
});

test('a database that is read-only, as on a standby', async () => {
  await runStatements(cluster, `alter database ${name} set default_transaction_read_only = on`);
  expect(await sentenceOf(databaseUrl(cluster, name))).toContain('The database is read-only');
});

test('two roles with a schema each share a database', async () => {
  const shared = `waypost_shared_${randomBytes(4).toString('hex')}`;
  const roles = ['one', 'two'].map((which) => `${role}_${which}`);
  await runStatements(cluster, `create database ${shared}`);
  onTestFinished(async () => {
    await runStatements(
      cluster,
      `drop database ${shared} with (force)`,
      ...roles.map((each) => `drop role ${each}`),
    );
  });
  for (const each of roles) {
    await runStatements(
      databaseUrl(cluster, shared),
      `create role ${each} login password 'right'`,
      `create schema authorization ${each}`,
    );
    const url = databaseUrl(cluster, shared).replace(/^([a-z]+:\/\/)([^@/]*@)?/, `$1${each}:right@`);
    expect(await migrate(url)).not.toEqual([]);
    expect(await pendingMigrations(url)).toEqual([]);
    await runStatements(
      url,
      `insert into businesses (id, name, created_at) values ('${each}', 'Acme', now())`,
    );
    expect(await runStatements(url, 'select id from businesses')).toEqual([{ id: each }]);
  }
  const strays = `select tablename from pg_tables where schemaname = 'public'`;
  expect(await runStatements(databaseUrl(cluster, shared), strays)).toEqual([]);
});
