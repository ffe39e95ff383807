import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { runStatements } from '../test/support/cluster.ts';
import { startSystemPostgres, systemPostgresFolder } from '../test/support/systemPostgres.ts';
import { atEnd } from './cleanup.ts';

/** The Postgres of a run, with a database of the program's role, from which every other is cloned. */
export interface BenchPostgres {
  url: string;
  /** For the superuser. */
  administratorUrl: string;
}

/** Both the role and its first database are called so. */
export const TEMPLATE = 'waypost';

/**
 * Ours, with production settings. BENCH_POSTGRES=stock starts the one of the operating system instead, with its stock
 * settings. Both wait for fsync.
 */
export async function startBenchPostgres(folder: string): Promise<BenchPostgres> {
  if (process.env.BENCH_POSTGRES === 'stock') return startStock();
  const postgres = await startEmbedded({ dataDir: folder });
  atEnd(postgres.stop);
  return postgres;
}

async function startStock(): Promise<BenchPostgres> {
  const programs = systemPostgresFolder();
  if (programs === null)
    throw new Error(
      'BENCH_POSTGRES=stock needs a Postgres of the operating system: apt-get install postgresql.',
    );
  const { url, stop } = await startSystemPostgres(programs, { fsync: 'on' });
  atEnd(stop);
  await runStatements(url, `create role ${TEMPLATE} login`, `create database ${TEMPLATE} owner ${TEMPLATE}`);
  return { url: url.replace('postgres@/postgres?', `${TEMPLATE}@/${TEMPLATE}?`), administratorUrl: url };
}
