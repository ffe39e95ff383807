import { type Clock, monotonicMs, pause, SECOND } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';

/** Reads from the database when work is due. The worker and a process that waits for it use the same queries. */
export interface DueSchedule {
  clock: Clock;
  nextDue: (now: Date) => Promise<Date | null>;
  settled: (now: Date) => Promise<boolean>;
}

const POLL_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Work of another process: `wake` notifies it, `drain` waits for it. */
export function watched({ clock, nextDue, settled }: DueSchedule, wake: () => void): DueWork {
  return {
    nextDue: (after = clock.now()) => nextDue(after),
    settled: () => settled(clock.now()),
    async drain() {
      const startedMs = monotonicMs();
      while (!(await settled(clock.now())) && monotonicMs() - startedMs < DRAIN_WITHIN_MS) {
        wake();
        await pause(POLL_MS);
      }
    },
  };
}

export const allDueWork = (works: readonly DueWork[]): DueWork => ({
  async drain() {
    for (const work of works) await work.drain();
  },
  settled: async () => (await Promise.all(works.map((work) => work.settled()))).every(Boolean),
  nextDue: async (after) => earliest(await Promise.all(works.map((work) => work.nextDue(after)))),
});

export const earliest = (moments: readonly (Date | null)[]): Date | null =>
  moments.reduce(
    (first, moment) => (moment !== null && (first === null || moment < first) ? moment : first),
    null,
  );
