import { randomBytes } from 'node:crypto';
import { startDatabaseClock } from '../src/db/databaseClock.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { OperatorError } from '../src/kit/errors.ts';
import { createHasher } from '../src/kit/seal.ts';
import { benchErasure } from './erasure.ts';
import { benchRetention } from './retention.ts';
import { SEEDING_TIMEOUT_MS, startBenchPostgres } from './server.ts';

const CONNECTIONS = 28;

/** Runs a benchmark on its own Postgres, whose commits wait for fsync. */
export async function runBench(name: string, options: object, folder: string): Promise<unknown> {
  const postgres = await startBenchPostgres(folder);
  try {
    await migrate(postgres.url);
    const pool = openPool(postgres.url, {
      max: CONNECTIONS,
      name: 'bench',
      onError: () => {},
      statementTimeoutMs: SEEDING_TIMEOUT_MS,
    });
    const clock = await startDatabaseClock(pool, () => {});
    const deps = { pool, clock, hash: createHasher(randomBytes(32)) };
    try {
      if (name === 'erasure') return await benchErasure(deps, options);
      if (name === 'retention') return await benchRetention(deps, options);
      throw new OperatorError(`There is no benchmark "${name}": erasure, retention.`);
    } finally {
      clock.stop();
      await pool.end();
    }
  } finally {
    await postgres.stop();
  }
}
