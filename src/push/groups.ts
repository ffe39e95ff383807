import type { PushConcurrency } from '../config/connections.ts';
import { isLockTimeout, isUnavailable } from '../db/errors.ts';
import { type Pool, requireShard, shardsOf } from '../db/pool.ts';
import { coalesce } from '../kit/coalesce.ts';
import { createSlots, type Slots } from '../kit/slots.ts';
import type { PushOutcome } from './outcomes.ts';

const MAX_GROUP_SIZE = 100;
/** A smaller second group costs more per push than running it concurrently gains (measured). */
const MIN_GROUP_SIZE = 16;
/** A group usually takes some milliseconds. One that takes longer than this waits for a lock, and others need not. */
const LATE_AFTER_MS = 200;
/** Limits per business; all businesses together may have twice as much waiting. */
const MAX_WAITING = 2_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** What waits to be written in a group: a push, or a tracking event. */
export interface Gathered {
  businessId: string;
  bytes: number;
}

/** In each queue the businesses take turns. */
export const FAIR_QUEUE = {
  maxWaiting: MAX_WAITING,
  maxWaitingBytes: MAX_WAITING_BYTES,
  sizeOf: ({ bytes }: Gathered) => bytes,
  tenantOf: ({ businessId }: Gathered) => businessId,
};

export const ONE_BY_ONE = { ...FAIR_QUEUE, maxItems: 1 };

interface Gathering<Item> {
  pool: Pool;
  concurrency: Pick<PushConcurrency, 'groups' | 'spareGroups' | 'deferred' | 'spareSingle'>;
  /** `wait`: whether to wait for what another transaction has locked; if not, these items are deferred. */
  accept: (items: Item[], options: { wait: boolean }) => Promise<PushOutcome[]>;
  /** Shared by those whose deferred items wait for locks, so that together they do not use up the connections. */
  deferredSlots?: Slots;
}

/** Gathers what arrives at the same time into groups. What another transaction has locked runs again alone. */
export function createGroups<Item extends Gathered>({
  pool,
  concurrency,
  accept,
  deferredSlots,
}: Gathering<Item>) {
  const deferred = coalesce<Item, PushOutcome>({
    ...ONE_BY_ONE,
    run: (items) => accept(items, { wait: true }),
    concurrency: concurrency.deferred,
    spareConcurrency: concurrency.spareSingle,
    ...(deferredSlots && { slots: deferredSlots }),
  });

  /** If a group fails, each of its items runs alone, so that one bad item does not fail the others. */
  async function acceptGathered(items: Item[]): Promise<(PushOutcome | Promise<PushOutcome>)[]> {
    const outcomes = await accept(items, { wait: false }).catch((error: unknown) => {
      if (items.length === 1 || isDatabaseDown(error)) throw error;
      return items.map((): PushOutcome => ({ kind: 'deferred' }));
    });
    return outcomes.map((outcome, index) => {
      const item = items[index];
      return outcome.kind === 'deferred' && item ? deferred.add(item) : outcome;
    });
  }

  const groups = createGroupsOfShards(pool, concurrency, acceptGathered);
  return {
    add: (item: Item): Promise<PushOutcome> => groups.add(item),
    async idle(): Promise<void> {
      for (const queue of [groups, deferred]) await queue.idle();
    },
  };
}

/** Each of several shards has groups of its own, one at a time, and the shards take turns: so groups grow. A slow one keeps no other waiting. */
function createGroupsOfShards<Item extends Gathered>(
  pool: Pool,
  { groups, spareGroups }: Pick<PushConcurrency, 'groups' | 'spareGroups'>,
  run: (items: Item[]) => Promise<(PushOutcome | Promise<PushOutcome>)[]>,
) {
  const shards = shardsOf(pool);
  const turns = {
    concurrency: 1,
    spareConcurrency: 0,
    slots: createSlots(groups),
    lateAfterMs: LATE_AFTER_MS,
  };
  const createShardGroups = () =>
    coalesce<Item, PushOutcome>({
      ...FAIR_QUEUE,
      run,
      maxItems: MAX_GROUP_SIZE,
      minListSize: MIN_GROUP_SIZE,
      maxWaitingBytes: MAX_WAITING_BYTES / shards.count,
      ...(shards.count > 1 ? turns : { concurrency: groups, spareConcurrency: spareGroups }),
    });
  const byShard = new Map<number, ReturnType<typeof createShardGroups>>();
  return {
    async add(item: Item): Promise<PushOutcome> {
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
export const isDatabaseDown = (error: unknown): boolean => isUnavailable(error) && !isLockTimeout(error);
