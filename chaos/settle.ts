import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../src/db/pool.ts';
import { advanceDatabaseTime, notifyChannel } from '../src/db/sql.ts';
import { MINUTE, monotonicMs, SECOND } from '../src/kit/clock.ts';
import { eventually } from '../test/support/waiting.ts';
import { outstanding } from './auditSql.ts';

/** Longer than any lease or call of a dead process. */
const PAST_ANY_LEASE_MS = 45 * SECOND;
/** Jitter spreads the due times; a long stride covers many of them. */
const STRIDE_MS = 10 * MINUTE;
const POLL_MS = 100;
/** After this long without progress, the rest waits for a due time or for a lease to expire. */
const STILL_AFTER_MS = SECOND / 2;
const STUCK_AFTER_MS = 5 * SECOND;
const WITHIN_MS = 15 * MINUTE;

interface Unfinished {
  sends: number;
  deliveries: number;
  /** Of stores. */
  calls: number;
}

export const isFinished = ({ sends, deliveries, calls }: Unfinished): boolean =>
  sends + deliveries + calls === 0;

/**
 * Waits until all work is finished, and moves the clock over the waits, since retries take up to a day. Returns the unfinished
 * work when the time limit is reached.
 */
export async function settle(pool: Pool): Promise<Unfinished> {
  const began = monotonicMs();
  let before = '';
  for (let changedAt = began; ; await sleep(POLL_MS)) {
    const [now] = await outstanding(pool);
    if (!now) throw new Error('outstanding returned no row');
    const { wait_ms, ...left } = now;
    if (isFinished(left) || monotonicMs() - began > WITHIN_MS) return left;
    const still = monotonicMs() - changedAt;
    const isWaiting = wait_ms !== null && wait_ms > 0;
    const seen = JSON.stringify(left);
    if (seen !== before) before = seen;
    else if (isWaiting && still > STILL_AFTER_MS) await moveClock(pool, Math.max(wait_ms, STRIDE_MS));
    else if (still > STUCK_AFTER_MS) await moveClock(pool, PAST_ANY_LEASE_MS);
    else continue;
    changedAt = monotonicMs();
  }
}

/** Moves the service's clock forward in every process. */
export async function moveClock(pool: Pool, milliseconds: number): Promise<void> {
  // The database may have just crashed.
  await eventually(() => advanceDatabaseTime(pool, Math.ceil(milliseconds)));
  for (const channel of ['waypost_outbox', 'waypost_connections'] as const)
    await eventually(() => notifyChannel(pool, channel));
}
