import type { Client } from 'pg';
import type { SimulatedConnection } from './connections.ts';
import { pause } from './simulatedGlobals.ts';

/** Most statements end sooner, and then no look at the locks is needed. */
export const PATIENCE_MS = 3;

/** Whether the statement waits for another transaction. The result depends only on the locks. */
export async function waitsForLock(
  monitor: Client,
  ended: Promise<unknown>,
  { pid }: SimulatedConnection,
  patienceMs: number,
): Promise<boolean> {
  for (let wait = patienceMs; ; wait = PATIENCE_MS) {
    const first = await Promise.race([ended.then(() => 'ended' as const), pause(wait)]);
    if (first === 'ended') return false;
    if ((await blockersOf(monitor, pid)).length > 0) return true;
  }
}

/** Without an autovacuum, which comes when it likes and goes by itself. */
async function blockersOf(monitor: Client, pid: number): Promise<number[]> {
  const { rows } = await monitor.query<{ pid: number }>(
    `select pid from pg_stat_activity where pid = any (pg_blocking_pids($1)) and backend_type = 'client backend'`,
    [pid],
  );
  return rows.map((row) => row.pid);
}

/** Whether the wait is a deadlock. */
export async function isDeadlocked(
  monitor: Client,
  { pid }: SimulatedConnection,
  waiting: readonly SimulatedConnection[],
): Promise<boolean> {
  const seen = new Set<number>();
  const next = await blockersOf(monitor, pid);
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (one === pid) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    if (waiting.some((connection) => connection.pid === one)) {
      next.push(...(await blockersOf(monitor, one)));
    }
  }
  return false;
}
