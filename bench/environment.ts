import { Client } from 'pg';
import { createBusiness } from '../src/businesses/create.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { MINUTE, systemClock } from '../src/kit/clock.ts';
import { databaseUrl } from '../test/support/cluster.ts';
import { parentOf } from '../test/support/processFamily.ts';
import { startChild } from './children.ts';
import { atEnd } from './cleanup.ts';
import { postgresCpuSecondsOf } from './cost.ts';
import type { Load, LoadResult } from './load/generator.ts';
import { startBenchPostgres, TEMPLATE } from './postgres.ts';
import { seedRecipients } from './seed.ts';

export type BenchEnvironment = Awaited<ReturnType<typeof openBenchEnvironment>>;
export type BenchDatabase = Awaited<ReturnType<BenchEnvironment['database']>>;

const CONNECTIONS = 8;
/** For one statement: millions of rows are seeded, perhaps on a busy machine. */
const SEEDING_TIMEOUT_MS = 10 * MINUTE;

/** One Postgres whose commits wait for fsync, and a load generator. */
export async function openBenchEnvironment(folder: string) {
  const postgres = await startBenchPostgres(folder);
  await migrate(postgres.url);
  const administrator = new Client({ connectionString: postgres.administratorUrl });
  await administrator.connect();
  atEnd(() => administrator.end());
  const { rows } = await administrator.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  const generator = await startChild('load/generator.ts');
  return {
    /** Creates a database with the schema, one business and this many recipients. It is dropped after the work. */
    async database(name: string, recipients: number, max = CONNECTIONS) {
      await administrator.query(`create database ${name} template ${TEMPLATE} owner ${TEMPLATE}`);
      atEnd(() => administrator.query(`drop database ${name} with (force)`));
      const url = databaseUrl(postgres.url, name);
      const options = { max, name: 'bench', onError: () => {}, statementTimeoutMs: SEEDING_TIMEOUT_MS };
      const pool = openPool(url, options);
      atEnd(() => pool.end());
      const business = await createBusiness(pool, systemClock, { name: 'Bench', credits: 1_000_000 });
      await seedRecipients(pool, business.businessId, recipients);
      // Otherwise autovacuum would run during a round.
      await pool.query('vacuum analyze recipients');
      const administratorUrl = databaseUrl(postgres.administratorUrl, name);
      return { ...business, url, pool, recipients, administratorUrl };
    },
    load: (load: Load): Promise<LoadResult> => generator.call('run', load),
    /** CPU time that Postgres has used so far. */
    postgresCpuSeconds: () => postgresCpuSecondsOf(postmaster),
  };
}
