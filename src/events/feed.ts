import { onEventsCommitted } from '../db/committedEvents.ts';
import type { Pool } from '../db/pool.ts';
import { type Listener, listen } from '../db/wake.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { createEventNotifier } from './notify.ts';
import { createFeedReader, type FeedQuery } from './page.ts';
import { WaitingCalls } from './waiting.ts';

/** The feeds of all businesses, as one process reads them. Also reports the events that this process commits: to its own waiting calls directly, to other processes by notification. */
export function openEventFeed({ pool, clock, log }: { pool: Pool; clock: Clock; log: Log }) {
  const reader = createFeedReader({ pool, clock });
  const calls = new WaitingCalls(reader, log);
  const notifier = createEventNotifier(pool, log);
  onEventsCommitted(pool, (businessIds) => {
    calls.wake(businessIds);
    notifier.notify(businessIds);
  });
  // Connects with the first call that waits: a process that has none needs no connection for it.
  let listener: Listener | null = null;
  const startListening = (): void => {
    listener ??= listen(
      pool,
      'waypost_events',
      (payload) => calls.wake(payload === null ? null : notifier.read(payload)),
      log,
    );
  };

  return {
    /**
     * A page; or, if it is empty and `waitMs` is more than 0, how to wait for one. Waiting is a second step, because the
     * caller of the first one holds a slot that others need.
     */
    async read(query: FeedQuery, waitMs: number) {
      const call = waitMs > 0 ? calls.enter(query.businessId) : null;
      if (call === null) return reader.page(query);
      startListening();
      try {
        const page = await reader.page(query);
        if (page.events.length > 0 || page.hasMore) {
          call.leave();
          return page;
        }
        return { wait: (gone: AbortSignal) => call.wait({ ...query, after: page.next }, waitMs, gone) };
      } catch (error) {
        call.leave();
        throw error;
      }
    },
    /** The end of the feed. */
    end: reader.end,
    waiting: () => calls.count(),
    /** Ends the waiting calls. */
    async stop() {
      calls.stop();
      await listener?.stop();
    },
  };
}

export type EventFeed = ReturnType<typeof openEventFeed>;
