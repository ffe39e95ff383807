/**
 * Limits the groups in progress per business: they compete for the same locks, so more of them gain nothing. Sends that
 * become due meanwhile stay in the database and form the next group.
 */
export class BusinessPacing {
  readonly #maxGroups: number;
  readonly #groupsInProgress = new Map<string, number>();
  readonly #gatherUntil = new Map<string, number>();
  #hasRefused = false;

  constructor(maxGroups: number) {
    this.#maxGroups = maxGroups;
  }

  /**
   * Counts a new group. Call `end` when it ends; it returns whether a business was at its limit since. `gathers` holds the
   * milliseconds for which businesses in the group gather. `nowMs` is monotonic time, since the sandbox clock can be moved.
   */
  begin(list: readonly { business_id: string }[], nowMs: number): { end: () => boolean; gathers: number[] } {
    const nudges = new Map<string, number>();
    for (const { business_id } of list) nudges.set(business_id, (nudges.get(business_id) ?? 0) + 1);
    const gathers: number[] = [];
    for (const [business, count] of nudges) {
      this.#count(business, 1);
      const wait = gatherMs(count);
      if (wait === 0) continue;
      this.#gatherUntil.set(business, nowMs + wait);
      gathers.push(wait);
    }
    const end = (): boolean => {
      for (const business of nudges.keys()) this.#count(business, -1);
      const hasRefused = this.#hasRefused;
      this.#hasRefused = false;
      return hasRefused;
    };
    return { end, gathers };
  }

  /** The businesses whose next group must wait. */
  waiting(nowMs: number): string[] {
    const full = [...this.#groupsInProgress].flatMap(([business, groups]) =>
      groups >= this.#maxGroups ? [business] : [],
    );
    this.#hasRefused ||= full.length > 0;
    for (const [business, until] of this.#gatherUntil) if (until <= nowMs) this.#gatherUntil.delete(business);
    return [...new Set([...full, ...this.#gatherUntil.keys()])];
  }

  /** If true, a claim now would find nothing new of these businesses. Another claim follows when they may continue. */
  allWait(businesses: readonly string[], nowMs: number): boolean {
    const waiting = new Set(this.waiting(nowMs));
    return businesses.every((business) => waiting.has(business));
  }

  #count(business: string, change: 1 | -1): void {
    const groups = (this.#groupsInProgress.get(business) ?? 0) + change;
    if (groups === 0) this.#groupsInProgress.delete(business);
    else this.#groupsInProgress.set(business, groups);
  }
}

/** A group of this size repays its fixed cost, so the next one need not wait. */
const LARGE_GROUP = 25;
const GATHER_MS_PER_NUDGE = 8;
const MAX_GATHER_MS = 40;

/**
 * How long a business gathers nudges for its next group after a group with this many of them began. The fixed cost of a group
 * equals that of ten nudges, so a business that pushes continuously would otherwise load the machine with small groups.
 * A single nudge never waits, and neither does a backlog.
 */
export const gatherMs = (nudges: number): number =>
  nudges >= LARGE_GROUP ? 0 : Math.min(MAX_GATHER_MS, (nudges - 1) * GATHER_MS_PER_NUDGE);
