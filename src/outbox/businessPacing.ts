interface OfBusiness {
  business_id: string;
}

/** A group of this size is worth its cost; a smaller one of several says that more would have come. */
const LARGE_GROUP = 25;
const GATHER_MS_EACH = 8;
const MOST_GATHER_MS = 40;

/**
 * How long a business gathers nudges after a group with this many of them began. A group costs as much as ten nudges in it, so
 * a business that pushes without a pause would fill the machine with small groups at everyone's expense. One nudge
 * at a time never waits, and neither does a backlog.
 */
export const gatherMs = (nudges: number): number =>
  nudges >= LARGE_GROUP ? 0 : Math.min(MOST_GATHER_MS, (nudges - 1) * GATHER_MS_EACH);

/**
 * Limits the groups of one business in progress: they queue for the same locks, so more would gain nothing. Sends that become due
 * meanwhile wait in the database and become the next group.
 */
export class BusinessPacing {
  readonly #atOnce: number;
  readonly #underWay = new Map<string, number>();
  readonly #gatherUntil = new Map<string, number>();
  #keptWaiting = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * A group begins. Call `end` when it has ended; it answers whether a business had to wait since. `gathers` are the
   * milliseconds for which businesses in it gather. `nowMs` is monotonic time: a wait has nothing to do with the clock that
   * decides what is due.
   */
  begin(list: readonly OfBusiness[], nowMs: number): { end: () => boolean; gathers: number[] } {
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
      const keptWaiting = this.#keptWaiting;
      this.#keptWaiting = false;
      return keptWaiting;
    };
    return { end, gathers };
  }

  /** Whose next group must wait. */
  waiting(nowMs: number): string[] {
    const full = [...this.#underWay].flatMap(([business, lists]) =>
      lists >= this.#atOnce ? [business] : [],
    );
    this.#keptWaiting ||= full.length > 0;
    for (const [business, until] of this.#gatherUntil) if (until <= nowMs) this.#gatherUntil.delete(business);
    return [...new Set([...full, ...this.#gatherUntil.keys()])];
  }

  /** Whether all of these wait: their new sends are found by the claim that follows when they no longer have to. */
  allWait(businesses: readonly string[], nowMs: number): boolean {
    const waiting = new Set(this.waiting(nowMs));
    return businesses.every((business) => waiting.has(business));
  }

  #count(business: string, change: 1 | -1): void {
    const lists = (this.#underWay.get(business) ?? 0) + change;
    if (lists === 0) this.#underWay.delete(business);
    else this.#underWay.set(business, lists);
  }
}
