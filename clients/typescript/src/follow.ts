import type { Call } from './call.ts';
import { toEventPage, type WaypostEvent, type WaypostEventPage } from './events.ts';
import type { EventType } from './generated/api.ts';
import type { Time } from './transport.ts';

/** Where to begin, and which events. */
export interface FollowOptions {
  /** A saved cursor; `latest` for what happens from now on. Omitted: from the oldest event kept. */
  after?: string | undefined;
  /** Only these types. */
  types?: readonly EventType[] | undefined;
  /** Only events about this message. */
  message_id?: string | undefined;
  /** Ends the loop: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many events a call brings at most: 1 to 1,000, by default 100. */
  limit?: number | undefined;
  /** How long a call waits for an event: 0 to 30 seconds, by default 25. */
  waitSeconds?: number | undefined;
}

const WAIT_SECONDS = 25;
/** An empty page that came sooner, though it should have waited, is asked for again after this pause. */
const EARLY_PAGE_PAUSE_MS = 1_000;

/**
 * The feed of events, without end: `for await (const event of follower)`. It outlives restarts of the server and of the
 * network: only a refusal ends it, such as a revoked key or a CursorExpiredError.
 */
export class EventFollower implements AsyncIterable<WaypostEvent> {
  /**
   * The place to go on from with `after`; null before the first page. Save it after you handled an event. It moves on with
   * the last event of a page, so after a crash some events can come again, and none is lost: drop those whose id you know.
   */
  cursor: string | null;
  readonly #call: Call;
  readonly #options: FollowOptions;
  readonly #attemptTimeoutMs: number;
  readonly #time: Time;

  constructor(call: Call, options: FollowOptions, attemptTimeoutMs: number, time: Time) {
    this.cursor = options.after ?? null;
    this.#call = call;
    this.#options = options;
    this.#attemptTimeoutMs = attemptTimeoutMs;
    this.#time = time;
  }

  /** The same, a page at a time. `cursor` is at the end of the page. */
  async *pages(): AsyncGenerator<WaypostEventPage, void, undefined> {
    for (;;) {
      const page = await this.#next();
      this.cursor = page.next;
      yield page;
    }
  }

  /** Event by event. */
  async *[Symbol.asyncIterator](): AsyncGenerator<WaypostEvent, void, undefined> {
    for (;;) {
      const { items, next } = await this.#next();
      for (const [index, event] of items.entries()) {
        if (index === items.length - 1) this.cursor = next;
        yield event;
      }
      this.cursor = next;
    }
  }

  async #next(): Promise<WaypostEventPage> {
    const { types, message_id, limit, signal, waitSeconds: wait = WAIT_SECONDS } = this.#options;
    for (;;) {
      const began = this.#time.now();
      const answer = await this.#call('listEvents', {
        operation: 'events.follow',
        query: { after: this.cursor, types, message_id, limit, wait },
        options: {
          signal,
          deadlineMs: Number.POSITIVE_INFINITY,
          maxRetries: Number.POSITIVE_INFINITY,
          attemptTimeoutMs: wait * 1000 + this.#attemptTimeoutMs,
        },
      });
      const page = toEventPage(answer);
      // `latest` is answered at once, with a cursor and no event.
      const waited = this.cursor === 'latest' || this.#time.now() - began >= EARLY_PAGE_PAUSE_MS;
      if (page.items.length > 0 || waited) return page;
      this.cursor = page.next;
      await this.#time.sleep(EARLY_PAGE_PAUSE_MS * (0.5 + this.#time.random() / 2), signal);
    }
  }
}
