import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { runStatements } from '../test/support/cluster.ts';
import { startSystemPostgres, systemPostgresFolder } from '../test/support/systemPostgres.ts';
import { atEnd } from './cleanup.ts';

/** Both the program's role and its first database, from which every other is cloned, are called so. */
export const TEMPLATE = 'waypost';
const NOT_INSTALLED =
  'BENCH_POSTGRES=stock needs a Postgres of the operating system: apt-get install postgresql.';

/**
 * The Postgres of a run: ours, with production settings. BENCH_POSTGRES=stock starts the one of the operating system instead, with
 * its stock settings. Both wait for fsync. `administratorUrl` is the superuser's.
 */
export async function startBenchPostgres(folder: string): Promise<{ url: string; administratorUrl: string }> {
  if (process.env.BENCH_POSTGRES !== 'stock') {
    const postgres = await startEmbedded({ dataDir: folder });
    atEnd(postgres.stop);
    return postgres;
  }
  const programs = systemPostgresFolder();
  if (programs === null) throw new Error(NOT_INSTALLED);
  const { url, stop } = await startSystemPostgres(programs, { fsync: 'on' });
  atEnd(stop);
  await runStatements(url, `create role ${TEMPLATE} login`, `create database ${TEMPLATE} owner ${TEMPLATE}`);
  return { url: url.replace('postgres@/postgres?', `${TEMPLATE}@/${TEMPLATE}?`), administratorUrl: url };
}
