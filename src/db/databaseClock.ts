import { type Clock, monotonicMs } from '../kit/clock.ts';
import { readDatabaseTime } from './sql.ts';
import type { Queryable } from './statement.ts';

const SYNC_EVERY_MS = 5_000;

export interface DatabaseClock extends Clock {
  sync(): Promise<void>;
  stop(): void;
}

/**
 * Follows the database's clock plus the sandbox's offset, so that leases and deadlines agree on every node,
 * however wrong a node's own clock is. Between two syncs it advances with the monotonic clock.
 */
export async function startDatabaseClock(
  db: Queryable,
  onError: (error: unknown) => void,
): Promise<DatabaseClock> {
  let aheadOfMonotonic = 0;
  let latest = 0;

  const sync = async () => {
    const asked = monotonicMs();
    const [row] = await readDatabaseTime(db);
    const answered = monotonicMs();
    if (row) aheadOfMonotonic = row.now_ms + row.offset_ms - (asked + answered) / 2;
  };

  await sync();
  const timer = setInterval(() => void sync().catch(onError), SYNC_EVERY_MS);
  timer.unref();
  return {
    now() {
      // A correction can step back a little; callers never see time go back.
      latest = Math.max(latest, monotonicMs() + aheadOfMonotonic);
      return new Date(latest);
    },
    sync,
    stop: () => clearInterval(timer),
  };
}
