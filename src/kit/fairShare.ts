/** A tenant's request for part of a capacity that all tenants share. */
interface ShareRequest {
  capacity: number;
  /** The sum that all tenants hold. */
  used: number;
  held: number;
  requested: number;
  /** How much of the free capacity the tenant can hold: 1 for as much again as is free, less for a lower priority. */
  weight?: number;
}

/**
 * Whether the request is within the tenant's share: no tenant can hold more than remains free. One tenant alone
 * gets half of the capacity, n tenants get 1/(n + 1) each, and the next one still finds as much free. Network
 * switches use it as the dynamic threshold for shared buffers.
 */
export const isWithinShare = ({ capacity, used, held, requested, weight = 1 }: ShareRequest): boolean =>
  held + requested <= weight * (capacity - used - requested);

export type SharedCapacity = ReturnType<typeof createSharedCapacity>;

export function createSharedCapacity(capacity: number) {
  const holdings = new Map<string, { held: number }>();
  let used = 0;
  /** Counts an amount that exists already and cannot be refused. */
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
    /** Reserves the amount if it is within the tenant's share. */
    tryReserve(tenant: string, requested: number, weight = 1): boolean {
      const held = holdings.get(tenant)?.held ?? 0;
      if (!isWithinShare({ capacity, used, held, requested, weight })) return false;
      add(tenant, requested);
      return true;
    },
    add,
    release: (tenant: string, amount: number) => add(tenant, -amount),
    used: () => used,
  };
}

/** What each of `count` gets of a limit: an equal part, and at least one. */
export const equalShare = (limit: number, count: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, count)));
