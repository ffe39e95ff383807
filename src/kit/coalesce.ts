import { ApiError } from './errors.ts';
import { FairQueue } from './fairQueue.ts';
import { type Slots, UNBOUNDED } from './slots.ts';

/*
 * The states of an item:
 *
 *   waiting   in a queue that is fair to the tenants. Beyond its bound a caller gets a 503: a longer queue turns overload into latency.
 *   running   in a list with others. A list starts when no more items arrive (GATHER_TURNS_MAX) and a slot is free; a lone caller
 *             waits for nobody. What arrives meanwhile becomes the next list when one ends.
 *   answered  with its own outcome, or with the error of its list.
 *
 * The states of a running list:
 *
 *   regular   holds one of `concurrency` slots.
 *   late      has run for `lateAfterMs`, perhaps because it waits for a lock, and has given its slot back. All late lists together
 *             make room for one more.
 *   spare     holds one of `spareConcurrency` slots. It starts only while one tenant crowds the regular lists, with items of tenants
 *             that have none running.
 */

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
  /** The same for their sizes, where they have any. */
  maxWaitingBytes?: number;
  sizeOf?: (item: In) => number;
  /** Lists are filled from the tenants in rotation. Default: one tenant. */
  tenantOf?: (item: In) => string;
  /**
   * Further lists that can run while one tenant has more running items than `minListSize` (by default, than half of the
   * concurrency), for tenants with no running item.
   */
  spareConcurrency?: number;
  /** Default: no list is ever late. */
  lateAfterMs?: number;
  /** Shared with other coalescers: a regular list needs one of them, too. Default: as many as there are lists. */
  slots?: Slots;
}

interface Waiting<In, Out> {
  item: In;
  tenant: string;
  resolve: (out: Out | Promise<Out>) => void;
  reject: (error: unknown) => void;
}

/**
 * A list starts once a turn of the event loop brings no new item, and after this many turns at the latest. Requests that arrive
 * together are parsed over a few turns, and a list costs as much as several items in it.
 */
const GATHER_TURNS_MAX = 6;

/** Group commit: concurrent callers share the cost of a round trip. */
export const coalesce = <In, Out>(options: Options<In, Out>) => new Coalescer(options);

class Coalescer<In, Out> {
  readonly #options: Options<In, Out>;
  readonly #slots: Slots;
  readonly #waiting: FairQueue<Waiting<In, Out>>;
  /** The number of running items per tenant. */
  readonly #busy = new Map<string, number>();
  #running = { regular: 0, late: 0, spare: 0 };
  #isGathering = false;
  #onIdle: (() => void)[] = [];

  constructor(options: Options<In, Out>) {
    const { maxWaiting, maxWaitingBytes = Number.POSITIVE_INFINITY, slots = UNBOUNDED } = options;
    this.#options = options;
    this.#slots = slots;
    this.#waiting = new FairQueue({ maxItems: maxWaiting, maxBytes: maxWaitingBytes });
  }

  /** Resolves once the item's list is done. */
  add(item: In): Promise<Out> {
    const { tenantOf, sizeOf } = this.#options;
    return new Promise((resolve, reject) => {
      const tenant = tenantOf?.(item) ?? '';
      if (!this.#waiting.add(tenant, { item, tenant, resolve, reject }, sizeOf?.(item) ?? 0)) {
        reject(new ApiError('common.unavailable', undefined, { 'retry-after': '1' }));
      } else if (
        !this.#isGathering &&
        (this.#freeSlots > 0 || (this.#hasSpareSlot && !this.#busy.has(tenant)))
      ) {
        this.#isGathering = true;
        setImmediate(this.#gather, 0, 0);
      }
    });
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  get #isIdle(): boolean {
    const { regular, late, spare } = this.#running;
    return regular + late + spare === 0 && this.#waiting.length === 0;
  }

  /** However many lists are late, they make room for one. */
  get #freeSlots(): number {
    const { regular, late } = this.#running;
    return this.#options.concurrency - regular - Math.max(late - 1, 0);
  }

  get #hasSpareSlot(): boolean {
    const { spareConcurrency = 0, minListSize, concurrency } = this.#options;
    if (this.#running.spare >= spareConcurrency) return false;
    for (const items of this.#busy.values()) if (items > (minListSize ?? concurrency / 2)) return true;
    return false;
  }

  readonly #gather = (before: number, turns: number): void => {
    const { length } = this.#waiting;
    const stillComing = length > before && length < this.#options.maxItems;
    if (stillComing && turns < GATHER_TURNS_MAX) setImmediate(this.#gather, length, turns + 1);
    else this.#startLists();
  };

  readonly #startLists = (): void => {
    const { maxItems, minListSize } = this.#options;
    this.#isGathering = false;
    while (this.#freeSlots > 0 && this.#waiting.length > 0 && this.#slots.take(this.#startLists)) {
      const share = Math.ceil(this.#waiting.length / this.#freeSlots);
      const most = Math.min(maxItems, Math.max(share, minListSize ?? this.#waiting.length));
      // A list takes equally long for the tenant with one item and the tenant with a hundred.
      const mostPerTenant = this.#waiting.tenants > 1 ? minListSize : undefined;
      void this.#runRegular(this.#waiting.dequeue({ most, ...(mostPerTenant && { mostPerTenant }) }));
    }
    while (this.#waiting.length > 0 && this.#hasSpareSlot) {
      const list = this.#waiting.dequeue({ most: maxItems, except: this.#busy });
      if (list.length === 0) return;
      void this.#runSpare(list);
    }
  };

  async #runRegular(list: Waiting<In, Out>[]): Promise<void> {
    const { lateAfterMs } = this.#options;
    let kind: 'regular' | 'late' = 'regular';
    this.#running.regular += 1;
    const onLate = (): void => {
      kind = 'late';
      this.#running.regular -= 1;
      this.#running.late += 1;
      this.#slots.release();
      this.#startLists();
    };
    const timer = lateAfterMs === undefined ? undefined : setTimeout(onLate, lateAfterMs);
    await this.#run(list);
    clearTimeout(timer);
    if (kind === 'regular') this.#slots.release();
    this.#running[kind] -= 1;
    this.#listEnded();
  }

  async #runSpare(list: Waiting<In, Out>[]): Promise<void> {
    this.#running.spare += 1;
    await this.#run(list);
    this.#running.spare -= 1;
    this.#listEnded();
  }

  #listEnded(): void {
    this.#startLists();
    if (!this.#isIdle) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #run(list: Waiting<In, Out>[]): Promise<void> {
    const busy = this.#busy;
    for (const { tenant } of list) busy.set(tenant, (busy.get(tenant) ?? 0) + 1);
    try {
      const outcomes = await this.#options.run(list.map(({ item }) => item));
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
  }
}
