import { Client } from 'pg';
import { createBusiness } from '../src/businesses/create.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool, type Pool } from '../src/db/pool.ts';
import { systemClock } from '../src/kit/clock.ts';
import { killAllPrograms } from '../test/support/program.ts';
import { type Child, startChild } from './children.ts';
import { parentOf, postgresCpuSecondsOf } from './cost.ts';
import type { Load, LoadResult } from './load/generator.ts';
import { seedRecipients } from './seedSql.ts';
import { SEEDING_TIMEOUT_MS, startBenchPostgres, TEMPLATE } from './server.ts';

/** One Postgres whose commits wait for fsync, and a load generator. */
export interface BenchEnvironment {
  /** Creates a database with the schema, one business and this many recipients. */
  database(name: string, recipients: number): Promise<BenchDatabase>;
  load(load: Load): Promise<LoadResult>;
  /** CPU time that Postgres has used so far. */
  postgresCpuSeconds(): number;
  stop(): Promise<void>;
}

export interface BenchDatabase {
  url: string;
  pool: Pool;
  businessId: string;
  apiKey: string;
  recipients: number;
  /** For the superuser. */
  administratorUrl: string;
  drop(): Promise<void>;
}

const CONNECTIONS = 8;

export async function openBenchEnvironment(folder: string): Promise<BenchEnvironment> {
  const postgres = await startBenchPostgres(folder);
  const administrator = new Client({ connectionString: postgres.administratorUrl });
  let generator: Child | null = null;
  const pools = new Set<Pool>();
  const stop = async (): Promise<void> => {
    await killAllPrograms();
    await generator?.stop();
    await Promise.all([...pools].map((pool) => pool.end()));
    await administrator.end();
    await postgres.stop();
  };
  try {
    await migrate(postgres.url);
    await administrator.connect();
    const { rows } = await administrator.query<{ pid: number }>('select pg_backend_pid() as pid');
    const postmaster = parentOf(rows[0]?.pid ?? 0);
    const loadGenerator = await startChild('load/generator.ts');
    generator = loadGenerator;
    return {
      async database(name, recipients) {
        await administrator.query(`create database ${name} template ${TEMPLATE} owner ${TEMPLATE}`);
        const url = inDatabase(postgres.url, name);
        const administratorUrl = inDatabase(postgres.administratorUrl, name);
        const pool = openPool(url, {
          max: CONNECTIONS,
          name: 'bench',
          onError: () => {},
          statementTimeoutMs: SEEDING_TIMEOUT_MS,
        });
        pools.add(pool);
        const { businessId, apiKey } = await createBusiness(pool, systemClock, {
          name: 'Bench',
          credits: 1_000_000,
        });
        await seedRecipients(pool, businessId, recipients);
        // Otherwise autovacuum would run during a round.
        await pool.query('vacuum analyze recipients');
        const drop = async (): Promise<void> => {
          pools.delete(pool);
          await pool.end();
          await administrator.query(`drop database ${name} with (force)`);
        };
        return { url, pool, businessId, apiKey, recipients, administratorUrl, drop };
      },
      load: (load) => loadGenerator.call<LoadResult>('run', load),
      postgresCpuSeconds: () => postgresCpuSecondsOf(postmaster),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const inDatabase = (url: string, name: string): string => url.replace(/\/\w+\?/, `/${name}?`);
