interface OfBusiness {
  business_id: string;
}

/** A list as long as this is worth its cost; a shorter one of several says that more would have come. */
const LONG_LIST = 25;
const GATHER_MS_EACH = 8;
const MOST_GATHER_MS = 40;

/**
 * How long a business gathers from when a list with so many of its nudges began. Each list costs about as much again as
 * ten nudges in it, and a business that pushes without a pause would fill the machine with short ones, at everyone's
 * expense. One nudge at a time never waits, and neither does a backlog.
 */
export const gatherMs = (nudges: number): number =>
  nudges >= LONG_LIST ? 0 : Math.min(MOST_GATHER_MS, (nudges - 1) * GATHER_MS_EACH);

/**
 * Which businesses have as many lists under way as gain anything: lists of one business queue for the same locks. What
 * comes meanwhile gathers in the database and becomes the next list, and nobody else's list has to queue there, too.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #underWay = new Map<string, number>();
  readonly #gatherUntil = new Map<string, number>();
  #keptWaiting = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * A list begins. `end` is to be called when it has ended; it answers whether somebody was kept waiting since. `gathers`
   * are the times for which businesses in it gather. In milliseconds that only ever grow: a wait has nothing to do with
   * the clock that decides what is due.
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

  /** Whose next list must wait. */
  taken(nowMs: number): string[] {
    const full = [...this.#underWay].flatMap(([business, lists]) =>
      lists >= this.#atOnce ? [business] : [],
    );
    this.#keptWaiting ||= full.length > 0;
    for (const [business, until] of this.#gatherUntil) if (until <= nowMs) this.#gatherUntil.delete(business);
    return [...new Set([...full, ...this.#gatherUntil.keys()])];
  }

  /** Whether all of these wait, so that what is new of theirs is found by the look that comes when they need not any more. */
  allWait(businesses: readonly string[], nowMs: number): boolean {
    const waiting = new Set(this.taken(nowMs));
    return businesses.every((business) => waiting.has(business));
  }

  #count(business: string, change: 1 | -1): void {
    const lists = (this.#underWay.get(business) ?? 0) + change;
    if (lists === 0) this.#underWay.delete(business);
    else this.#underWay.set(business, lists);
  }
}
