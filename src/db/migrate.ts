import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../kit/errors.ts';
import { VERSION } from '../kit/version.ts';
import { withClient } from './client.ts';
import { distributeNewTables } from './cluster/distribute.ts';
import { databaseFault } from './faults.ts';
import { appliedTo, refuseUnknownSchema } from './knownSchema.ts';
import {
  describeMigration,
  loadMigration,
  MIGRATIONS,
  migrationNames,
  type PlannedMigration,
  SCHEMA_CHANGE_SETTINGS,
  SCHEMA_DUMP,
} from './migrationFiles.ts';
import type { Pool } from './pool.ts';
import { type AppliedMigration, probeServer, recordWriter } from './sql.ts';

/** Postgres 15, as the server counts. */
const OLDEST_SERVER = 150_000;
const CONNECT_TIMEOUT_MS = 10_000;
const CHECK_TIMEOUT_MS = 30_000;

/** The one of node-pg-migrate, whose own command must not run beside ours. */
const LOCK_ID = 7241865325823964;
const LOCK_POLL_MS = 100;

const TABLE_LOCK_PAUSE_MS = 2_000;
const TABLE_LOCK_TRIES = 20;
/** SQLSTATE of a lock timeout and of a deadlock. */
const LOCK_FAILURES = ['55P03', '40P01'];

/**
 * Applies the pending migrations: numbered SQL files, forward only, each in its own transaction (docs/adr/0008).
 * If several nodes start at once, the first migrates and the others wait. Returns the names of the applied files.
 */
export const migrate = (url: string, folder = MIGRATIONS): Promise<string[]> =>
  withLock(url, {}, async (client, schema) => {
    const pending = await findPending(client, schema, folder);
    if (pending.length > 0)
      await retryWhileTableIsLocked(client, () => run(client, schema, folder))
        // Also what was applied before another one failed.
        .finally(() => recordWriter(client, schema, pending, VERSION).catch(() => {}));
    // Also if nothing is pending: the run that made a table may have been cut off.
    await retryWhileTableIsLocked(client, () => distributeNewTables(client, SCHEMA_CHANGE_SETTINGS));
    return pending;
  });

export const pendingMigrations = (url: string, folder = MIGRATIONS): Promise<string[]> =>
  withLock(url, { query_timeout: CHECK_TIMEOUT_MS }, (client, schema) => findPending(client, schema, folder));

/** What `migrate` would do. It changes nothing, also on an empty database. */
export const planMigrations = async (url: string, folder = MIGRATIONS): Promise<PlannedMigration[]> =>
  Promise.all((await pendingMigrations(url, folder)).map((name) => describeMigration(folder, name)));

async function findPending(client: pg.Client, schema: string, folder: string): Promise<string[]> {
  const known = await migrationNames(folder);
  const applied = await appliedTo(client, schema);
  refuseUnknownSchema(applied, known);
  return notIn(applied, known);
}

function notIn(applied: readonly AppliedMigration[], known: readonly string[]): string[] {
  const names = new Set(applied.map(({ name }) => name));
  return known.filter((name) => !names.has(name));
}

/** The same for a process that is running: it reads what was applied on a connection that it has, and waits for nobody. */
export async function hasPendingMigrations(pool: Pool): Promise<boolean> {
  const [server] = await probeServer(pool);
  const applied = await appliedTo(pool, server?.schema ?? 'public');
  return notIn(applied, await migrationNames(MIGRATIONS)).length > 0;
}

/** Runs `work` while no other process migrates. A migration has no time limit; a check has one. */
function withLock<T>(
  url: string,
  limits: { query_timeout?: number },
  work: (client: pg.Client, schema: string) => Promise<T>,
): Promise<T> {
  const config = {
    connectionString: url,
    application_name: 'waypost migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    ...limits,
  };
  return withClient(config, (holder) =>
    withClient(config, async (client) => {
      const schema = await checkServer(client);
      try {
        await lock(holder, limits.query_timeout ?? Number.POSITIVE_INFINITY);
        return await work(client, schema);
      } finally {
        await holder.query('rollback').catch(() => {}); // releases the lock
      }
    }),
  );
}

/** The schema for our tables, so that two installations with a role each can share a database. */
async function checkServer(client: pg.Client): Promise<string> {
  const [server] = await probeServer(client);
  if (server && server.version < OLDEST_SERVER) throw databaseFault('wrong_version');
  if (server?.standby) throw databaseFault('read_only');
  if (!server?.schema) throw databaseFault('missing_privilege');
  return server.schema;
}

/**
 * The lock belongs to a transaction that stays open, not to a session, which a pooler could hand to somebody else. It polls,
 * because a statement that waits inside Postgres keeps a snapshot, and `create index concurrently` waits until every
 * older snapshot is gone: the two processes would wait for each other.
 */
async function lock(client: pg.Client, withinMs: number): Promise<void> {
  for (let waited = 0; ; waited += LOCK_POLL_MS) {
    await client.query('begin; set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(${LOCK_ID}) as locked`,
    );
    if (rows[0]?.locked === true) return;
    await client.query('rollback');
    if (waited >= withinMs) throw new Error('another process has been migrating the database for too long');
    await sleep(LOCK_POLL_MS);
  }
}

async function retryWhileTableIsLocked(client: pg.Client, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {}); // the runner leaves the transaction of a failed file open
      if (!(error instanceof pg.DatabaseError && LOCK_FAILURES.includes(error.code ?? ''))) throw error;
      if (tries === TABLE_LOCK_TRIES)
        throw new OperatorError(
          'The database was not migrated, because another session keeps one of its tables locked, perhaps a backup: try again later.',
        );
      await sleep(TABLE_LOCK_PAUSE_MS);
    }
  }
}

async function run(dbClient: pg.Client, migrationsSchema: string, dir: string): Promise<void> {
  // Most starts have nothing to apply, and loading it takes a fifth of a second.
  const { runner } = await import('node-pg-migrate');
  await runner({
    dbClient,
    dir,
    ignorePattern: SCHEMA_DUMP,
    direction: 'up',
    migrationsSchema,
    migrationsTable: 'schema_migrations',
    migrationLoaderStrategies: [
      { extensions: ['.sql'], loader: (files) => Promise.all(files.map(loadMigration)) },
    ],
    checkOrder: true,
    singleTransaction: false,
    noLock: true,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
}
