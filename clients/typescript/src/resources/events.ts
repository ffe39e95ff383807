import type { Call } from '../call.ts';
import { toEventPage, type WaypostEvent, type WaypostEventPage } from '../events.ts';
import { EventFollower, type FollowOptions } from '../follow.ts';
import type { ListEventsQuery } from '../generated/api.ts';
import { WaypostPromise } from '../response.ts';
import type { CallOptions, Time } from '../transport.ts';

/** The feed of events: what webhooks deliver, read in your own time. */
export class Events {
  readonly #call: Call;
  readonly #attemptTimeoutMs: number;
  readonly #time: Time;

  constructor(call: Call, attemptTimeoutMs: number, time: Time) {
    this.#call = call;
    this.#attemptTimeoutMs = attemptTimeoutMs;
    this.#time = time;
  }

  /** Every event, and then each new one as it happens, without end. Save the follower's `cursor` to go on later. */
  follow(options: FollowOptions = {}): EventFollower {
    return new EventFollower(this.#call, options, this.#attemptTimeoutMs, this.#time);
  }

  /** The events that are there now, oldest first: the loop ends with the last one. */
  async *list(
    query: Omit<ListEventsQuery, 'wait'> = {},
    options?: CallOptions,
  ): AsyncGenerator<WaypostEvent, void, undefined> {
    let page = await this.page(query, options);
    for (;;) {
      yield* page.items;
      if (!page.has_more) return;
      page = await this.page({ ...query, after: page.next }, options);
    }
  }

  /** One page of the feed. Allow more time for an attempt than `wait`. */
  page(query: ListEventsQuery = {}, options: CallOptions = {}): WaypostPromise<WaypostEventPage> {
    const attemptTimeoutMs = options.attemptTimeoutMs ?? (query.wait ?? 0) * 1000 + this.#attemptTimeoutMs;
    const page = this.#call('listEvents', {
      operation: 'events.page',
      query,
      options: { ...options, attemptTimeoutMs },
    });
    return WaypostPromise.of(page, toEventPage);
  }
}
