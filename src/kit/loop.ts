import { type Clock, monotonicMs, pause, SECOND } from './clock.ts';
import type { Log } from './log.ts';

/*
 * The states of a loop:
 *
 *   stepping   does or starts due work. Then again, if the step found more or a wake came meanwhile; else it sleeps.
 *   sleeping   until a wake, the next due time (read from the database, or announced by `plan`), or the poll interval; then it steps.
 *   failed     a step, or the read of the next due time, threw: it is logged, and the loop steps again after a second or a wake.
 *   stopping   no further step. The work in progress has FINISH_WITHIN_MS to end; then it is aborted.
 *
 * `drain` waits until a step finds nothing while nothing is in progress, and begins again unless all is settled.
 */

/** Work that comes due. The sandbox's clock steps through it, and tests wait for it. */
export interface DueWork {
  /** Resolves once nothing is due at the clock's present time. */
  drain(): Promise<void>;
  /** Whether nothing is due or in progress, here or in another process. */
  settled(): Promise<boolean>;
  /** When the next work is due after the given time (default: now); null if none is planned. */
  nextDue(after?: Date): Promise<Date | null>;
}

export type Loop = Pick<PollingLoop, keyof PollingLoop>;

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
  abort?: () => void;
}

/**
 * How long a stop waits for the work in progress. It leaves time, within the process's limit for stopping, to
 * record the aborted work and to close the database.
 */
export const FINISH_WITHIN_MS = 6 * SECOND;
const ABORT_WITHIN_MS = SECOND;

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

class PollingLoop implements DueWork {
  readonly #options: LoopOptions;
  readonly #signal = createSignal();
  readonly #times: DueTimes;
  readonly #running: Promise<void>;
  #stopping = false;
  /** Whether to step before the next sleep. */
  #stepPending = true;
  /** When the last step began, for the pause between two steps. */
  #beganMs = Number.NEGATIVE_INFINITY;
  #idleWaiters: (() => void)[] = [];
  #endPause = (): void => {};

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#times = new DueTimes(options);
    this.#running = this.#run();
  }

  readonly wake = (): void => {
    this.#stepPending = true;
    this.#signal.wake();
  };

  /** Announces that work comes due at this time: saves a query for it. */
  readonly plan = (at: Date): void => {
    if (this.#times.plan(at)) this.#signal.wake();
  };

  /** Announces that nothing is in progress any more. Wakes only a caller of `drain`. */
  readonly notifyIdle = (): void => {
    if (this.#idleWaiters.length > 0) this.wake();
  };

  readonly nextDue = (after = this.#now()): Promise<Date | null> => this.#options.nextDue(after);

  readonly settled = (): Promise<boolean> => this.#options.settled(this.#now());

  readonly drain = async (): Promise<void> => {
    const { name, log } = this.#options;
    const began = monotonicMs();
    while (!this.#stopping) {
      const idle = new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
      this.wake();
      this.#endPause();
      await idle;
      if (await this.settled()) return;
      if (monotonicMs() - began > DRAIN_WITHIN_MS)
        return log.warn({ loop: name }, 'loop not drained in time');
      await pause(PAUSE_MS);
    }
  };

  /** Starts no further step; resolves once the work in progress has ended or was aborted. */
  readonly stop = async (): Promise<void> => {
    const { busy, abort } = this.#options;
    const began = monotonicMs();
    const ended = async (withinMs: number): Promise<void> => {
      while (busy() > 0 && monotonicMs() - began < withinMs) await pause(PAUSE_MS);
    };
    this.#stopping = true;
    this.wake();
    await this.#running;
    await ended(FINISH_WITHIN_MS);
    if (busy() > 0) abort?.();
    await ended(FINISH_WITHIN_MS + ABORT_WITHIN_MS);
    this.#resolveIdle();
  };

  #now(): Date {
    return this.#options.clock.now();
  }

  async #run(): Promise<void> {
    const { name, log } = this.#options;
    while (!this.#stopping) {
      try {
        if (this.#stepPending && (await this.#step())) continue;
        if ((await this.#signal.sleep(await this.#times.untilNext())) === 'not woken')
          this.#stepPending = true;
      } catch (error) {
        log.error({ error, loop: name }, 'loop step failed');
        this.#resolveIdle();
        await this.#signal.sleep(AFTER_ERROR_MS);
        this.#stepPending = true;
      }
    }
  }

  async #step(): Promise<boolean> {
    const { step, busy, pauseMs = 0 } = this.#options;
    const early = this.#beganMs + pauseMs - monotonicMs();
    if (early > 0 && this.#idleWaiters.length === 0) await this.#pause(early);
    this.#beganMs = monotonicMs();
    this.#stepPending = false;
    this.#times.stepped();
    const more = await step();
    if (more) this.#stepPending = true;
    else if (busy() === 0) this.#resolveIdle();
    return more;
  }

  /** Ends early for a caller of `drain`. */
  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #resolveIdle(): void {
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}

/** Steps while there is work; sleeps until a wake, the next due time, or the poll interval. */
export const startLoop = (options: LoopOptions): Loop => new PollingLoop(options);

/** When a loop has to step next, by the clock. */
class DueTimes {
  readonly #clock: Clock;
  readonly #nextDue: LoopOptions['nextDue'];
  readonly #pollMs: number;
  /** Announced due times before the next poll, in milliseconds. */
  readonly #planned = new Set<number>();
  #steppedAt: Date;
  #due: Date | null = null;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, nextDue, pollMs = POLL_MS }: LoopOptions) {
    this.#clock = clock;
    this.#nextDue = nextDue;
    this.#pollMs = pollMs;
    this.#steppedAt = clock.now();
  }

  /** Whether it comes before all others that are planned. */
  plan(at: Date): boolean {
    if (at.getTime() - this.#clock.now().getTime() >= this.#pollMs) return false;
    const isFirst = at.getTime() < Math.min(...this.#planned);
    this.#planned.add(at.getTime());
    return isFirst;
  }

  stepped(): void {
    this.#steppedAt = this.#clock.now();
    for (const at of this.#planned) if (at <= this.#steppedAt.getTime()) this.#planned.delete(at);
  }

  async untilNext(): Promise<number> {
    // The step has already handled work that was due then; waiting for it would be a busy loop.
    const isPast = this.#due !== null && this.#due.getTime() <= this.#clock.now().getTime();
    if (isPast || monotonicMs() - this.#askedMs >= NEXT_DUE_MAX_AGE_MS) {
      // After the last step rather than after now: that step did not find work that came due during it.
      this.#due = await this.#nextDue(this.#steppedAt);
      this.#askedMs = monotonicMs();
    }
    const next = Math.min(this.#due?.getTime() ?? Number.POSITIVE_INFINITY, ...this.#planned);
    return Math.min(this.#pollMs, Math.max(0, next - this.#clock.now().getTime()));
  }
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
