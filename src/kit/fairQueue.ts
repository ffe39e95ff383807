import { createSharedCapacity } from './fairShare.ts';

export interface FairQueue<T> {
  /** False: the tenant has as much waiting as it may have. */
  add(tenant: string, item: T, bytes: number): boolean;
  /** Items of these tenants, one of each in turn, those of one tenant in the order in which they came. */
  take(options: Take): T[];
  /** How many tenants have something waiting. */
  readonly tenants: number;
  readonly length: number;
}

interface Take {
  most: number;
  mostPerTenant?: number;
  /** Tenants whose turn it is not. */
  except?: { has(tenant: string): boolean };
}

interface Waiting<T> {
  item: T;
  bytes: number;
}

/**
 * A queue in which no tenant waits behind all that another one has put there, and which one tenant cannot fill. `maxItems` and
 * `maxBytes` are the most for one tenant while no other waits; all together may have twice that.
 */
export function createFairQueue<T>({
  maxItems,
  maxBytes,
}: {
  maxItems: number;
  maxBytes: number;
}): FairQueue<T> {
  const items = createSharedCapacity(2 * maxItems);
  const bytesWaiting = createSharedCapacity(2 * maxBytes);
  /** The tenant that was served longest ago stands first. */
  const queues = new Map<string, Waiting<T>[]>();

  const takeFirst = (tenant: string): Waiting<T> | undefined => {
    const queue = queues.get(tenant);
    const first = queue?.shift();
    if (!queue || !first) return undefined;
    queues.delete(tenant);
    if (queue.length > 0) queues.set(tenant, queue);
    items.release(tenant, 1);
    bytesWaiting.release(tenant, first.bytes);
    return first;
  };

  return {
    add(tenant, item, bytes) {
      if (!items.take(tenant, 1)) return false;
      if (!bytesWaiting.take(tenant, bytes)) {
        items.release(tenant, 1);
        return false;
      }
      const queue = queues.get(tenant);
      if (queue) queue.push({ item, bytes });
      else queues.set(tenant, [{ item, bytes }]);
      return true;
    },
    take({ most, mostPerTenant = most, except }) {
      const turns = [...queues.keys()].filter((tenant) => !except?.has(tenant));
      const taken: T[] = [];
      for (let round = 0; round < mostPerTenant; round += 1) {
        const before = taken.length;
        for (const tenant of turns) {
          if (taken.length >= most) return taken;
          const first = takeFirst(tenant);
          if (first) taken.push(first.item);
        }
        if (taken.length === before) return taken;
      }
      return taken;
    },
    get tenants() {
      return queues.size;
    },
    get length() {
      return items.used();
    },
  };
}
