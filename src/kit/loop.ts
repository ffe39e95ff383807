import { type Clock, monotonicMs, SECOND } from './clock.ts';
import type { Log } from './log.ts';

/** Work that comes due: what the sandbox's clock steps through, and what a test waits for. */
export interface DueWork {
  /** Resolves once nothing is due any more at the clock's present time. */
  drain(): Promise<void>;
  /** Whether nothing is due now, nor under way, here or in another process. */
  settled(): Promise<boolean>;
  /** When something is due next, after this moment or else after now; null: nothing is planned. */
  nextDue(after?: Date): Promise<Date | null>;
}

export interface Loop extends DueWork {
  wake(): void;
  /** Says that something comes due then: saves a look, and the question when to look. */
  plan(at: Date): void;
  /** Says that nothing is under way any more. Wakes only who waits for that. */
  rest(): void;
  /** Looks no more; resolves once what is under way has ended, or was broken off after a while. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** For the log. */
  name: string;
  clock: Clock;
  log: Log;
  /** Does some of what is due, or sets it going; answers whether another step would find more at once. */
  step: () => Promise<boolean>;
  /** How much of what was set going is still under way. */
  busy: () => number;
  nextDue: (now: Date) => Promise<Date | null>;
  settled: (now: Date) => Promise<boolean>;
  /** Looks at least this often. */
  pollMs?: number;
  /** Between two looks, unless there was more at once: what comes due meanwhile is done together. */
  pauseMs?: number;
  /** A stop has waited for as long as it may: ends what is still under way. */
  breakOff?: () => void;
}

/**
 * What is under way when a stop begins has so long to end. It fits into the time that a process has for stopping, with
 * some left to write down what was broken off and to close the database.
 */
export const FINISH_WITHIN_MS = 6 * SECOND;
const BREAK_OFF_WITHIN_MS = SECOND;

/** Underneath the wakes, for those that got lost; also how the moved clock of another process is noticed. */
const POLL_MS = SECOND;
/** What is planned meanwhile lies further ahead than this, or comes with a wake. */
const ASK_AGAIN_AFTER_MS = 200;
const AFTER_ERROR_MS = SECOND;
const PAUSE_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Runs while there is work, sleeps until it is woken, until the next thing is due, or for a second. */
export function startLoop(options: LoopOptions): Loop {
  const { name, clock, log, step, busy, nextDue, settled, pollMs = POLL_MS, pauseMs = 0, breakOff } = options;
  const signal = createSignal();
  let stopping = false;
  /** Whether to look before the next sleep. */
  let looking = true;
  let lookedAt = clock.now();
  let waitingForRest: (() => void)[] = [];

  const wake = (): void => {
    looking = true;
    signal.wake();
  };

  const atRest = (): void => {
    const waiting = waitingForRest;
    waitingForRest = [];
    for (const resolve of waiting) resolve();
  };

  /** What was said to come due before the next look that comes anyway, as milliseconds. */
  const planned = new Set<number>();
  let due: Date | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  const untilNext = async (): Promise<number> => {
    // What was due has been looked for by now: to keep waiting for it would be not to wait at all.
    const isPast = due !== null && due.getTime() <= clock.now().getTime();
    if (isPast || monotonicMs() - askedAt >= ASK_AGAIN_AFTER_MS) {
      // After the last look rather than after now: what came due during it was not among what it found.
      due = await nextDue(lookedAt);
      askedAt = monotonicMs();
    }
    const next = Math.min(due?.getTime() ?? Number.POSITIVE_INFINITY, ...planned);
    return Math.min(pollMs, Math.max(0, next - clock.now().getTime()));
  };

  let began = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<boolean> => {
    const early = began + pauseMs - monotonicMs();
    if (early > 0 && waitingForRest.length === 0) await pause(early);
    began = monotonicMs();
    looking = false;
    lookedAt = clock.now();
    for (const at of planned) if (at <= lookedAt.getTime()) planned.delete(at);
    const more = await step();
    if (more) looking = true;
    else if (busy() === 0) atRest();
    return more;
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      try {
        if (looking && (await look())) continue;
        if ((await signal.sleep(await untilNext())) === 'not woken') looking = true;
      } catch (error) {
        log.error({ error, loop: name }, 'could not look for work');
        atRest();
        await signal.sleep(AFTER_ERROR_MS);
        looking = true;
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
      if (waitingForRest.length > 0) wake();
    },
    nextDue: (after = clock.now()) => nextDue(after),
    settled: () => settled(clock.now()),
    async drain() {
      const began = monotonicMs();
      while (!stopping) {
        const rest = new Promise<void>((resolve) => waitingForRest.push(resolve));
        wake();
        await rest;
        if (await settled(clock.now())) return;
        if (monotonicMs() - began > DRAIN_WITHIN_MS) return log.warn({ loop: name }, 'did not come to rest');
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
      atRest();
    },
  };
}

/** Lets a loop sleep until it is woken. A wake that comes while it is busy is not lost: the next sleep ends at once. */
function createSignal() {
  let pending = false;
  let end: (() => void) | null = null;
  return {
    wake() {
      pending = true;
      end?.();
    },
    /** Ends when woken, or after this long. */
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
