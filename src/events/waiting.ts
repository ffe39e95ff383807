import { monotonicMs, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import type { Log } from '../kit/log.ts';
import type { FeedPosition } from './cursor.ts';
import { type FeedPage, type FeedQuery, type FeedReader, NO_FILTER } from './page.ts';
import { earliestPosition, pageFor } from './sharedScan.ts';

/*
 * The calls of this process that wait for an event. They hold no connection: one scan of a feed serves all calls of its business.
 *
 * A call:
 *   reading  → answered   its first read found events
 *   reading  → waiting    it found nothing. Events that were committed meanwhile lead to a scan
 *   waiting  → answered   a scan found its events or that its cursor has expired, its time is over, its caller is gone, or the
 *                         process stops
 *
 * A business with such calls:
 *   idle     → queued     events were committed
 *   queued   → scanning   20 ms after the last scan began, once fewer than two scans run
 *   scanning → idle       the scan ended
 *   scanning → rescan     events were committed since the scan began, or a call waits at an earlier position
 *   rescan   → queued     the scan ended, and calls still wait
 *
 * Once a second one query looks for events of all these businesses, in case a notification got lost.
 */

/** Half of a process's connections. A call over a limit is answered at once. */
export const WAITING_MAX = 5_000;
export const WAITING_PER_BUSINESS_MAX = 2_000;
/** A burst of events is one scan. */
const SCAN_AT_MOST_EVERY_MS = 20;
/** So that a wake of many businesses leaves connections to the others. */
const SCANS_AT_ONCE = 2;
const SCAN_EVENTS = 1_000;
const CHECK_EVERY_MS = SECOND;
/** Without names, as when notifications are replaced by a timer, all waiting businesses share one query. */
const CHECK_AT_MOST_EVERY_MS = 200;

type WaitingQuery = FeedQuery & { after: FeedPosition };

interface Call {
  /** Null unless it waits. */
  query: WaitingQuery | null;
  answer(page: FeedPage | Promise<FeedPage>): void;
}

interface WaitingBusiness {
  id: string;
  calls: Set<Call>;
  state: 'idle' | 'queued' | 'scanning' | 'rescan';
  scannedAt: number;
  /** How often events of it were committed. */
  wakes: number;
}

export class WaitingCalls {
  readonly #reader: FeedReader;
  readonly #log: Log;
  readonly #businesses = new Map<string, WaitingBusiness>();
  readonly #queue: WaitingBusiness[] = [];
  #count = 0;
  #scans = 0;
  #isChecking = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checks: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(reader: FeedReader, log: Log) {
    this.#reader = reader;
    this.#log = log;
  }

  /** Registers a call before its first read, so that no event falls between the two. Null: too many wait already. */
  enter(businessId: string) {
    const business = this.#businesses.get(businessId) ?? newBusiness(businessId);
    if (this.#stopped || this.#count >= WAITING_MAX) return null;
    if (business.calls.size >= WAITING_PER_BUSINESS_MAX) return null;
    const call: Call = { query: null, answer: () => {} };
    this.#businesses.set(businessId, business);
    business.calls.add(call);
    this.#count += 1;
    this.#checks ??= setInterval(() => void this.#check(), CHECK_EVERY_MS).unref();
    const { wakes } = business;
    return {
      /** Resolves with the first page that has an event, or with an empty one after `milliseconds` or once the caller is gone. */
      wait: (query: WaitingQuery, milliseconds: number, gone: AbortSignal): Promise<FeedPage> => {
        const answer = this.#wait(business, call, query, milliseconds, gone);
        if (business.wakes !== wakes) this.#requestScan(business);
        return answer;
      },
      leave: () => this.#leave(business, call),
    };
  }

  /** Events of these businesses were committed; null: of any. */
  wake(businessIds: Iterable<string> | null): void {
    if (businessIds !== null) this.#wake(businessIds);
    else {
      // A call in its first read may have missed what the check does not find for it.
      for (const business of this.#businesses.values()) business.wakes += 1;
      if (monotonicMs() - this.#checkedAt >= CHECK_AT_MOST_EVERY_MS) void this.#check();
    }
  }

  count(): number {
    return this.#count;
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#checks);
    for (const { calls } of this.#businesses.values())
      for (const call of calls) if (call.query !== null) call.answer(emptyPage(call.query));
  }

  async #wait(
    business: WaitingBusiness,
    call: Call,
    query: WaitingQuery,
    milliseconds: number,
    gone: AbortSignal,
  ): Promise<FeedPage> {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (): void => call.answer(emptyPage(call.query ?? query));
    try {
      return await new Promise<FeedPage>((resolve) => {
        call.answer = resolve;
        call.query = query;
        if (this.#stopped || gone.aborted) return giveUp();
        gone.addEventListener('abort', giveUp, { once: true });
        timer = setTimeout(giveUp, milliseconds);
      });
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', giveUp);
      this.#leave(business, call);
    }
  }

  #leave(business: WaitingBusiness, call: Call): void {
    if (!business.calls.delete(call)) return;
    this.#count -= 1;
    if (business.calls.size === 0) this.#businesses.delete(business.id);
    if (this.#count > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
  }

  #wake(businessIds: Iterable<string>): void {
    for (const id of businessIds) {
      const business = this.#businesses.get(id);
      if (business === undefined) continue;
      business.wakes += 1;
      this.#requestScan(business);
    }
  }

  #requestScan(business: WaitingBusiness): void {
    if (business.state === 'scanning') business.state = 'rescan';
    if (business.state !== 'idle' || this.#stopped) return;
    business.state = 'queued';
    const early = business.scannedAt + SCAN_AT_MOST_EVERY_MS - monotonicMs();
    const enqueue = (): void => {
      this.#queue.push(business);
      this.#startScans();
    };
    if (early > 0) setTimeout(enqueue, early).unref();
    else enqueue();
  }

  #startScans(): void {
    while (this.#scans < SCANS_AT_ONCE) {
      const business = this.#queue.shift();
      if (business === undefined) return;
      this.#scans += 1;
      business.state = 'scanning';
      business.scannedAt = monotonicMs();
      this.#scan(business)
        // The next check scans again.
        .catch((error: unknown) =>
          this.#log.warn({ error, business_id: business.id }, 'event feed scan failed'),
        )
        .finally(() => {
          this.#scans -= 1;
          const isWanted = business.state === 'rescan' && business.calls.size > 0;
          business.state = 'idle';
          if (isWanted) this.#requestScan(business);
          this.#startScans();
        });
    }
  }

  /** One scan for all waiting calls of a business; their filters are applied here. */
  async #scan(business: WaitingBusiness): Promise<void> {
    let from = earliestPosition(business.calls);
    while (from !== null) {
      const query = { ...NO_FILTER, businessId: business.id, after: from, limit: SCAN_EVENTS };
      const page = await this.#reader.page(query).catch(nullIfRefused);
      for (const call of [...business.calls]) this.#answer(business, call, from, page);
      from = page?.hasMore === true ? page.next : null;
    }
  }

  #answer(business: WaitingBusiness, call: Call, from: FeedPosition, page: FeedPage | null): void {
    const { query } = call;
    if (query === null) return;
    // The cursor of the earliest has expired: its own read says so.
    const isRefused = page === null && query.after.position === from.position;
    const found = page === null ? 'scan_again' : pageFor(query, from, page);
    if (found === 'scan_again' && !isRefused) this.#requestScan(business);
    else if (typeof found !== 'string' && found.events.length === 0)
      call.query = { ...query, after: found.next };
    else {
      call.query = null;
      call.answer(typeof found === 'string' ? this.#reader.page(query) : found);
    }
  }

  /** Looks for events of all waiting businesses with one query. */
  async #check(): Promise<void> {
    if (this.#isChecking || this.#businesses.size === 0) return;
    this.#isChecking = true;
    this.#checkedAt = monotonicMs();
    try {
      const seen = Array.from(this.#businesses.values(), ({ id, calls }) => ({
        businessId: id,
        position: earliestPosition(calls)?.position ?? Number.MAX_SAFE_INTEGER,
      }));
      this.#wake(await this.#reader.businessesWithNewEvents(seen));
    } catch (error) {
      this.#log.warn({ error }, 'event feed check failed');
    } finally {
      this.#isChecking = false;
    }
  }
}

const newBusiness = (id: string): WaitingBusiness => ({
  id,
  calls: new Set(),
  state: 'idle',
  scannedAt: Number.NEGATIVE_INFINITY,
  wakes: 0,
});

const emptyPage = ({ after }: WaitingQuery): FeedPage => ({ events: [], hasMore: false, next: after });

function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}
