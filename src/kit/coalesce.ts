import { ApiError } from './errors.ts';

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
  maxWaiting: number;
  maxWaitingBytes: number;
  sizeOf: (item: In) => number;
}

interface Waiting<In, Out> {
  item: In;
  bytes: number;
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
  let waiting: Waiting<In, Out>[] = [];
  let waitingBytes = 0;
  let running = 0;
  let scheduled = false;
  let onIdle: (() => void)[] = [];

  const startLists = () => {
    scheduled = false;
    while (running < options.lanes && waiting.length > 0) {
      const share = Math.ceil(waiting.length / (options.lanes - running));
      const size = Math.min(options.maxItems, Math.max(share, options.worthALane ?? waiting.length));
      const list = waiting.slice(0, size);
      waiting = waiting.slice(size);
      for (const { bytes } of list) waitingBytes -= bytes;
      running += 1;
      void work(list);
    }
  };

  const gather = (before: number, turns: number): void => {
    const stillComing = waiting.length > before && waiting.length < options.maxItems;
    if (stillComing && turns < GATHERING_TURNS) setImmediate(gather, waiting.length, turns + 1);
    else startLists();
  };

  const work = async (list: Waiting<In, Out>[]) => {
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
    running -= 1;
    startLists();
    if (running === 0 && waiting.length === 0) {
      for (const resolve of onIdle) resolve();
      onIdle = [];
    }
  };

  return {
    add(item) {
      const bytes = options.sizeOf(item);
      if (waiting.length >= options.maxWaiting || waitingBytes + bytes > options.maxWaitingBytes) {
        return Promise.reject(new ApiError('common.unavailable', undefined, { 'retry-after': '1' }));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, bytes, resolve, reject });
        waitingBytes += bytes;
        if (!scheduled && running < options.lanes) {
          scheduled = true;
          setImmediate(gather, 0, 0);
        }
      });
    },
    idle: () =>
      running === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => onIdle.push(resolve)),
  };
}
