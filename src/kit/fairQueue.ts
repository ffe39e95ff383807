import { isWithinShare } from './fairShare.ts';

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

interface Tenant<T> {
  items: T[];
  sizes: number[];
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
  /** The tenant that was served longest ago stands first. */
  const tenants = new Map<string, Tenant<T>>();
  let length = 0;
  let bytesWaiting = 0;

  const fits = (tenant: Tenant<T> | undefined, bytes: number): boolean =>
    isWithinShare({ capacity: 2 * maxItems, used: length, held: tenant?.items.length ?? 0, asked: 1 }) &&
    isWithinShare({ capacity: 2 * maxBytes, used: bytesWaiting, held: tenant?.bytes ?? 0, asked: bytes });

  /** The first `count` of a tenant, which then stands last. */
  const takeFrom = (name: string, tenant: Tenant<T>, count: number): T[] => {
    const taken = tenant.items.splice(0, count);
    const bytes = tenant.sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
    tenant.bytes -= bytes;
    bytesWaiting -= bytes;
    length -= taken.length;
    tenants.delete(name);
    if (tenant.items.length > 0) tenants.set(name, tenant);
    return taken;
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
    take({ most, mostPerTenant = most, except }) {
      const turns = [...tenants].filter(([name]) => !except?.has(name));
      const [only] = turns;
      if (turns.length === 1 && only) return takeFrom(...only, Math.min(most, mostPerTenant));
      const taken: T[] = [];
      for (let round = 0; round < mostPerTenant; round += 1) {
        const before = taken.length;
        for (const [name, tenant] of turns) {
          if (taken.length >= most) return taken;
          taken.push(...takeFrom(name, tenant, 1));
        }
        if (taken.length === before) return taken;
      }
      return taken;
    },
    get tenants() {
      return tenants.size;
    },
    get length() {
      return length;
    },
  };
}
