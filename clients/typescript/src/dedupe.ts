/**
 * Remembers which events were processed, since a webhook can arrive more than once. Implement it on your database, in
 * the transaction of your own work, where that matters (`examples/postgres.mjs`); the one here is for a single process.
 */
export interface WebhookDeduper {
  /** True for the first who claims this id, false for everyone after. */
  claim(eventId: string): boolean | Promise<boolean>;
  /**
   * Gives the id back, so that the next delivery is processed. Leave it out if the claim is part of a transaction of yours, which
   * ends without it when the processing fails.
   */
  release?(eventId: string): void | Promise<void>;
}

/** How much an InMemoryDeduper remembers. */
export interface InMemoryDeduperOptions {
  /** How many ids at most; the oldest are forgotten. By default 10,000. */
  max?: number | undefined;
  /** For how long, in milliseconds. By default a day, which is longer than any retry takes. */
  keptMs?: number | undefined;
  /** The time in milliseconds. By default this machine's. */
  now?: (() => number) | undefined;
}

const MAX = 10_000;
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A WebhookDeduper in the memory of this process. It forgets everything when the process ends. */
export class InMemoryDeduper implements WebhookDeduper {
  readonly #claimedAt = new Map<string, number>();
  readonly #max: number;
  readonly #keptMs: number;
  readonly #now: () => number;

  constructor({ max = MAX, keptMs = KEPT_MS, now = Date.now }: InMemoryDeduperOptions = {}) {
    this.#max = max;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  /** True for the first who claims this id, false for everyone after. */
  claim(eventId: string): boolean {
    const now = this.#now();
    // A Map keeps the order of insertion, so the oldest are in front.
    for (const [id, at] of this.#claimedAt) {
      if (now - at < this.#keptMs && this.#claimedAt.size < this.#max) break;
      if (now - at < this.#keptMs && this.#claimedAt.has(eventId)) break;
      this.#claimedAt.delete(id);
    }
    if (this.#claimedAt.has(eventId)) return false;
    this.#claimedAt.set(eventId, now);
    return true;
  }

  /** Gives the id back, so that the next delivery is processed. */
  release(eventId: string): void {
    this.#claimedAt.delete(eventId);
  }
}

/**
 * Processes an event unless it was processed before, and says whether it did. If `process` fails, the id is given back
 * and the failure passed on: answer with an error, and the event comes again.
 */
export async function processOnce<Event extends { id: string }>(
  deduper: WebhookDeduper,
  event: Event,
  process: (event: Event) => unknown,
): Promise<boolean> {
  if (!(await deduper.claim(event.id))) return false;
  try {
    await process(event);
    return true;
  } catch (error) {
    await deduper.release?.(event.id);
    throw error;
  }
}
