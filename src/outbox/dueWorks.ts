import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';

/** When something is due, asked of the database: the same for whoever does the work and for whoever waits for it. */
export interface DueSchedule {
  clock: Clock;
  nextDue: (now: Date) => Promise<Date | null>;
  settled: (now: Date) => Promise<boolean>;
}

const LOOK_EVERY_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Work that another process does: to be told of, and waited for. */
export function watched({ clock, nextDue, settled }: DueSchedule, wake: () => void): DueWork {
  return {
    nextDue: (after = clock.now()) => nextDue(after),
    settled: () => settled(clock.now()),
    async drain() {
      const began = monotonicMs();
      while (!(await settled(clock.now())) && monotonicMs() - began < DRAIN_WITHIN_MS) {
        wake();
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
}

/** Several kinds of work as one. */
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
