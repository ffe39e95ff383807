import { type Clock, monotonicMs, SECOND } from './clock.ts';
import type { Log } from './log.ts';

/** Work that comes due. The sandbox's clock steps through it, and tests wait for it. */
export interface DueWork {
  /** Resolves once nothing is due at the clock's present time. */
  drain(): Promise<void>;
  /** Whether nothing is due or in progress, here or in another process. */
  settled(): Promise<boolean>;
  /** When the next work is due after the given time (default: now); null if none is planned. */
  nextDue(after?: Date): Promise<Date | null>;
}

export interface Loop extends DueWork {
  wake(): void;
  /** Announces that work comes due at this time: saves a query for it. */
  plan(at: Date): void;
  /** Announces that nothing is in progress any more. Wakes only a caller of `drain`. */
  rest(): void;
  /** Starts no further step; resolves once the work in progress has ended or was broken off. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** For the log. */
  name: string;
  clock: Clock;
  log: Log;
  /** Does some of the due work, or starts it; resolves to whether another step would find more now. */
  step: () => Promise<boolean>;
  /** How much of the started work is still in progress. */
  busy: () => number;
  nextDue: (now: Date) => Promise<Date | null>;
  settled: (now: Date) => Promise<boolean>;
  /** The longest time between two steps. */
  pollMs?: number;
  /**
   * The shortest time between two steps, unless the last one found more: work that comes due meanwhile is done
   * together.
   */
  pauseMs?: number;
  /** Called when a stop has waited long enough: ends the work in progress. */
  breakOff?: () => void;
}

/**
 * How long a stop waits for the work in progress. It leaves time, within the process's limit for stopping, to
 * record the broken-off work and to close the database.
 */
export const FINISH_WITHIN_MS = 6 * SECOND;
const BREAK_OFF_WITHIN_MS = SECOND;

/**
 * Polls in addition to wakes, in case one got lost; also how a process notices that another moved the sandbox's
 * clock.
 */
const POLL_MS = SECOND;
/** Work that is planned meanwhile is further ahead than this, or comes with a wake. */
const NEXT_DUE_MAX_AGE_MS = 200;
const AFTER_ERROR_MS = SECOND;
const PAUSE_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Steps while there is work; sleeps until a wake, the next due time, or the poll interval. */
export function startLoop(options: LoopOptions): Loop {
  const { name, clock, log, step, busy, nextDue, settled, pollMs = POLL_MS, pauseMs = 0, breakOff } = options;
  const signal = createSignal();
  let stopping = false;
  /** Whether to step before the next sleep. */
  let stepPending = true;
  let steppedAt = clock.now();
  let idleWaiters: (() => void)[] = [];

  const wake = (): void => {
    stepPending = true;
    signal.wake();
  };

  const notifyIdle = (): void => {
    const waiting = idleWaiters;
    idleWaiters = [];
    for (const resolve of waiting) resolve();
  };

  /** Announced due times before the next poll, in milliseconds. */
  const planned = new Set<number>();
  let due: Date | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  const untilNext = async (): Promise<number> => {
    // The step has already handled work that was due then; waiting for it would be a busy loop.
    const isPast = due !== null && due.getTime() <= clock.now().getTime();
    if (isPast || monotonicMs() - askedAt >= NEXT_DUE_MAX_AGE_MS) {
      // After the last step rather than after now: that step did not find work that came due during it.
      due = await nextDue(steppedAt);
      askedAt = monotonicMs();
    }
    const next = Math.min(due?.getTime() ?? Number.POSITIVE_INFINITY, ...planned);
    return Math.min(pollMs, Math.max(0, next - clock.now().getTime()));
  };

  let began = Number.NEGATIVE_INFINITY;
  const runStep = async (): Promise<boolean> => {
    const early = began + pauseMs - monotonicMs();
    if (early > 0 && idleWaiters.length === 0) await pause(early);
    began = monotonicMs();
    stepPending = false;
    steppedAt = clock.now();
    for (const at of planned) if (at <= steppedAt.getTime()) planned.delete(at);
    const more = await step();
    if (more) stepPending = true;
    else if (busy() === 0) notifyIdle();
    return more;
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      try {
        if (stepPending && (await runStep())) continue;
        if ((await signal.sleep(await untilNext())) === 'not woken') stepPending = true;
      } catch (error) {
        log.error({ error, loop: name }, 'loop step failed');
        notifyIdle();
        await signal.sleep(AFTER_ERROR_MS);
        stepPending = true;
      }
    }
  };
  const running = run();

  return {
    wake,
    plan: (at) => {
      if (at.getTime() - clock.now().getTime() >= pollMs) return;
      const isFirst = at.getTime() < Math.min(...planned);
      planned.add(at.getTime());
      if (isFirst) signal.wake();
    },
    rest: () => {
      if (idleWaiters.length > 0) wake();
    },
    nextDue: (after = clock.now()) => nextDue(after),
    settled: () => settled(clock.now()),
    async drain() {
      const began = monotonicMs();
      while (!stopping) {
        const rest = new Promise<void>((resolve) => idleWaiters.push(resolve));
        wake();
        await rest;
        if (await settled(clock.now())) return;
        if (monotonicMs() - began > DRAIN_WITHIN_MS)
          return log.warn({ loop: name }, 'loop not drained in time');
        await pause(PAUSE_MS);
      }
    },
    async stop() {
      const began = monotonicMs();
      const ended = async (withinMs: number): Promise<void> => {
        while (busy() > 0 && monotonicMs() - began < withinMs) await pause(PAUSE_MS);
      };
      stopping = true;
      wake();
      await running;
      await ended(FINISH_WITHIN_MS);
      if (busy() > 0) breakOff?.();
      await ended(FINISH_WITHIN_MS + BREAK_OFF_WITHIN_MS);
      notifyIdle();
    },
  };
}

/** Lets a loop sleep until a wake. A wake while the loop is busy is kept: the next sleep ends at once. */
function createSignal() {
  let pending = false;
  let end: (() => void) | null = null;
  return {
    wake() {
      pending = true;
      end?.();
    },
    /** Ends at a wake, or after this long. */
    async sleep(milliseconds: number): Promise<'woken' | 'not woken'> {
      if (!pending) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          end = resolve;
          timer = setTimeout(resolve, milliseconds);
        });
        clearTimeout(timer);
        end = null;
      }
      const how = pending ? 'woken' : 'not woken';
      pending = false;
      return how;
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
