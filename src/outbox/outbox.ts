import { listen } from '../db/wake.ts';
import { anyUnsettled, nextDueSend } from './claimSql.ts';
import { startHousekeeping } from './housekeeping.ts';
import { allDue, type Loop, startLoop } from './loop.ts';

import { createWorker, type WorkerDeps } from './worker.ts';

export type Outbox = Loop;
export type OutboxDeps = Omit<WorkerDeps, 'random'> & { random?: () => number };

/** Starts sending. Everything that it needs is an argument; several may run on one database, in any number of processes. */
export function startOutbox(deps: OutboxDeps): Outbox {
  const { pool, clock, log } = deps;
  const worker = createWorker({ ...deps, random: deps.random ?? Math.random });
  const loop = startLoop({
    name: 'outbox',
    clock,
    log,
    step: () => worker.step(),
    busy: () => worker.busy(),
    nextDue: async (now) => (await nextDueSend(pool, now))[0]?.due_at ?? null,
    settled: async (now) => (await anyUnsettled(pool, now))[0]?.unsettled !== true,
  });
  worker.onRoom(() => loop.wake());
  const listener = listen(pool, 'waypost_outbox', () => loop.wake(), log);

  const housekeeping = startHousekeeping(deps);

  return {
    ...allDue([loop, housekeeping]),
    wake: () => loop.wake(),
    async stop() {
      worker.stop();
      await listener.stop();
      await Promise.all([loop.stop(), housekeeping.stop()]);
    },
  };
}
