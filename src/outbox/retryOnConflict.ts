import type { Client, Pool } from '../db/pool.ts';
import { isConflict, noFinalWrites, pipelinedTransaction, type TransactionEnd } from '../db/transaction.ts';

const RACES_BEFORE_GIVING_UP = 5;

/**
 * A transaction of the worker: short, over rows named by their keys, and run again when it lost a race. `work` must
 * therefore change nothing but the database.
 */
export const retryOnConflict = <T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> =>
  retryOnConflictPipelined(pool, async (tx) => noFinalWrites(await work(tx)));

/** The same for work whose last statements go out together with the commit. */
export async function retryOnConflictPipelined<T>(
  pool: Pool,
  work: (tx: Client) => Promise<TransactionEnd<T>>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pipelinedTransaction(pool, work, 'by_key');
    } catch (error) {
      if (!isConflict(error) || attempt === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}
