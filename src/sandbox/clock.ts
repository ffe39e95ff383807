import type { DatabaseClock } from '../db/databaseClock.ts';
import type { Pool } from '../db/pool.ts';
import { advanceDatabaseTime, readDatabaseTime } from '../db/sql.ts';
import { type Clock, MINUTE, monotonicMs } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';
import { earliest } from '../outbox/dueWorks.ts';

/** A clock that can be put forward. */
export interface MovableClock extends Clock {
  moveTo(moment: Date): Promise<void>;
}

/** Far more than any pile of retries needs; work that makes itself due again for ever would otherwise never let go. */
const MOST_STEPS = 100_000;
const REST_WITHIN_MS = 2 * MINUTE;

/**
 * Puts the clock forward, and lets happen on the way what would have happened, in order: each due moment is its own
 * stop, so that a two-hour escalation sees the retries and reports of the minutes before it. Answers once nothing
 * that is due by then is left.
 */
export async function stepThrough(clock: MovableClock, works: readonly DueWork[], to: Date): Promise<void> {
  let rested = await settle(clock, works);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    // What has come due since all was at rest is next, however little time has passed: never skipped as overdue.
    const next = earliest(await Promise.all(works.map((work) => work.nextDue(rested))));
    if (next === null || next > to) break;
    if (next > clock.now()) await clock.moveTo(next);
    rested = await settle(clock, works);
  }
  if (to > clock.now()) await clock.moveTo(to);
  await settle(clock, works);
}

/** What one kind of work does may make another due: until all are at rest together. Answers a moment by which they were. */
async function settle(clock: Clock, works: readonly DueWork[]): Promise<Date> {
  const began = monotonicMs();
  for (;;) {
    for (const work of works) await work.drain();
    const now = clock.now();
    // Twice, since a work asked before another one ended may have been given something by it.
    if ((await atRest(works)) && (await atRest(works))) return now;
    if (monotonicMs() - began > REST_WITHIN_MS) throw new Error('what was due did not come to rest');
  }
}

const atRest = async (works: readonly DueWork[]): Promise<boolean> =>
  (await Promise.all(works.map((work) => work.settled()))).every(Boolean);

export interface ClockDeps {
  pool: Pool;
  clock: DatabaseClock;
  works: readonly DueWork[];
}

/** Moves the clock of the whole server (`POST /sandbox/clock`); it cannot go back. Answers the time it shows then. */
export async function advanceClock({ pool, clock, works }: ClockDeps, to: Date): Promise<Date> {
  const movable: MovableClock = {
    now: () => clock.now(),
    async moveTo(moment) {
      const ahead = Math.ceil(moment.getTime() - clock.now().getTime());
      if (ahead <= 0) return;
      await advanceDatabaseTime(pool, ahead);
      await clock.sync();
    },
  };
  await stepThrough(movable, works, to);
  return clock.now();
}

/** What the clock shows, and how far it was put forward. */
export async function readClock({
  pool,
  clock,
}: Pick<ClockDeps, 'pool' | 'clock'>): Promise<{ now: Date; offsetSeconds: number }> {
  const [row] = await readDatabaseTime(pool);
  return { now: clock.now(), offsetSeconds: (row?.offset_ms ?? 0) / 1_000 };
}
