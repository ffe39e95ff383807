import { isWithinShare } from './fairShare.ts';

export interface FairQueue<T> {
  /** False when the tenant's share of the queue is full. */
  add(tenant: string, item: T, bytes: number): boolean;
  /** Removes items from the tenants in rotation; those of one tenant in the order in which they were added. */
  dequeue(options: DequeueOptions): T[];
  /** How many tenants have items in the queue. */
  readonly tenants: number;
  readonly length: number;
}

interface DequeueOptions {
  most: number;
  mostPerTenant?: number;
  /** Tenants to skip. */
  except?: { has(tenant: string): boolean };
}

interface Tenant<T> {
  items: T[];
  sizes: number[];
  bytes: number;
}

/**
 * A queue in which no tenant waits behind another's backlog and which no tenant can fill. `maxItems` and
 * `maxBytes` limit one tenant while no other waits; all tenants together can have twice that.
 */
export function createFairQueue<T>({
  maxItems,
  maxBytes,
}: {
  maxItems: number;
  maxBytes: number;
}): FairQueue<T> {
  /** In the order in which they were last served, the longest ago first. */
  const tenants = new Map<string, Tenant<T>>();
  let length = 0;
  let bytesWaiting = 0;

  const fits = (tenant: Tenant<T> | undefined, bytes: number): boolean =>
    isWithinShare({ capacity: 2 * maxItems, used: length, held: tenant?.items.length ?? 0, asked: 1 }) &&
    isWithinShare({ capacity: 2 * maxBytes, used: bytesWaiting, held: tenant?.bytes ?? 0, asked: bytes });

  /** Removes the tenant's first `count` items and moves the tenant to the end of the rotation. */
  const dequeueFrom = (name: string, tenant: Tenant<T>, count: number): T[] => {
    const removed = tenant.items.splice(0, count);
    const bytes = tenant.sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
    tenant.bytes -= bytes;
    bytesWaiting -= bytes;
    length -= removed.length;
    tenants.delete(name);
    if (tenant.items.length > 0) tenants.set(name, tenant);
    return removed;
  };

  return {
    add(name, item, bytes) {
      const tenant = tenants.get(name);
      if (!fits(tenant, bytes)) return false;
      if (tenant) {
        tenant.items.push(item);
        tenant.sizes.push(bytes);
        tenant.bytes += bytes;
      } else tenants.set(name, { items: [item], sizes: [bytes], bytes });
      length += 1;
      bytesWaiting += bytes;
      return true;
    },
    dequeue({ most, mostPerTenant = most, except }) {
      const served = [...tenants].filter(([name]) => !except?.has(name));
      const [only] = served;
      if (served.length === 1 && only) return dequeueFrom(...only, Math.min(most, mostPerTenant));
      const items: T[] = [];
      for (let round = 0; round < mostPerTenant; round += 1) {
        const before = items.length;
        for (const [name, tenant] of served) {
          if (items.length >= most) return items;
          items.push(...dequeueFrom(name, tenant, 1));
        }
        if (items.length === before) return items;
      }
      return items;
    },
    get tenants() {
      return tenants.size;
    },
    get length() {
      return length;
    },
  };
}
