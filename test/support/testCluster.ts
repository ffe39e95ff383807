import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { CITUS_URL, dropCitusDatabase, makeDistributedDatabase, onEveryNode } from './citus.ts';
import { databaseUrl, runStatements, TEMPLATE_DATABASE } from './cluster.ts';
import { startSystemPostgres, systemPostgresFolder } from './systemPostgres.ts';

/** Tests of a database that falls silent leave many behind. */
const MAX_CONNECTIONS = '600';

export interface TestCluster {
  /** The superuser's way in. */
  readonly url: string;
  close(): Promise<void>;
}

/** A Postgres for one run, with the schema in a template that every test database is cloned from. */
export async function startTestCluster(): Promise<TestCluster> {
  const cluster = await openCluster();
  try {
    await makeTemplate(cluster.url);
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return {
    url: cluster.url,
    async close() {
      await dropTemplate(cluster.url);
      await cluster.close();
    },
  };
}

/**
 * TEST_DATABASE_URL names a server that runs already. TEST_POSTGRES=stock starts the one of the operating system, with its
 * stock settings. Otherwise it is ours.
 */
async function openCluster(): Promise<TestCluster> {
  const { TEST_DATABASE_URL: given, TEST_POSTGRES: kind } = process.env;
  if (CITUS_URL) return { url: CITUS_URL, close: async () => {} };
  if (given) return { url: given, close: async () => {} };
  return kind === 'stock' ? startStock() : startOurs();
}

async function startStock(): Promise<TestCluster> {
  const programs = systemPostgresFolder();
  if (programs === null)
    throw new Error(
      'TEST_POSTGRES=stock needs a Postgres of the operating system: apt-get install postgresql.',
    );
  const server = await startSystemPostgres(programs, { max_connections: MAX_CONNECTIONS });
  return { url: server.url, close: server.stop };
}

async function startOurs(): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-test-'));
  const janitor = hireJanitor(folder);
  const postgres = await startEmbedded({
    dataDir: folder,
    // Nothing in it outlives the run, so nothing waits for the disk.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: MAX_CONNECTIONS,
    },
  });
  await makeSigningInCheap(postgres.administratorUrl);
  return {
    url: postgres.administratorUrl,
    close: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
      janitor.dismiss();
    },
  };
}

/**
 * The tests open thousands of connections, and each proves the password: by 4096 rounds of hashing on both sides, or by
 * one.
 */
async function makeSigningInCheap(clusterUrl: string): Promise<void> {
  const { username, password } = new URL(clusterUrl.replace(/@\//, '@localhost/'));
  await runStatements(
    clusterUrl,
    'SET scram_iterations = 1',
    `ALTER ROLE ${decodeURIComponent(username)} PASSWORD '${decodeURIComponent(password)}'`,
  );
}

/**
 * The run may be killed, and its Postgres outlives it by design. A shell in a session of its own, whose input ends
 * when we do, for whatever reason, then stops that Postgres and removes the folder.
 */
function hireJanitor(folder: string): { dismiss(): void } {
  const duty =
    'read _; [ -d "$1" ] || exit 0; kill -INT "$(head -n 1 "$1/postgres/data/postmaster.pid")"; sleep 2; rm -rf "$1"';
  const janitor = spawn('/bin/sh', ['-c', duty, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  janitor.unref();
  return { dismiss: () => janitor.stdin.end() };
}

async function makeTemplate(clusterUrl: string): Promise<void> {
  await dropTemplate(clusterUrl);
  if (CITUS_URL) {
    await makeDistributedDatabase(clusterUrl, TEMPLATE_DATABASE);
    await onEveryNode(
      clusterUrl,
      `alter database ${TEMPLATE_DATABASE} with is_template true allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${TEMPLATE_DATABASE}'`,
    );
    return;
  }
  await runStatements(clusterUrl, `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await migrate(databaseUrl(clusterUrl, TEMPLATE_DATABASE));
  // Nobody may be connected to what is being cloned.
  await runStatements(
    clusterUrl,
    `ALTER DATABASE ${TEMPLATE_DATABASE} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`,
  );
}

async function dropTemplate(clusterUrl: string): Promise<void> {
  const found = await runStatements(
    clusterUrl,
    `SELECT 1 FROM pg_database WHERE datname = '${TEMPLATE_DATABASE}'`,
  );
  if (found.length === 0) return;
  if (CITUS_URL) {
    await onEveryNode(clusterUrl, `alter database ${TEMPLATE_DATABASE} with is_template false`);
    return dropCitusDatabase(clusterUrl, TEMPLATE_DATABASE);
  }
  await runStatements(
    clusterUrl,
    `ALTER DATABASE ${TEMPLATE_DATABASE} WITH IS_TEMPLATE false`,
    `DROP DATABASE ${TEMPLATE_DATABASE} WITH (FORCE)`,
  );
}
