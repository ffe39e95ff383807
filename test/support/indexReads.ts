import pg from 'pg';
import { openPool, type Pool } from '../../src/db/pool.ts';
import { testDatabase } from './database.ts';

export interface IndexReads {
  /** One connection, whose own figures are asked for. */
  pool: Pool;
  /** For a transaction that stays open, so that vacuum removes nothing. */
  old: pg.Client;
  /** Entries of the index that were read so far. */
  entriesRead(): Promise<number>;
  close(): Promise<void>;
}

/** A database of its own, in which the reads of one index can be counted. */
export async function openIndexReads(index: string): Promise<IndexReads> {
  const db = await testDatabase();
  const pool = openPool(db.url, { max: 1, name: 'test', onError: () => {} });
  const old = new pg.Client({ connectionString: db.url });
  await old.connect();
  return {
    pool,
    old,
    async entriesRead() {
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ read: number }>(
        'select idx_tup_read::int as read from pg_stat_user_indexes where indexrelname = $1',
        [index],
      );
      return rows[0]?.read ?? 0;
    },
    async close() {
      await old.end();
      await pool.end();
      await db.drop();
    },
  };
}
