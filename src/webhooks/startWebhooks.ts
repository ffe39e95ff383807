import { divideConnections } from '../config/connections.ts';
import { openWorkerPool, type Pool } from '../db/pool.ts';
import { listen } from '../db/wake.ts';
import { type Loop, type LoopOptions, startLoop } from '../kit/loop.ts';
import type { DeliveryAttemptDeps } from './attempt.ts';
import { anyDue, dueDeliveries } from './claimSql.ts';
import { WebhookWorker } from './worker.ts';

export type WebhookLoop = Omit<Loop, 'notifyIdle' | 'plan'>;
export type WebhooksDeps = Omit<DeliveryAttemptDeps, 'random'> & {
  random?: () => number;
  /** Of its own pool. */
  connections?: number;
  /** Called with that pool, for its metrics. */
  onPool?: (pool: Pool) => void;
};

const CONNECTIONS = divideConnections(null, { api: false, worker: true }).webhooks;

/** Starts delivering. Several can run on one database, in any number of processes. */
export function startWebhooks(deps: WebhooksDeps): WebhookLoop {
  const { clock, log } = deps;
  const pool = openWorkerPool(deps.pool, {
    max: deps.connections ?? CONNECTIONS,
    onError: (error) => log.warn({ error, pool: 'webhooks' }, 'idle database connection failed'),
  });
  deps.onPool?.(pool);
  const worker = new WebhookWorker({
    ...deps,
    pool,
    random: deps.random ?? Math.random,
    onCapacity: () => loop.wake(),
    onEmpty: () => loop.notifyIdle(),
  });
  const loop = startLoop({
    name: 'webhooks',
    clock,
    log,
    step: () => worker.step(),
    busy: () => worker.held(),
    abort: () => worker.abort(),
    ...deliveriesDue(pool),
  });
  const listener = listen(deps.pool, 'waypost_webhooks', () => loop.wake(), log);

  const stop = async (): Promise<void> => {
    worker.stop();
    await listener.stop();
    await loop.stop();
    await pool.end();
  };

  let stopping: Promise<void> | null = null;
  return {
    ...loop,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** When deliveries are due. The worker and a process that waits for it use the same queries. */
export const deliveriesDue = (pool: Pool): Pick<LoopOptions, 'nextDue' | 'settled'> => ({
  nextDue: (now) => dueDeliveries.next(pool, now),
  settled: async (now) => (await anyDue(pool, now))[0]?.due !== true,
});
