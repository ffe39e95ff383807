import type { Client, Pool } from '../db/pool.ts';
import { type Ending, ended, isRace, transactionEnding } from '../db/transaction.ts';

const RACES_BEFORE_GIVING_UP = 5;

/**
 * A transaction of the worker: short, over rows named by their keys, and run again when it lost a race. `work` must
 * therefore change nothing but the database.
 */
export const byKey = <T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> =>
  byKeyEnding(pool, async (tx) => ended(await work(tx)));

/** The same for work whose last statements go out together with the commit. */
export async function byKeyEnding<T>(pool: Pool, work: (tx: Client) => Promise<Ending<T>>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transactionEnding(pool, work, 'by_key');
    } catch (error) {
      if (!isRace(error) || attempt === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}
