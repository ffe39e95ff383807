import type { DatabaseClock } from '../db/databaseClock.ts';
import type { Pool } from '../db/pool.ts';
import { advanceDatabaseTime, readDatabaseTime } from '../db/sql.ts';
import { type Clock, MINUTE, monotonicMs } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';
import { allDueWork } from '../outbox/dueWorks.ts';

/** A clock that can be moved forward. */
export interface MovableClock extends Clock {
  moveTo(moment: Date): Promise<void>;
}

/** Far more than any chain of retries needs. It ends a loop of work that keeps making itself due. */
const MAX_STEPS = 100_000;
const SETTLE_TIMEOUT_MS = 2 * MINUTE;

/**
 * Moves the clock forward, and stops at each due time on the way to let the work run in order, so that a two-hour escalation
 * sees the retries and reports of the minutes before it. Resolves once no work is due.
 */
export async function stepThrough(clock: MovableClock, works: readonly DueWork[], to: Date): Promise<void> {
  const work = allDueWork(works);
  let settledAt = await settle(clock, work);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    // From the settled time, not the clock's: work that has come due since must not be skipped as overdue.
    const next = await work.nextDue(settledAt);
    if (next === null || next > to) break;
    if (next > clock.now()) await clock.moveTo(next);
    settledAt = await settle(clock, work);
  }
  if (to > clock.now()) await clock.moveTo(to);
  await settle(clock, work);
}

/** Drains until all work is settled at once, since one kind can make another due. Returns a time by which it was. */
async function settle(clock: Clock, work: DueWork): Promise<Date> {
  const began = monotonicMs();
  for (;;) {
    await work.drain();
    const now = clock.now();
    // Twice: work that was checked first may have got new tasks from work that was still running.
    if ((await work.settled()) && (await work.settled())) return now;
    if (monotonicMs() - began > SETTLE_TIMEOUT_MS) throw new Error('due work did not settle');
  }
}

interface ClockDeps {
  pool: Pool;
  clock: DatabaseClock;
  works: readonly DueWork[];
}

/** Moves the clock of all processes (`POST /sandbox/clock`), never back. Returns the new time. */
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

/** The clock's time, and how far it was moved forward. */
export async function readClock({ pool, clock }: Pick<ClockDeps, 'pool' | 'clock'>) {
  const [row] = await readDatabaseTime(pool);
  return { now: clock.now(), offsetSeconds: (row?.offset_ms ?? 0) / 1_000 };
}
