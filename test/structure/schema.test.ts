import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpSchema } from '../../scripts/schemaDump.ts';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { clusterUrl } from '../support/sharedResources.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('the committed schema is what the migrations make', async () => {
  const committed = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8');
  expect(await dumpSchema(database.pool)).toBe(committed);
});

test('texts sort by their bytes in a database made for any language, so that ids sort by their time', async () => {
  const name = `waypost_danish_${randomBytes(6).toString('hex')}`;
  const cluster = await clusterUrl();
  const danish = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'da' LOCALE 'C'";
  await runStatements(cluster, `CREATE DATABASE ${name} ${danish}`);
  const url = databaseUrl(cluster, name);
  const pool = openPool(url, { max: 1, name: 'test', onError: () => {} });
  try {
    expect((await pool.query(`select 'aa' < 'b' as bytes`)).rows).toEqual([{ bytes: false }]);
    await migrate(url);
    const { rows } = await pool.query(`
      select a.attrelid::regclass || '.' || a.attname as column
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and a.attnum > 0 and not a.attisdropped
        and a.attcollation not in (0, '"C"'::regcollation) and c.relname not like 'schema_migrations%'`);
    expect(rows).toEqual([]);
  } finally {
    await pool.end();
    await runStatements(cluster, `DROP DATABASE ${name} WITH (FORCE)`);
  }
});

test('every tenant table leads with business_id in its primary key', async () => {
  const { rows } = await database.pool.query<{ table: string; first: string }>(`
    select c.relname as table, a.attname as first
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'p' and c.relnamespace = 'public'::regnamespace`);
  const others = rows.filter(({ first }) => first !== 'business_id').map(({ table }) => table);
  expect(others.sort()).toEqual([
    'bounce_mailbox',
    'businesses',
    'connections',
    'country_prices',
    'dashboard_sessions',
    'instance_secrets',
    'member_invitations',
    'members',
    'passkey_challenges',
    'passkeys',
    'platform_audit_entries',
    'platform_suppressions',
    'provider_reports',
    'restore_guard',
    'sandbox_messages',
    'sandbox_reports',
    'schema_migrations',
    'service_clock',
    'sign_in_links',
    'template_translations',
    'whatsapp_templates',
  ]);
});

test('nodes that start at once migrate once and agree', async () => {
  const before = await dumpSchema(database.pool);
  const applied = await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  expect(applied).toEqual([[], [], []]);
  expect(await pendingMigrations(database.url)).toEqual([]);
  expect(await dumpSchema(database.pool)).toBe(before);
});
