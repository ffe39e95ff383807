import { isWithinShare } from './fairShare.ts';

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
export class FairQueue<T> {
  readonly #limits: { maxItems: number; maxBytes: number };
  /** In the order in which they were last served, the longest ago first. */
  readonly #tenants = new Map<string, Tenant<T>>();
  #length = 0;
  #bytes = 0;

  constructor(limits: { maxItems: number; maxBytes: number }) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** How many tenants have items in the queue. */
  get tenants(): number {
    return this.#tenants.size;
  }

  /** False when the tenant's share of the queue is full. */
  add(name: string, item: T, bytes: number): boolean {
    const tenant = this.#tenants.get(name);
    if (!this.#fits(tenant, bytes)) return false;
    if (tenant) {
      tenant.items.push(item);
      tenant.sizes.push(bytes);
      tenant.bytes += bytes;
    } else this.#tenants.set(name, { items: [item], sizes: [bytes], bytes });
    this.#length += 1;
    this.#bytes += bytes;
    return true;
  }

  /** Removes items from the tenants in rotation; those of one tenant in the order in which they were added. */
  dequeue({ most, mostPerTenant = most, except }: DequeueOptions): T[] {
    const served = [...this.#tenants].filter(([name]) => !except?.has(name));
    const [only] = served;
    if (served.length === 1 && only) return this.#dequeueFrom(...only, Math.min(most, mostPerTenant));
    const items: T[] = [];
    for (let round = 0; round < mostPerTenant; round += 1) {
      const before = items.length;
      for (const [name, tenant] of served) {
        if (items.length >= most) return items;
        items.push(...this.#dequeueFrom(name, tenant, 1));
      }
      if (items.length === before) return items;
    }
    return items;
  }

  #fits(tenant: Tenant<T> | undefined, bytes: number): boolean {
    const { maxItems, maxBytes } = this.#limits;
    const items = {
      capacity: 2 * maxItems,
      used: this.#length,
      held: tenant?.items.length ?? 0,
      requested: 1,
    };
    const sizes = { capacity: 2 * maxBytes, used: this.#bytes, held: tenant?.bytes ?? 0, requested: bytes };
    return isWithinShare(items) && isWithinShare(sizes);
  }

  /** Removes the tenant's first `count` items and moves the tenant to the end of the rotation. */
  #dequeueFrom(name: string, tenant: Tenant<T>, count: number): T[] {
    const removed = tenant.items.splice(0, count);
    const bytes = tenant.sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
    tenant.bytes -= bytes;
    this.#bytes -= bytes;
    this.#length -= removed.length;
    this.#tenants.delete(name);
    if (tenant.items.length > 0) this.#tenants.set(name, tenant);
    return removed;
  }
}
