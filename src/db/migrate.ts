import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

const CONNECT_TIMEOUT_MS = 10_000;
const QUESTION_TIMEOUT_MS = 30_000;

/**
 * Brings the schema up to date: numbered SQL files, forward only, all in one transaction. When several nodes start
 * at once the first one migrates and the others wait for it. Answers the names of what it applied.
 */
export const migrate = (url: string): Promise<string[]> => run(url, false);

/** The migrations this program has and the database has not. */
export const pendingMigrations = (url: string): Promise<string[]> => run(url, true);

async function run(url: string, dryRun: boolean): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'waypost migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    // A migration may take as long as it needs; a question may not.
    ...(dryRun && { query_timeout: QUESTION_TIMEOUT_MS }),
  });
  // A connection that ends between two statements fails the next one; unheard, it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await runOn(client, dryRun);
  } finally {
    await client.end();
  }
}

async function runOn(dbClient: pg.Client, dryRun: boolean): Promise<string[]> {
  const migrations = await runner({
    dbClient,
    dir: MIGRATIONS,
    ignorePattern: 'schema.sql',
    direction: 'up',
    migrationsTable: 'schema_migrations',
    checkOrder: true,
    advisoryLockMode: 'wait',
    dryRun,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  return migrations.map((migration) => migration.name);
}
