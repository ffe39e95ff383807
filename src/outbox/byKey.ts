import type { Client, Pool } from '../db/pool.ts';
import { isRace, transaction } from '../db/transaction.ts';

const RACES_BEFORE_GIVING_UP = 5;

/**
 * A transaction of the worker: short, over rows named by their keys, and run again when it lost a race. `work` must
 * therefore change nothing but the database.
 */
export async function byKey<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(pool, work, 'by_key');
    } catch (error) {
      if (!isRace(error) || attempt === RACES_BEFORE_GIVING_UP) throw error;
    }
  }
}
