import pg from 'pg';
import { type Queryable, statement, unnamedStatement } from './statement.ts';

/**
 * For a statement that is its own transaction: it commits without waiting for fsync. Safe if a crash of the
 * database can lose it, because everything that depends on it commits later, and that commit flushes all earlier
 * ones.
 */
export const ASYNCHRONOUS_COMMIT = `select set_config('synchronous_commit', 'off', true)`;

/** The only statement that reads the database's time; everything else uses the clock built on it. */
export const readDatabaseTime = statement<[], { now_ms: number; offset_ms: number }>(`
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, offset_ms::float8 as offset_ms
  from service_clock`);

export const advanceDatabaseTime = statement<[milliseconds: number], { offset_ms: number }>(`
  update service_clock set offset_ms = offset_ms + $1::bigint returning offset_ms::float8 as offset_ms`);

/**
 * For the workers' transactions: their lists are short and name every row by its key, but a plan made while the
 * tables are empty would scan them forever.
 */
export const preferIndexes = statement<[], Record<string, string>>(`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`);

/** For a transaction that must not change anything, before its first other statement. */
export const setReadOnly = unnamedStatement<[]>('set transaction read only');

/** The channels on which other processes are woken. */
export type WakeChannel = 'waypost_outbox' | 'waypost_webhooks' | 'waypost_events' | 'waypost_connections';

export const notifyChannel = statement<[channel: WakeChannel]>(`
  select pg_notify($1, '')`);

/** LISTEN accepts no parameters; the type allows only our own names. */
export const listenOn = (channel: WakeChannel): string => `listen ${channel}`;

export const probe = statement<[]>('select');

/** The backend of this transaction, and the names under which it holds prepared statements. */
export const probeRoute = unnamedStatement<[], { pid: number; names: string[] }>(`
  select pg_backend_pid() as pid, array(select name from pg_prepared_statements) as names`);

/** `schema` is where new tables go: the role's own if it has one, else public; null: the role can use neither. */
export const probeServer = unnamedStatement<
  [],
  { version: number; standby: boolean; schema: string | null }
>(`
  select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby, current_schema() as schema`);

export interface ServerDescription {
  version: string;
  encoding: string;
  may_create: boolean;
  max_connections: number;
  reserved_connections: number;
  now_ms: number;
  /** The same through every address of one database. */
  identity: string;
}

/** A role without a schema to create in has no current schema either. */
export const describeServer = unnamedStatement<[], ServerDescription>(`
  select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
    current_setting('max_connections')::int as max_connections,
    current_setting('superuser_reserved_connections')::int as reserved_connections,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
    concat(pg_postmaster_start_time(), ' ', (select oid from pg_database where datname = current_database())) as identity`);

/** The table of the runner of migrations. Its name is qualified: another installation can have one in the search path. */
const migrationsIn = (schema: string): string => `${pg.escapeIdentifier(schema)}.schema_migrations`;

export type AppliedMigration = {
  name: string;
  /** The version of Waypost that applied it; null: its process ended before that was recorded. */
  written_by: string | null;
};

/** Through JSON, because the runner makes the table before the first migration adds the column `written_by`. */
export const readApplied = (db: Queryable, schema: string): Promise<AppliedMigration[]> =>
  unnamedStatement<[], AppliedMigration>(
    `select m.name, to_json(m) ->> 'written_by' as written_by from ${migrationsIn(schema)} m`,
  )(db);

export const recordWriter = (db: Queryable, schema: string, names: string[], version: string) =>
  unnamedStatement<[names: string[], version: string]>(
    `update ${migrationsIn(schema)} set written_by = $2 where written_by is null and name = any ($1::text[])`,
  )(db, names, version);

export const findSecret = statement<[name: string], { sealed: Buffer }>(`
  select sealed from instance_secrets where name = $1`);

/** The first writer wins; later ones keep the existing secret. */
export const keepSecret = statement<[name: string, sealed: Buffer]>(`
  insert into instance_secrets (name, sealed) values ($1, $2) on conflict (name) do nothing`);
