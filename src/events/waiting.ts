import { monotonicMs, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import type { Place } from './cursor.ts';
import { type FeedPage, type FeedQuery, type FeedReader, NO_FILTER } from './page.ts';
import { pageFor, seenBy } from './sharedLook.ts';

/**
 * The calls of this process that wait for an event. They hold no connection: a wake names businesses, and each of those
 * that has waiting calls gets one look, which all its calls share.
 */
export interface WaitingCalls {
  /** Registers a call before its first read, so that no event falls between the two. Null: too many wait already. */
  enter(businessId: string): WaitingCall | null;
  /** Events of these businesses were committed; null: of any. */
  wake(businessIds: Iterable<string> | null): void;
  /** How many calls wait. */
  count(): number;
  /** Ends every wait with its empty page. */
  stop(): void;
}

export interface WaitingCall {
  /** Resolves with the first page that has an event, or with an empty one after `milliseconds` or once the caller is gone. */
  wait(query: FeedQuery & { after: Place }, milliseconds: number, gone: AbortSignal): Promise<FeedPage>;
  /** The call ends without waiting. */
  leave(): void;
}

/** Half of a process's connections. A call over a limit is answered at once. */
export const WAITING_MAX = 5_000;
export const WAITING_PER_BUSINESS_MAX = 2_000;
/** A burst of events is one look. */
const LOOK_AT_MOST_EVERY_MS = 20;
/** Without names, as when notifications are replaced by a timer, all waiting businesses share one query. */
const CHECK_AT_MOST_EVERY_MS = 200;
/** Finds events whose notification got lost. */
const CHECK_EVERY_MS = SECOND;
/** So that a wake of many businesses leaves connections to the others. */
const LOOKS_AT_ONCE = 2;
const LOOK_EVENTS = 1_000;

interface Waiter {
  /** Null until its first read has found nothing. */
  query: (FeedQuery & { after: Place }) | null;
  /** Woken before that. */
  woken: boolean;
  answer(page: FeedPage | Promise<FeedPage>): void;
}

interface WaitingBusiness {
  id: string;
  waiters: Set<Waiter>;
  /** A look is wanted. */
  due: boolean;
  /** A look is planned, queued or running. */
  planned: boolean;
  lookedAt: number;
}

export function createWaitingCalls({ reader, log }: { reader: FeedReader; log: Log }): WaitingCalls {
  const businesses = new Map<string, WaitingBusiness>();
  const queue: WaitingBusiness[] = [];
  let waiting = 0;
  let looking = 0;
  let checking = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const requestLook = (business: WaitingBusiness): void => {
    business.due = true;
    if (business.planned || stopped) return;
    business.planned = true;
    const early = business.lookedAt + LOOK_AT_MOST_EVERY_MS - monotonicMs();
    const enqueue = (): void => {
      queue.push(business);
      startLooks();
    };
    if (early > 0) setTimeout(enqueue, early).unref();
    else enqueue();
  };

  const startLooks = (): void => {
    while (looking < LOOKS_AT_ONCE) {
      const business = queue.shift();
      if (business === undefined) return;
      looking += 1;
      void lookFor(business).finally(() => {
        looking -= 1;
        business.planned = false;
        if (business.due && business.waiters.size > 0) requestLook(business);
        startLooks();
      });
    }
  };

  const lookFor = async (business: WaitingBusiness): Promise<void> => {
    business.due = false;
    business.lookedAt = monotonicMs();
    try {
      await shareLook(reader, business);
    } catch (error) {
      // The next check looks again.
      log.warn({ error, business_id: business.id }, 'event feed look failed');
    }
  };

  /** Looks at all waiting businesses with one query. */
  const check = async (): Promise<void> => {
    if (checking || businesses.size === 0) return;
    checking = true;
    checkedAt = monotonicMs();
    try {
      const seen = [...businesses.values()].map(({ id, waiters }) => ({
        businessId: id,
        position: seenBy(waiters),
      }));
      wakeThese(await reader.grown(seen));
    } catch (error) {
      log.warn({ error }, 'event feed check failed');
    } finally {
      checking = false;
    }
  };

  const wakeThese = (businessIds: Iterable<string>): void => {
    for (const id of businessIds) {
      const business = businesses.get(id);
      if (business === undefined) continue;
      for (const waiter of business.waiters) if (waiter.query === null) waiter.woken = true;
      requestLook(business);
    }
  };

  const enter = (businessId: string): WaitingCall | null => {
    const business = businesses.get(businessId) ?? newBusiness(businessId);
    if (stopped || waiting >= WAITING_MAX || business.waiters.size >= WAITING_PER_BUSINESS_MAX) return null;
    const waiter: Waiter = { query: null, woken: false, answer: () => {} };
    businesses.set(businessId, business);
    business.waiters.add(waiter);
    waiting += 1;
    timer ??= setInterval(() => void check(), CHECK_EVERY_MS).unref();
    const leave = (): void => {
      if (!business.waiters.delete(waiter)) return;
      waiting -= 1;
      if (business.waiters.size === 0) businesses.delete(businessId);
      if (waiting > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
    return {
      leave,
      async wait(query, milliseconds, gone) {
        let end: NodeJS.Timeout | undefined;
        const giveUp = (): void => waiter.answer(emptyPage(waiter.query ?? query));
        try {
          return await new Promise<FeedPage>((resolve) => {
            waiter.answer = resolve;
            waiter.query = query;
            if (stopped || gone.aborted) return giveUp();
            gone.addEventListener('abort', giveUp, { once: true });
            end = setTimeout(giveUp, milliseconds);
            if (waiter.woken) requestLook(business);
          });
        } finally {
          clearTimeout(end);
          gone.removeEventListener('abort', giveUp);
          leave();
        }
      },
    };
  };

  return {
    enter,
    wake(businessIds) {
      if (businessIds !== null) return wakeThese(businessIds);
      // A call in its first read may have missed what the check does not find for it.
      for (const { waiters } of businesses.values())
        for (const waiter of waiters) if (waiter.query === null) waiter.woken = true;
      if (monotonicMs() - checkedAt >= CHECK_AT_MOST_EVERY_MS) void check();
    },
    count: () => waiting,
    stop() {
      stopped = true;
      clearInterval(timer);
      for (const { waiters } of businesses.values())
        for (const waiter of waiters) if (waiter.query !== null) waiter.answer(emptyPage(waiter.query));
    },
  };
}

const newBusiness = (id: string): WaitingBusiness => ({
  id,
  waiters: new Set(),
  due: false,
  planned: false,
  lookedAt: Number.NEGATIVE_INFINITY,
});

const emptyPage = ({ after }: { after: Place }): FeedPage => ({ events: [], hasMore: false, next: after });

/** One look for all waiting calls of a business; the filters are applied here. */
async function shareLook(reader: FeedReader, business: WaitingBusiness): Promise<void> {
  const { id: businessId, waiters } = business;
  let from = earliest(waiters);
  while (from !== null) {
    const look = { ...NO_FILTER, businessId, after: from, limit: LOOK_EVENTS };
    const page = await reader.page(look).catch(unlessRefused);
    for (const waiter of [...waiters]) {
      const { query } = waiter;
      if (query === null) continue;
      // The cursor of the earliest has expired: its own read says so.
      const isRefused = page === null && query.after.position === from.position;
      const found = page === null ? 'look_again' : pageFor(query, from, page);
      if (isRefused || found === 'read_alone') answer(waiter, reader.page(query));
      else if (found === 'look_again') business.due = true;
      else if (found.events.length > 0) answer(waiter, found);
      else waiter.query = { ...query, after: found.next };
    }
    from = page?.hasMore === true ? page.next : null;
  }
}

function answer(waiter: Waiter, page: FeedPage | Promise<FeedPage>): void {
  waiter.query = null;
  waiter.answer(page);
}

function unlessRefused(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

function earliest(waiters: Iterable<Waiter>): Place | null {
  let first: Place | null = null;
  for (const { query } of waiters)
    if (query !== null && (first === null || query.after.position < first.position)) first = query.after;
  return first;
}
