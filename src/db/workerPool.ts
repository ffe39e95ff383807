import pg from 'pg';
import { type Pool, preparePool, startupOptions } from './pool.ts';

/**
 * For work in lists that name every row by its key: a plan made while the tables were empty would scan them ever
 * after, so plans are made for the indexes, once. And for work that is simply done again when the database crashes
 * and takes back its last moment: a commit does not wait for the disk.
 */
const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  synchronous_commit: 'off',
} as const;

/** Connections of a worker's own, to the same database as those of the process. */
export function openWorkerPool(
  pool: Pool,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Pool {
  return preparePool(new pg.Pool({ ...pool.options, max, options: startupOptions(SETTINGS) }), { onError });
}
