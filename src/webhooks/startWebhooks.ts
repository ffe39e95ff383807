import { listen } from '../db/wake.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { createSignal } from '../kit/signal.ts';
import type { AttemptDeps } from './attempt.ts';
import { anyDue, nextDueDelivery } from './claimSql.ts';
import { createWorker } from './worker.ts';

export interface Webhooks {
  /** There is something new to deliver. Costs nothing when the worker is awake already. */
  wake(): void;
  /** Resolves once nothing is due any more at the clock's present time. */
  drain(): Promise<void>;
  /** Whether nothing is due now, nor under way, here or in another process. */
  settled(): Promise<boolean>;
  /** When something is due next; null: nothing is planned. */
  nextDue(): Promise<Date | null>;
  /** Claims no more, and resolves once what is under way has ended, or after a while without it. */
  stop(): Promise<void>;
}

export type WebhooksDeps = Omit<AttemptDeps, 'random'> & { random?: () => number };

/** Underneath the wakes, for those that got lost; also how a moved clock of another process is noticed. */
const POLL_MS = 1 * SECOND;
const AFTER_ERROR_MS = 1 * SECOND;
const PAUSE_MS = 15;
const DRAIN_WITHIN_MS = 60 * SECOND;
const STOP_WITHIN_MS = 15 * SECOND;

/** Starts delivering. Everything it needs is an argument; several may run on one database, in any number of processes. */
export function startWebhooks(deps: WebhooksDeps): Webhooks {
  const { pool, clock, log } = deps;
  const signal = createSignal();
  const listener = listen(pool, 'waypost_webhooks', () => signal.wake(), log);
  let stopping = false;
  let draining: (() => void)[] = [];
  const worker = createWorker({
    ...deps,
    random: deps.random ?? Math.random,
    onRoom: () => signal.wake(),
    onEmpty: () => {
      if (draining.length > 0) signal.wake();
    },
  });

  const atRest = (): void => {
    const waiting = draining;
    draining = [];
    for (const resolve of waiting) resolve();
  };

  const nextDue = async (): Promise<Date | null> => {
    const [row] = await nextDueDelivery(pool, clock.now());
    return row?.due_at ?? null;
  };

  const untilDue = async (): Promise<number> => {
    const due = await nextDue();
    return due === null ? POLL_MS : Math.min(POLL_MS, Math.max(0, due.getTime() - clock.now().getTime()));
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      try {
        if ((await worker.step()) > 0) continue;
        if (worker.held() === 0) atRest();
        await signal.sleep(await untilDue());
      } catch (error) {
        log.error({ error }, 'webhook deliveries could not be looked for');
        atRest();
        await signal.sleep(AFTER_ERROR_MS);
      }
    }
    atRest();
  };
  const running = run();

  const settled = async (): Promise<boolean> => {
    const [row] = await anyDue(pool, clock.now());
    return row?.due !== true;
  };

  return {
    settled,
    wake: () => signal.wake(),
    async drain() {
      const began = monotonicMs();
      while (!stopping) {
        const rest = new Promise<void>((resolve) => draining.push(resolve));
        signal.wake();
        await rest;
        if (await settled()) return;
        if (monotonicMs() - began > DRAIN_WITHIN_MS) return log.warn({}, 'webhooks did not come to rest');
        await pause(PAUSE_MS);
      }
    },
    nextDue,
    async stop() {
      stopping = true;
      worker.stop();
      signal.wake();
      await listener.stop();
      await running;
      const began = monotonicMs();
      while (worker.held() > 0 && monotonicMs() - began < STOP_WITHIN_MS) await pause(PAUSE_MS);
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
