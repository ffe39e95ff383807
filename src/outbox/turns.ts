interface OfBusiness {
  business_id: string;
}

/**
 * Which businesses have as many lists under way as gain anything: lists of one business queue for the same locks. What
 * comes meanwhile gathers in the database and becomes the next list, and nobody else's list has to queue there, too.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #underWay = new Map<string, number>();
  #keptWaiting = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** A list begins. To be called when it has ended; answers whether somebody was kept waiting since. */
  begin(list: readonly OfBusiness[]): () => boolean {
    const businesses = new Set(list.map(({ business_id }) => business_id));
    for (const business of businesses) this.#count(business, 1);
    return () => {
      for (const business of businesses) this.#count(business, -1);
      const keptWaiting = this.#keptWaiting;
      this.#keptWaiting = false;
      return keptWaiting;
    };
  }

  /** Whose next list must wait. */
  taken(): string[] {
    const taken = [...this.#underWay].flatMap(([business, lists]) =>
      lists >= this.#atOnce ? [business] : [],
    );
    this.#keptWaiting ||= taken.length > 0;
    return taken;
  }

  #count(business: string, change: 1 | -1): void {
    const lists = (this.#underWay.get(business) ?? 0) + change;
    if (lists === 0) this.#underWay.delete(business);
    else this.#underWay.set(business, lists);
  }
}
