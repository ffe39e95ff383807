import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../src/db/pool.ts';
import { advanceDatabaseTime, notifyChannel } from '../src/db/sql.ts';
import { MINUTE, monotonicMs, SECOND } from '../src/kit/clock.ts';
import { eventually } from '../test/support/waiting.ts';
import { outstanding } from './auditSql.ts';

/** Later than any lease or call that a dead process left behind. */
const PAST_ANY_LEASE_MS = 45 * SECOND;
/** What waits is spread by jitter: strides gather it. */
const STRIDE_MS = 10 * MINUTE;
const LOOK_EVERY_MS = 100;
/** Nothing has moved for so long: it waits for its time, or for a lease to run out. */
const STILL_AFTER_MS = SECOND / 2;
const STUCK_AFTER_MS = 5 * SECOND;
const WITHIN_MS = 15 * MINUTE;

/**
 * Lets everything come to its end, moving the clock over the waits: retries take up to a day by the book. Answers what
 * is still outstanding when it has waited for too long.
 */
export async function settle(pool: Pool): Promise<{ sends: number; deliveries: number }> {
  const began = monotonicMs();
  let before = '';
  let changedAt = began;
  for (;;) {
    const [now] = await outstanding(pool);
    if (!now) throw new Error('the database did not say what is outstanding');
    const { sends, deliveries, wait_ms } = now;
    const left = { sends, deliveries };
    if (sends + deliveries === 0 || monotonicMs() - began > WITHIN_MS) return left;
    const seen = JSON.stringify(left);
    if (seen !== before) {
      before = seen;
      changedAt = monotonicMs();
    }
    const still = monotonicMs() - changedAt;
    if (wait_ms !== null && wait_ms > 0 && still > STILL_AFTER_MS)
      await moveClock(pool, Math.max(wait_ms, STRIDE_MS));
    else if (still > STUCK_AFTER_MS) await moveClock(pool, PAST_ANY_LEASE_MS);
    else {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    changedAt = monotonicMs();
  }
}

/** Puts the service's clock forward, in every process. */
export async function moveClock(pool: Pool, milliseconds: number): Promise<void> {
  // Perhaps the database has just crashed.
  await eventually(() => advanceDatabaseTime(pool, Math.ceil(milliseconds)));
  await eventually(() => notifyChannel(pool, 'waypost_outbox'));
}
