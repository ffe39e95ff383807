import { monotonicMs } from '../kit/clock.ts';
import { readDatabaseTime } from './sql.ts';
import type { Queryable } from './statement.ts';

const SYNC_EVERY_MS = 5_000;
/** While this clock is ahead of the database's it runs slower. It does not stand still: rows written one after the other keep their order. */
const SPEED_WHEN_AHEAD = 0.9;

export type DatabaseClock = Awaited<ReturnType<typeof startDatabaseClock>>;

/**
 * Follows the database's clock plus the sandbox's offset, so that leases and deadlines agree on every node,
 * however wrong a node's own clock is. Between two syncs it advances with the monotonic clock.
 */
export async function startDatabaseClock(db: Queryable, onError: (error: unknown) => void) {
  let aheadOfMonotonic = 0;
  let latest = 0;
  let latestAt = 0;

  const sync = async (): Promise<void> => {
    const asked = monotonicMs();
    const [row] = await readDatabaseTime(db);
    const answered = monotonicMs();
    if (row) aheadOfMonotonic = row.now_ms + row.offset_ms - (asked + answered) / 2;
  };

  await sync();
  const timer = setInterval(() => void sync().catch(onError), SYNC_EVERY_MS);
  timer.unref();
  return {
    now(): Date {
      const at = monotonicMs();
      // A correction can step back a little; callers never see time go back.
      latest = Math.max(latest + (at - latestAt) * SPEED_WHEN_AHEAD, at + aheadOfMonotonic);
      latestAt = at;
      return new Date(latest);
    },
    sync,
    stop: (): void => clearInterval(timer),
  };
}
