import { expect } from 'vitest';
import { isOnCluster, type Pool } from '../../src/db/pool.ts';

/**
 * From now on whatever would remember its answer stops just before, with all its locks, until it is let go. Nothing
 * waits for a lock here, so nothing gives up waiting however busy the machine is.
 */
export async function pauseBeforeCommit(pool: Pool): Promise<{ release(): Promise<void> }> {
  const client = await pool.connect();
  try {
    for (const step of isOnCluster(pool) ? [...HELD, ...ON_EVERY_NODE, ...STOP] : [...HELD, ...STOP])
      await client.query(step);
  } finally {
    client.release();
  }
  return { release: async () => void (await pool.query('delete from held')) };
}

const HELD = ['create table if not exists held (since timestamptz not null default now())'];
/** The trigger runs on the shards, so every node needs the table. */
const ON_EVERY_NODE = [
  `select create_reference_table('held') where not exists (
    select from pg_dist_partition where logicalrelid = 'held'::regclass)`,
  'set citus.enable_unsafe_triggers = on',
];
const STOP = [
  'insert into held default values',
  `create or replace function stop_while_held() returns trigger language plpgsql as $$
    begin
      while exists (select from held) loop perform pg_sleep(0.01); end loop;
      return new;
    end $$`,
  `create or replace trigger held before insert on idempotency_records
    for each row execute function stop_while_held()`,
];

/** Until a lock is held, or this many transactions hold one. */
export const untilPaused = (pool: Pool, transactions = 1): Promise<void> =>
  untilSome(pool, `wait_event = 'PgSleep'`, transactions);

/** Until some connection waits for a lock that another has. */
export const untilLockWait = (pool: Pool): Promise<void> => untilSome(pool, `wait_event_type = 'Lock'`);

/** How many connections wait for a lock, on any node. */
export const countLockWaits = (pool: Pool): Promise<number> => count(pool, `wait_event_type = 'Lock'`);

const untilSome = (pool: Pool, condition: string, atLeast = 1): Promise<void> =>
  expect.poll(() => count(pool, condition), { timeout: 30_000 }).toBeGreaterThanOrEqual(atLeast);

async function count(pool: Pool, condition: string): Promise<number> {
  const waiting = `select count(*)::int from pg_stat_activity where datname = current_database() and ${condition}`;
  const { rows } = await pool.query<{ count: number }>(
    isOnCluster(pool)
      ? `select sum(result::int)::int as count from run_command_on_all_nodes($all$${waiting}$all$)`
      : waiting,
  );
  return rows[0]?.count ?? 0;
}
