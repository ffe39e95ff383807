/** What a tenant wants to take of a capacity that all tenants share. */
export interface ShareRequest {
  capacity: number;
  /** What all tenants hold together. */
  used: number;
  /** What this tenant holds of it. */
  held: number;
  asked: number;
  /** How much of what is free the tenant may hold: 1 as much again, less for a tenant that deserves less. */
  weight?: number;
}

/**
 * Whether the claim is within the tenant's share: no tenant takes so much that it holds more than what is left free. One alone
 * gets half of the capacity, n at once get 1/(n + 1) each, and the next tenant still finds as much. Known from network
 * switches as the dynamic threshold for shared buffers.
 */
export const isWithinShare = ({ capacity, used, held, asked, weight = 1 }: ShareRequest): boolean =>
  held + asked <= weight * (capacity - used - asked);

export interface SharedCapacity {
  /** Takes it where it is within the tenant's share. */
  take(tenant: string, asked: number, weight?: number): boolean;
  /** Counts what exists already and cannot be refused any more. */
  add(tenant: string, amount: number): void;
  release(tenant: string, amount: number): void;
  used(): number;
}

/** One capacity, and who holds how much of it. Tenants that hold nothing are forgotten. */
export function createSharedCapacity(capacity: number): SharedCapacity {
  const holdings = new Map<string, { held: number }>();
  let used = 0;
  const add = (tenant: string, amount: number): void => {
    const holding = holdings.get(tenant);
    if (holding === undefined) {
      if (amount !== 0) holdings.set(tenant, { held: amount });
    } else {
      holding.held += amount;
      if (holding.held === 0) holdings.delete(tenant);
    }
    used += amount;
  };
  return {
    take(tenant, asked, weight = 1) {
      const held = holdings.get(tenant)?.held ?? 0;
      if (!isWithinShare({ capacity, used, held, asked, weight })) return false;
      add(tenant, asked);
      return true;
    },
    add,
    release: (tenant, amount) => add(tenant, -amount),
    used: () => used,
  };
}
