import type { Pool } from '../db/pool.ts';
import { listen } from '../db/wake.ts';
import { type Clock, later, MINUTE, monotonicMs } from '../kit/clock.ts';
import { type DueWork, type Loop, startLoop } from '../kit/loop.ts';
import { anyUnsettled, dueSends } from './claimSql.ts';
import { allDueWork, type DueSchedule, watched } from './dueWorks.ts';
import { lapsesDue, startLapses } from './lapses.ts';
import { quietHoursDue, startQuietHoursChanges } from './quietHoursChanges.ts';
import { OutboxWorker, type OutboxWorkerDeps } from './worker.ts';

export interface Outbox extends Omit<Loop, 'notifyIdle' | 'plan'> {
  /** Wakes the worker for new sends of these businesses, unless all of them must wait anyway. */
  wakeFor(businesses: readonly string[]): void;
}

interface OutboxDeps
  extends Omit<OutboxWorkerDeps, 'random' | 'onCapacity' | 'onCapacityIn' | 'onIdle' | 'elapsedMs'> {
  random?: () => number;
  /** Called when another process wakes the outbox: it may have moved the sandbox clock, too. */
  resync?: () => Promise<void>;
}

/** A timer can fire this much early, and the claim would then miss the group that is being gathered. */
const TIMER_EARLY_MS = 1;

/** Longer than any lease or call lasts. */
const SOON_MS = 10 * MINUTE;

/** Starts the outbox. Several can run on one database, in one process or many. */
export function startOutbox(deps: OutboxDeps): Outbox {
  const { pool, log, resync = async () => {} } = deps;
  const worker = new OutboxWorker({
    ...deps,
    random: deps.random ?? Math.random,
    onCapacity: () => loop.wake(),
    onCapacityIn: (milliseconds) => void setTimeout(() => loop.wake(), milliseconds + TIMER_EARLY_MS).unref(),
    elapsedMs: monotonicMs,
    onIdle: () => loop.notifyIdle(),
  });
  const loop: Loop = startLoop({
    name: 'outbox',
    log,
    ...sendsDue(deps),
    step: () => worker.step(),
    busy: () => worker.busy(),
    abort: () => worker.abortCalls(),
  });
  const lapses = startLapses(deps);
  const quietHours = startQuietHoursChanges(deps, () => loop.wake());
  const onWake = (): void => {
    resync()
      .catch((error: unknown) => log.warn({ error }, 'clock not read'))
      .finally(() => loop.wake());
  };
  const listener = listen(pool, 'waypost_outbox', onWake, log);

  return {
    ...allDueWork([loop, lapses, quietHours]),
    wake: () => loop.wake(),
    wakeFor: (businesses) => {
      if (worker.accepts(businesses)) loop.wake();
    },
    async stop() {
      worker.stop();
      await listener.stop();
      await Promise.all([loop.stop(), lapses.stop(), quietHours.stop()]);
    },
  };
}

/** For a process without a worker: `wake` notifies the processes that have one. */
export const watchOutbox = (deps: { pool: Pool; clock: Clock }, wake: () => void): DueWork =>
  allDueWork([sendsDue, lapsesDue, quietHoursDue].map((dueOf) => watched(dueOf(deps), wake)));

const sendsDue = ({ pool, clock }: { pool: Pool; clock: Clock }): DueSchedule => ({
  clock,
  nextDue: (now) => dueSends.next(pool, now),
  settled: async (now) => (await anyUnsettled(pool, now, later(now, SOON_MS)))[0]?.unsettled !== true,
});
