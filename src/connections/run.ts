import { divideConnections } from '../config/connections.ts';
import type { PushResult } from '../contract/push.ts';
import { later, SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { createSlots } from '../kit/slots.ts';
import { createPreviews, type PreviewDeps, type Previews } from '../push/preview.ts';
import { createPushes } from '../push/pushes.ts';
import { createTracking } from '../tracking/tracking.ts';
import { leaseStamp, leaseUntil } from '../webhooks/lease.ts';
import { type CallEntry, readCall } from './callLog.ts';
import type { HandleDeps } from './calls.ts';
import { handleClaimed } from './worker.ts';
import { takeCall } from './workerSql.ts';

export interface CallRef {
  businessId: string;
  connectionId: string;
  callId: string;
}

const RUN_LEASE_MS = 30 * SECOND;
const RUNNER_NAME_CHARACTERS = 12;

/**
 * Handles a call again with today's settings: what was not told before is told, and a watched call shows anew what it would send. Null:
 * there is no such call. One that a worker handles at this moment is left to it.
 */
export async function runAgain(deps: HandleDeps, of: CallRef): Promise<CallEntry | null> {
  const { pool, clock } = deps;
  const { businessId, connectionId, callId } = of;
  const now = clock.now();
  const lease = leaseUntil(later(now, RUN_LEASE_MS), randomText(RUNNER_NAME_CHARACTERS));
  const claimed = await takeCall(pool, businessId, connectionId, callId, leaseStamp(now), lease, now);
  await handleClaimed(deps, claimed, { lease, isAgain: true });
  return readCall(pool, of);
}

/** For a process without pushes of its own. Workers notice what it queues by polling. */
export function handlerFor(deps: PreviewDeps): HandleDeps & { previews: Previews } {
  const accept = {
    ...deps,
    render: (result: PushResult) => JSON.stringify(result),
    onSendsOf: () => {},
    onEvents: () => {},
  };
  const concurrency = divideConnections(null, { api: true, worker: false }).pushes;
  const pushes = createPushes(accept);
  const tracking = createTracking(accept, concurrency, { deferredSlots: createSlots(concurrency.deferred) });
  return { ...deps, pushes, previews: createPreviews(deps), tracking, log: SILENT };
}

const SILENT: Pick<Log, 'warn' | 'error'> = { warn: () => {}, error: () => {} };
