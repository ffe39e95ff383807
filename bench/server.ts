import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { MINUTE } from '../src/kit/clock.ts';
import { runStatements } from '../test/support/cluster.ts';
import { startSystemPostgres, systemPostgresFolder } from '../test/support/systemPostgres.ts';

/** The Postgres of a run, with a database of the program's role, from which every other is cloned. */
export interface BenchPostgres {
  url: string;
  /** For the superuser. */
  administratorUrl: string;
  stop(): Promise<unknown>;
}

/** Both the role and its first database are called so. */
export const TEMPLATE = 'waypost';

/** For one statement: millions of rows are seeded, perhaps on a busy machine. */
export const SEEDING_TIMEOUT_MS = 10 * MINUTE;

/**
 * Ours, with production settings. BENCH_POSTGRES=stock starts the one of the operating system instead, with its stock
 * settings. Both wait for fsync.
 */
export const startBenchPostgres = (folder: string): Promise<BenchPostgres> =>
  process.env.BENCH_POSTGRES === 'stock' ? startStock() : startEmbedded({ dataDir: folder });

async function startStock(): Promise<BenchPostgres> {
  const programs = systemPostgresFolder();
  if (programs === null)
    throw new Error(
      'BENCH_POSTGRES=stock needs a Postgres of the operating system: apt-get install postgresql.',
    );
  const server = await startSystemPostgres(programs, { fsync: 'on' });
  await runStatements(
    server.url,
    `create role ${TEMPLATE} login`,
    `create database ${TEMPLATE} owner ${TEMPLATE}`,
  );
  return {
    url: server.url.replace('postgres@/postgres?', `${TEMPLATE}@/${TEMPLATE}?`),
    administratorUrl: server.url,
    stop: server.stop,
  };
}
