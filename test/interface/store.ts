import { expect } from 'vitest';
import type { Pool } from '../../src/db/pool.ts';

/** Until some connection waits for a lock that another holds, so that a race is really one. */
export const untilSomeoneWaits = (pool: Pool): Promise<void> =>
  expect
    .poll(
      async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0);

/** Nothing can be written to this table until it is released. */
export async function holdTable(pool: Pool, table: string): Promise<{ release(): Promise<void> }> {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in exclusive mode`);
  let held = true;
  return {
    async release() {
      if (!held) return;
      held = false;
      await holder.query('rollback');
      holder.release();
    },
  };
}
