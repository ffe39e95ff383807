import type { Dispatcher } from 'undici';
import { createRateLimit } from '../api/rateLimit.ts';
import { connectionCallRoutes } from '../callbacks/connections.ts';
import type { HandleDeps } from '../connections/calls.ts';
import { startCatchUp } from '../connections/catchUp.ts';
import { createKeySets } from '../connections/keySets.ts';
import { createReceiver } from '../connections/receive.ts';
import { startRegistering } from '../connections/register.ts';
import { callsDue, startConnectionWorker } from '../connections/worker.ts';
import { createNotifier } from '../db/wake.ts';
import { sandboxOn } from '../environment/config.ts';
import { systemClock } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';
import { watched } from '../outbox/dueWorks.ts';
import type { Foundation } from './foundation.ts';

/** What stores and tracking services make a process do: in this one, or in the worker processes that it notifies. */
export interface ConnectionWork {
  /** Calls were stored. */
  onCalls: () => void;
  works: readonly DueWork[];
  stop(): Promise<void>;
}

export function startConnectionWork(
  foundation: Foundation,
  handling: Pick<HandleDeps, 'pushes' | 'previews' | 'tracking'>,
  client: Dispatcher,
): ConnectionWork {
  const { pool, clock, log, config } = foundation;
  if (!config.roles.worker) {
    const onCalls = createNotifier(pool, 'waypost_connections', log);
    const works = sandboxOn(config) ? [watched({ clock, ...callsDue(pool) }, onCalls)] : [];
    return { onCalls, works, stop: async () => {} };
  }
  const worker = startConnectionWorker({ ...foundation, ...handling });
  const onCalls = worker.wake;
  const readers = [
    startCatchUp({ ...foundation, client, onCalls }),
    startRegistering({ ...foundation, client }),
  ];
  return {
    onCalls,
    works: [worker],
    async stop() {
      await Promise.all([worker, ...readers].map((loop) => loop.stop()));
    },
  };
}

/** The addresses that stores and tracking services call. */
export function connectionCallbacks(foundation: Foundation, { onCalls }: ConnectionWork, client: Dispatcher) {
  const { config, log, metrics } = foundation;
  return connectionCallRoutes({
    receiver: createReceiver({
      ...foundation,
      wallClock: systemClock,
      ...createKeySets({ client, clock: systemClock }),
      onCalls,
    }),
    rateLimit: createRateLimit(config.rateLimit),
    log,
    observe: metrics.observeConnectionCall,
  });
}
