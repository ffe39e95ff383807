import { divideConnections, type PushConcurrency } from '../config/connections.ts';
import { isLockTimeout, isUnavailable } from '../db/errors.ts';
import { type Pool, requireShard, shardsOf } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import { createSlots } from '../kit/slots.ts';
import { type AcceptDeps, acceptGroup, asApiError } from './accept.ts';
import { acceptBatch, type Batch } from './acceptBatch.ts';
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

const MAX_GROUP_SIZE = 100;
/** A smaller second group costs more per push than running it concurrently gains (measured). */
const MIN_GROUP_SIZE = 16;
/** A group usually takes some milliseconds. One that takes longer than this waits for a lock, and others need not. */
const LATE_AFTER_MS = 200;
/** Limits per business; all businesses together may have twice as much waiting. */
const MAX_WAITING = 2_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_WAITING_BATCHES = 200;
const MAX_WAITING_BATCH_BYTES = 128 * 1024 * 1024;
const ALL_CONNECTIONS = divideConnections(null, { api: true, worker: false }).pushes;

/** In each queue the businesses take turns. */
const FAIR_QUEUE = {
  maxWaiting: MAX_WAITING,
  maxWaitingBytes: MAX_WAITING_BYTES,
  sizeOf: ({ bytes }: { bytes: number }) => bytes,
  tenantOf: ({ businessId }: { businessId: string }) => businessId,
};

/**
 * The entry for every push. Single pushes are gathered into groups; a batch is a group of its own. All of them wait in queues,
 * so that they do not use up the database connections.
 */
export function createPushes(deps: AcceptDeps, concurrency: PushConcurrency = ALL_CONNECTIONS): Pushes {
  const progress = createWriteProgress(monotonicMs);
  const accept = (items: PushItem[], options: { wait: boolean }): Promise<PushOutcome[]> =>
    progress.follow(acceptGroup(deps, items, options), isDatabaseDown);
  const acceptOneBatch = (batch: Batch): Promise<PushResponse> =>
    progress.follow(acceptBatch(deps, batch), isDatabaseDown);

  const groups = createGroups(deps.pool, concurrency, (items) => acceptGathered(items));
  const oneByOne = { ...FAIR_QUEUE, maxItems: 1, spareConcurrency: concurrency.spareSingle };
  const deferred = coalesce<PushItem, PushOutcome>({
    ...oneByOne,
    run: (items) => accept(items, { wait: true }),
    concurrency: concurrency.deferred,
  });
  const batches = coalesce<Batch, PushResponse>({
    ...oneByOne,
    run: (one) => Promise.all(one.map(acceptOneBatch)),
    concurrency: concurrency.batches,
    maxWaiting: MAX_WAITING_BATCHES,
    maxWaitingBytes: MAX_WAITING_BATCH_BYTES,
  });

  const addBatch = async (batch: Batch): Promise<PushResponse> => {
    requireShard(deps.pool, batch.businessId);
    return batches.add(batch);
  };

  /** If a group fails, each of its items runs alone, so that one bad item does not fail the others. */
  async function acceptGathered(items: PushItem[]): Promise<(PushOutcome | Promise<PushOutcome>)[]> {
    const outcomes = await accept(items, { wait: false }).catch((error: unknown) => {
      if (items.length === 1 || isDatabaseDown(error)) throw error;
      return items.map((): PushOutcome => ({ kind: 'deferred' }));
    });
    return outcomes.map((outcome, index) => {
      const item = items[index];
      return outcome.kind === 'deferred' && item ? deferred.add(item) : outcome;
    });
  }

  return {
    push: (item) => groups.add(item).then(answerOf, rethrow),
    batch: (batch) => addBatch(batch).catch(rethrow),
    stalled: () => progress.stalled(),
    async idle() {
      for (const queue of [groups, deferred, batches]) await queue.idle();
    },
  };
}

function answerOf(outcome: PushOutcome): PushResponse {
  if (outcome.kind === 'answer') return outcome.answer;
  if (outcome.kind === 'error') throw outcome.error;
  throw new Error('a push was deferred twice');
}

/** Each of several shards has groups of its own, one at a time, and the shards take turns: so groups grow. A slow one keeps no other waiting. */
function createGroups(
  pool: Pool,
  { groups, spareGroups }: PushConcurrency,
  run: (items: PushItem[]) => Promise<(PushOutcome | Promise<PushOutcome>)[]>,
) {
  const shards = shardsOf(pool);
  const turns = {
    concurrency: 1,
    spareConcurrency: 0,
    slots: createSlots(groups),
    lateAfterMs: LATE_AFTER_MS,
  };
  const createShardGroups = () =>
    coalesce<PushItem, PushOutcome>({
      ...FAIR_QUEUE,
      run,
      maxItems: MAX_GROUP_SIZE,
      minListSize: MIN_GROUP_SIZE,
      maxWaitingBytes: MAX_WAITING_BYTES / shards.count,
      ...(shards.count > 1 ? turns : { concurrency: groups, spareConcurrency: spareGroups }),
    });
  const byShard = new Map<number, ReturnType<typeof createShardGroups>>();
  return {
    async add(item: PushItem): Promise<PushOutcome> {
      requireShard(pool, item.businessId);
      const shard = shards.of(item.businessId);
      const ofShard = byShard.get(shard) ?? createShardGroups();
      byShard.set(shard, ofShard);
      return ofShard.add(item);
    },
    idle: () => Promise.all(Array.from(byShard.values(), (ofShard) => ofShard.idle())),
  };
}

/** A lock timeout counts as unavailable elsewhere, but does not mean that the database is down. */
const isDatabaseDown = (error: unknown): boolean => isUnavailable(error) && !isLockTimeout(error);

function rethrow(error: unknown): never {
  throw asApiError(error);
}
