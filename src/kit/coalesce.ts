import { ApiError } from './errors.ts';
import { createFairQueue } from './fairQueue.ts';

export interface Coalescer<In, Out> {
  /** Answers once the list this item went into is done. */
  add(item: In): Promise<Out>;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Options<In, Out> {
  /**
   * Must answer one outcome an item, in order; when it throws, every item of that list fails with its error. An
   * outcome that is a promise keeps only its own caller waiting.
   */
  run: (items: In[]) => Promise<(Out | Promise<Out>)[]>;
  /** How many lists may run at once. */
  lanes: number;
  maxItems: number;
  /** What waits is shared among the free lanes where each gets at least so many; without it one takes them all. */
  worthALane?: number;
  /** The most that may wait of one tenant while no other tenant's items wait; all together may have twice that. */
  maxWaiting: number;
  maxWaitingBytes: number;
  sizeOf: (item: In) => number;
  /** Tenants take turns. Without it all items are of one. */
  tenantOf?: (item: In) => string;
  /**
   * Further lists that may run at once while one tenant has most of what runs (more items than are worth a lane, or than half of
   * the lanes), for tenants that have nothing in a list that runs.
   */
  spareLanes?: number;
}

interface Waiting<In, Out> {
  item: In;
  tenant: string;
  resolve: (out: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

/**
 * A list begins once a turn of the event loop has brought nothing new. Requests that were sent together are read over a
 * few turns, and each list costs as much again as several items in it; so many turns are the most that anyone waits.
 */
const GATHERING_TURNS = 6;

/**
 * Group commit: what arrives while a list is being worked on waits and becomes the next list, so that the cost of
 * a round trip is shared by all that came meanwhile, and a lone caller waits for nobody. What waits is bounded;
 * past the bound the caller is told to come back, since a growing queue only turns overload into slowness.
 */
export function coalesce<In, Out>(options: Options<In, Out>): Coalescer<In, Out> {
  const waiting = createFairQueue<Waiting<In, Out>>({
    maxItems: options.maxWaiting,
    maxBytes: options.maxWaitingBytes,
  });
  const { spareLanes = 0 } = options;
  let running = 0;
  let runningSpare = 0;
  /** How many items of each tenant are in lists that run. */
  const busy = new Map<string, number>();
  const most = options.worthALane ?? options.lanes / 2;
  const isCrowded = (): boolean => {
    for (const items of busy.values()) if (items > most) return true;
    return false;
  };
  let scheduled = false;
  let onIdle: (() => void)[] = [];

  const startLists = () => {
    scheduled = false;
    while (running < options.lanes && waiting.length > 0) {
      const share = Math.ceil(waiting.length / (options.lanes - running));
      const size = Math.min(options.maxItems, Math.max(share, options.worthALane ?? waiting.length));
      // The list takes as long for the tenant with one item as for the tenant with a hundred.
      const mostPerTenant = waiting.tenants > 1 ? options.worthALane : undefined;
      running += 1;
      void work(waiting.take({ most: size, ...(mostPerTenant && { mostPerTenant }) })).then(() => {
        running -= 1;
        listEnded();
      });
    }
    while (runningSpare < spareLanes && waiting.length > 0 && isCrowded()) {
      const list = waiting.take({ most: options.maxItems, except: busy });
      if (list.length === 0) return;
      runningSpare += 1;
      void work(list).then(() => {
        runningSpare -= 1;
        listEnded();
      });
    }
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
    if (stillComing && turns < GATHERING_TURNS) setImmediate(gather, waiting.length, turns + 1);
    else startLists();
  };

  const work = async (list: Waiting<In, Out>[]) => {
    for (const { tenant } of list) busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
    try {
      const outcomes = await options.run(list.map(({ item }) => item));
      list.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('a list answered too few outcomes'));
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
    running < options.lanes || (runningSpare < spareLanes && !busy.has(tenant) && isCrowded());

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
