import { type Clock, later, monotonicMs, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { Pool } from '../db/pool.ts';
import { anyUnsettled, nextDueSend } from './claimSql.ts';
import { listen } from './notify.ts';
import { Signal } from './signal.ts';
import { createWorker, type WorkerDeps } from './worker.ts';

/** Work that comes due: what the sandbox's clock steps through, and what a test waits for. */
export interface DueWork {
  /** Resolves once nothing is due any more at the clock's present time. */
  drain(): Promise<void>;
  /** When something is due next; null: nothing is planned. */
  nextDue(): Promise<Date | null>;
}

export interface Outbox extends DueWork {
  /** There is something new to send. Costs nothing when the worker is awake already. */
  wake(): void;
  /** Claims no more, and resolves once what is under way has ended, or after a while without it. */
  stop(): Promise<void>;
}

export type OutboxDeps = Omit<WorkerDeps, 'random'> & { random?: () => number };

/** Underneath the wakes, for those that got lost; also how a moved clock of another process is noticed. */
const POLL_MS = SECOND;
const AFTER_ERROR_MS = SECOND;
const STOP_WITHIN_MS = 25 * SECOND;
const DRAIN_PAUSE_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;

/** Starts sending. Everything that it needs is an argument; several may run on one database, in any number of processes. */
export function startOutbox(deps: OutboxDeps): Outbox {
  const { pool, clock, log } = deps;
  const worker = createWorker({ ...deps, random: deps.random ?? Math.random });
  const signal = new Signal();
  const listener = listen(pool, () => signal.wake(), log);
  worker.onRoom(() => signal.wake());
  let stopping = false;
  let idleListeners: (() => void)[] = [];

  const isIdle = (): void => {
    const listeners = idleListeners;
    idleListeners = [];
    for (const resolve of listeners) resolve();
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      try {
        if ((await worker.step()) > 0) continue;
        if (worker.busy() === 0) isIdle();
        await signal.sleep(await untilNext(pool, clock));
      } catch (error) {
        log.error({ error }, 'the outbox could not look for work');
        isIdle();
        await signal.sleep(AFTER_ERROR_MS);
      }
    }
  };
  const running = run();

  return {
    wake: () => signal.wake(),
    async drain() {
      const began = monotonicMs();
      for (;;) {
        const idle = new Promise<void>((resolve) => idleListeners.push(resolve));
        signal.wake();
        await idle;
        if (await isSettled(pool, clock)) return;
        if (monotonicMs() - began > DRAIN_WITHIN_MS || stopping) {
          log.warn({}, 'the outbox did not come to rest');
          return;
        }
        await pause(DRAIN_PAUSE_MS);
      }
    },
    nextDue: () => nextDue(pool, clock.now()),
    async stop() {
      stopping = true;
      worker.stop();
      signal.wake();
      await listener.stop();
      await running;
      isIdle();
      const began = monotonicMs();
      while (worker.busy() > 0 && monotonicMs() - began < STOP_WITHIN_MS) await pause(DRAIN_PAUSE_MS);
    },
  };
}

async function untilNext(pool: Pool, clock: Clock): Promise<number> {
  const due = await nextDue(pool, clock.now());
  return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(0, due.getTime() - clock.now().getTime()));
}

async function nextDue(pool: Pool, now: Date): Promise<Date | null> {
  const [row] = await nextDueSend(pool, now);
  return row?.due_at ?? null;
}

async function isSettled(pool: Pool, clock: Clock): Promise<boolean> {
  const [row] = await anyUnsettled(pool, clock.now());
  return row?.unsettled !== true;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
