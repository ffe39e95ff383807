/** Something to tell about an order. `isOvertaken`: a later one of the same order waits behind it. */
export type Telling = (isOvertaken: () => boolean) => Promise<void>;

/** Tells the updates of one order one after the other, and those of different orders side by side. */
export class OrderQueue {
  readonly #waiting = new Map<string, { last: Promise<void>; added: number }>();

  /** How many orders have something to tell. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when it was told. `tell` handles its own errors. */
  add(orderId: string, tell: Telling): Promise<void> {
    const entry = this.#waiting.get(orderId) ?? { last: Promise.resolve(), added: 0 };
    entry.added += 1;
    const mine = entry.added;
    const last = entry.last
      .then(() => tell(() => entry.added > mine))
      .finally(() => {
        if (entry.added === mine) this.#waiting.delete(orderId);
      });
    entry.last = last.catch(() => {});
    this.#waiting.set(orderId, entry);
    return last;
  }
}
