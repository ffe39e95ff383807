import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { Signal } from './signal.ts';

/** Work that comes due: what the sandbox's clock steps through, and what a test waits for. */
export interface DueWork {
  /** Resolves once nothing is due any more at the clock's present time. */
  drain(): Promise<void>;
  /** Whether nothing is due now, nor under way, here or in another process. */
  settled(): Promise<boolean>;
  /** When something is due next; null: nothing is planned. */
  nextDue(): Promise<Date | null>;
}

export interface Loop extends DueWork {
  wake(): void;
  /** Looks no more; resolves once what is under way has ended, or after a while without it. */
  stop(): Promise<void>;
}

/** Several kinds of work as one. */
export const allDue = (works: readonly DueWork[]): DueWork => ({
  async drain() {
    for (const work of works) await work.drain();
  },
  settled: async () => (await Promise.all(works.map((work) => work.settled()))).every(Boolean),
  nextDue: async () =>
    (await Promise.all(works.map((work) => work.nextDue()))).reduce(
      (first, at) => (at !== null && (first === null || at < first) ? at : first),
      null,
    ),
});

export interface LoopOptions {
  /** For the log. */
  name: string;
  clock: Clock;
  log: Log;
  /** Does some of what is due, or sets it going; answers how much, and 0 when it found nothing. */
  step: () => Promise<number>;
  /** How much of what was set going is still under way. */
  busy: () => number;
  nextDue: (now: Date) => Promise<Date | null>;
  settled: (now: Date) => Promise<boolean>;
  /** Looks at least this often. */
  pollMs?: number;
}

/** Underneath the wakes, for those that got lost; also how the moved clock of another process is noticed. */
const POLL_MS = SECOND;
const AFTER_ERROR_MS = SECOND;
const STOP_WITHIN_MS = 25 * SECOND;
const DRAIN_PAUSE_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Runs while there is work, sleeps until it is woken, until the next thing is due, or for a second. */
export function startLoop({
  name,
  clock,
  log,
  step,
  busy,
  nextDue,
  settled,
  pollMs = POLL_MS,
}: LoopOptions): Loop {
  const signal = new Signal();
  let stopping = false;
  let waitingForIdle: (() => void)[] = [];

  const isIdle = (): void => {
    const waiting = waitingForIdle;
    waitingForIdle = [];
    for (const resolve of waiting) resolve();
  };

  const untilNext = async (): Promise<number> => {
    const due = await nextDue(clock.now());
    return due === null ? pollMs : Math.min(pollMs, Math.max(0, due.getTime() - clock.now().getTime()));
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      try {
        if ((await step()) > 0) continue;
        if (busy() === 0) isIdle();
        await signal.sleep(await untilNext());
      } catch (error) {
        log.error({ error, loop: name }, 'could not look for work');
        isIdle();
        await signal.sleep(AFTER_ERROR_MS);
      }
    }
  };
  const running = run();

  return {
    wake: () => signal.wake(),
    nextDue: () => nextDue(clock.now()),
    settled: () => settled(clock.now()),
    async drain() {
      const began = monotonicMs();
      while (!stopping) {
        const idle = new Promise<void>((resolve) => waitingForIdle.push(resolve));
        signal.wake();
        await idle;
        if (await settled(clock.now())) return;
        if (monotonicMs() - began > DRAIN_WITHIN_MS) return log.warn({ loop: name }, 'did not come to rest');
        await pause(DRAIN_PAUSE_MS);
      }
    },
    async stop() {
      stopping = true;
      signal.wake();
      await running;
      const began = monotonicMs();
      while (busy() > 0 && monotonicMs() - began < STOP_WITHIN_MS) await pause(DRAIN_PAUSE_MS);
      isIdle();
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
