import { divideConnections, type PushConcurrency } from '../config/connections.ts';
import { requireShard } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Slots } from '../kit/slots.ts';
import { type AcceptDeps, acceptGroup, asApiError } from './accept.ts';
import { acceptBatch, type Batch } from './acceptBatch.ts';
import { createGroups, isDatabaseDown, ONE_BY_ONE } from './groups.ts';
import type { PushOutcome, PushResponse } from './outcomes.ts';
import type { PushItem } from './request.ts';
import { createWriteProgress } from './writeProgress.ts';

export interface Pushes {
  push(item: PushItem): Promise<PushResponse>;
  batch(batch: Batch): Promise<PushResponse>;
  /** Whether writes have stopped making progress. */
  stalled(): boolean;
  /** Resolves when no push is waiting or being written. */
  idle(): Promise<void>;
}

const MAX_WAITING_BATCHES = 200;
const MAX_WAITING_BATCH_BYTES = 128 * 1024 * 1024;
const ALL_CONNECTIONS = divideConnections(null, { api: true, worker: false }).pushes;

/**
 * The entry for every push. Single pushes are gathered into groups; a batch is a group of its own. All of them wait in queues,
 * so that they do not use up the database connections.
 */
export function createPushes(
  deps: AcceptDeps,
  concurrency: PushConcurrency = ALL_CONNECTIONS,
  slots: { deferredSlots?: Slots } = {},
): Pushes {
  const progress = createWriteProgress(monotonicMs);
  const accept = (items: PushItem[], options: { wait: boolean }): Promise<PushOutcome[]> =>
    progress.follow(acceptGroup(deps, items, options), isDatabaseDown);
  const acceptOneBatch = (batch: Batch): Promise<PushResponse> =>
    progress.follow(acceptBatch(deps, batch), isDatabaseDown);

  const groups = createGroups<PushItem>({ pool: deps.pool, concurrency, accept, ...slots });
  const batches = coalesce<Batch, PushResponse>({
    ...ONE_BY_ONE,
    spareConcurrency: concurrency.spareSingle,
    run: (one) => Promise.all(one.map(acceptOneBatch)),
    concurrency: concurrency.batches,
    maxWaiting: MAX_WAITING_BATCHES,
    maxWaitingBytes: MAX_WAITING_BATCH_BYTES,
  });

  const addBatch = async (batch: Batch): Promise<PushResponse> => {
    requireShard(deps.pool, batch.businessId);
    return batches.add(batch);
  };

  return {
    push: (item) => answerOf(groups.add(item)),
    batch: (batch) => addBatch(batch).catch(rethrow),
    stalled: () => progress.stalled(),
    async idle() {
      for (const queue of [groups, batches]) await queue.idle();
    },
  };
}

/** What the caller of an item in a group gets. */
export async function answerOf(running: Promise<PushOutcome>): Promise<PushResponse> {
  const outcome = await running.catch(rethrow);
  if (outcome.kind === 'answer') return outcome.answer;
  if (outcome.kind === 'error') throw outcome.error;
  throw new Error('an item was deferred twice');
}

function rethrow(error: unknown): never {
  throw asApiError(error);
}
