import { ApiError } from './errors.ts';
import { createFairQueue } from './fairQueue.ts';
import { type Slots, UNBOUNDED } from './slots.ts';

interface Coalescer<In, Out> {
  /** Resolves once the item's list is done. */
  add(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Options<In, Out> {
  /**
   * Must return one outcome per item, in order; if it throws, every item of the list fails with its error. An
   * outcome that is a promise delays only its own caller.
   */
  run: (items: In[]) => Promise<(Out | Promise<Out>)[]>;
  /** How many lists run at once. */
  concurrency: number;
  maxItems: number;
  /**
   * Waiting items are spread over the free slots if each gets at least this many; by default one list gets them
   * all.
   */
  minListSize?: number;
  /** How many items of one tenant can wait while no other tenant's do; all tenants together can have twice that. */
  maxWaiting: number;
  maxWaitingBytes: number;
  sizeOf: (item: In) => number;
  /** Lists are filled from the tenants in rotation. Default: one tenant. */
  tenantOf?: (item: In) => string;
  /**
   * Further lists that can run while one tenant has more running items than `minListSize` (by default, than half of the
   * concurrency), for tenants with no running item.
   */
  spareConcurrency?: number;
  /** A list that runs for longer makes room for one more: it may be waiting for a lock. Default: never. */
  lateAfterMs?: number;
  /** Shared with others: a list runs in one of them, and gives it back when it ends or is late. Default: as many as there are lists. */
  slots?: Slots;
}

interface Waiting<In, Out> {
  item: In;
  tenant: string;
  resolve: (out: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

/**
 * A list starts once a turn of the event loop brings no new item. Requests that arrive together are parsed over a
 * few turns, and a list costs as much as several items in it. An item waits at most this many turns.
 */
const GATHER_TURNS_MAX = 6;

/**
 * Group commit: items that arrive while a list runs wait and become the next list, so they share the cost of a
 * round trip, and a lone caller waits for nobody. The queue is bounded; beyond the bound the caller gets a 503,
 * because a longer queue only turns overload into latency.
 */
export function coalesce<In, Out>(options: Options<In, Out>): Coalescer<In, Out> {
  const waiting = createFairQueue<Waiting<In, Out>>({
    maxItems: options.maxWaiting,
    maxBytes: options.maxWaitingBytes,
  });
  const { spareConcurrency = 0, slots = UNBOUNDED } = options;
  let running = 0;
  /** Of those that run. */
  let late = 0;
  let runningSpare = 0;
  const freeSlots = (): number => options.concurrency - running + Math.min(late, 1);
  /** The number of running items per tenant. */
  const busy = new Map<string, number>();
  const crowdedAbove = options.minListSize ?? options.concurrency / 2;
  const isCrowded = (): boolean => {
    for (const items of busy.values()) if (items > crowdedAbove) return true;
    return false;
  };
  let scheduled = false;
  let onIdle: (() => void)[] = [];

  const startLists = () => {
    scheduled = false;
    while (freeSlots() > 0 && waiting.length > 0 && slots.take(startLists)) {
      const share = Math.ceil(waiting.length / freeSlots());
      const size = Math.min(options.maxItems, Math.max(share, options.minListSize ?? waiting.length));
      // A list takes equally long for the tenant with one item and the tenant with a hundred.
      const mostPerTenant = waiting.tenants > 1 ? options.minListSize : undefined;
      startList(waiting.dequeue({ most: size, ...(mostPerTenant && { mostPerTenant }) }));
    }
    while (runningSpare < spareConcurrency && waiting.length > 0 && isCrowded()) {
      const list = waiting.dequeue({ most: options.maxItems, except: busy });
      if (list.length === 0) return;
      runningSpare += 1;
      void work(list).then(() => {
        runningSpare -= 1;
        listEnded();
      });
    }
  };

  const startList = (list: Waiting<In, Out>[]): void => {
    running += 1;
    let isLate = false;
    const timer =
      options.lateAfterMs === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            late += 1;
            slots.release();
            startLists();
          }, options.lateAfterMs);
    void work(list).then(() => {
      clearTimeout(timer);
      if (isLate) late -= 1;
      else slots.release();
      running -= 1;
      listEnded();
    });
  };

  const listEnded = () => {
    startLists();
    if (running + runningSpare === 0 && waiting.length === 0) {
      for (const resolve of onIdle) resolve();
      onIdle = [];
    }
  };

  const gather = (before: number, turns: number): void => {
    const stillComing = waiting.length > before && waiting.length < options.maxItems;
    if (stillComing && turns < GATHER_TURNS_MAX) setImmediate(gather, waiting.length, turns + 1);
    else startLists();
  };

  const work = async (list: Waiting<In, Out>[]) => {
    for (const { tenant } of list) busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
    try {
      const outcomes = await options.run(list.map(({ item }) => item));
      list.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('a list returned too few outcomes'));
        else resolve(outcome);
      });
    } catch (error) {
      for (const { reject } of list) reject(error);
    }
    for (const { tenant } of list) {
      const left = (busy.get(tenant) ?? 1) - 1;
      if (left === 0) busy.delete(tenant);
      else busy.set(tenant, left);
    }
  };

  const mayStart = (tenant: string): boolean =>
    freeSlots() > 0 || (runningSpare < spareConcurrency && !busy.has(tenant) && isCrowded());

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        const tenant = options.tenantOf?.(item) ?? '';
        if (!waiting.add(tenant, { item, tenant, resolve, reject }, options.sizeOf(item))) {
          reject(new ApiError('common.unavailable', undefined, { 'retry-after': '1' }));
          return;
        }
        if (!scheduled && mayStart(tenant)) {
          scheduled = true;
          setImmediate(gather, 0, 0);
        }
      });
    },
    idle: () =>
      running + runningSpare === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => onIdle.push(resolve)),
  };
}
