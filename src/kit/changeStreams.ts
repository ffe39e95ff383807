import { Readable } from 'node:stream';
import { MINUTE, monotonicMs, SECOND } from './clock.ts';
import type { Log } from './log.ts';

export type ChangeStreams<Viewer> = Pick<PolledStreams<Viewer>, 'watch' | 'close'>;

interface ChangeStreamOptions<Viewer> {
  /** For the log. */
  name: string;
  log: Log;
  /** What each viewer would see now, as a short text, read for all of them at once. A viewer without one has ended. */
  marksOf(viewers: readonly Viewer[]): Promise<ReadonlyMap<Viewer, string>>;
  /** Whether a read failed for everybody, as while the database is down. */
  isOutage(error: unknown): boolean;
  /** How late an open page learns of a change. */
  pollEveryMs: number;
  /** The least time between two changes that one page gets; 0: none. */
  quietMsOf(viewer: Viewer): number;
  streamsMax: number;
  perOwnerMax: number;
  ownerOf(viewer: Viewer): string;
  businessOf(viewer: Viewer): string;
}

/** Groups the changes of a short time into one poll. */
const POLL_SOON_MS = 200;
/** Shorter than the idle timeouts of common proxies. */
const HEARTBEAT_MS = 20 * SECOND;
/** After this the browser reconnects, perhaps to another process. */
const STREAM_LIFETIME_MS = 15 * MINUTE;
/** The reconnect delay of an evicted stream. Without it, two pages would evict each other forever. */
const EVICTED_RETRY_MS = MINUTE;
const STALLED_BYTES = 16 * 1024;
/** A client that has not read the end by then is disconnected. */
const END_READ_WITHIN_MS = 2 * SECOND;

interface Watcher<Viewer> {
  viewer: Viewer;
  stream: Readable;
  seen: string;
  until: number;
  changedAt: number;
  silentSince: number;
  ended: boolean;
}

/**
 * Server-sent events that say only that an open page changed. The page then reloads its content. All watchers are polled with one
 * statement, and only while there are any.
 */
export const openChangeStreams = <Viewer>(options: ChangeStreamOptions<Viewer>): ChangeStreams<Viewer> =>
  new PolledStreams(options);

class PolledStreams<Viewer> {
  readonly #options: ChangeStreamOptions<Viewer>;
  readonly #watchers = new Set<Watcher<Viewer>>();
  #timer: NodeJS.Timeout | undefined;
  #nextPoll = Number.POSITIVE_INFINITY;
  #polling = false;
  #closed = false;

  constructor(options: ChangeStreamOptions<Viewer>) {
    this.#options = options;
  }

  // Own properties, so that a caller can add to them by a spread.

  /**
   * A stream for one page; null once the server is closing. At the limit per owner, their oldest stream ends; at the limit
   * in all, the oldest stream of the business with the most.
   */
  readonly watch = (viewer: Viewer, seen: string): Readable | null => {
    if (this.#closed) return null;
    this.#evictFor(viewer);
    const now = monotonicMs();
    const stream = new Readable({ read: () => {} });
    const watcher: Watcher<Viewer> = {
      viewer,
      stream,
      seen,
      until: now + STREAM_LIFETIME_MS,
      changedAt: Number.NEGATIVE_INFINITY,
      silentSince: now,
      ended: false,
    };
    this.#watchers.add(watcher);
    stream.once('close', () => this.#watchers.delete(watcher));
    stream.push(`retry: ${this.#options.pollEveryMs}\n\n`);
    this.#pollIn(POLL_SOON_MS);
    return stream;
  };

  readonly close = (): void => {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#open().forEach(end);
  };

  /** Oldest first. */
  #open(): Watcher<Viewer>[] {
    return [...this.#watchers].filter(({ ended }) => !ended);
  }

  #evictFor(viewer: Viewer): void {
    const { ownerOf, businessOf, perOwnerMax, streamsMax } = this.#options;
    const streams = this.#open();
    const own = streams.filter((watcher) => ownerOf(watcher.viewer) === ownerOf(viewer));
    if (own.length >= perOwnerMax) evict(own[0]);
    else if (streams.length >= streamsMax) evict(oldestOfLargest(streams, businessOf));
  }

  /** Keeps an earlier planned poll, so that a series of calls does not keep postponing it. */
  #pollIn(milliseconds: number): void {
    const at = monotonicMs() + milliseconds;
    if (this.#watchers.size === 0 || this.#closed || at >= this.#nextPoll) return;
    clearTimeout(this.#timer);
    this.#nextPoll = at;
    this.#timer = setTimeout(() => void this.#poll(), milliseconds).unref();
  }

  async #poll(): Promise<void> {
    this.#nextPoll = Number.POSITIVE_INFINITY;
    if (this.#polling) return this.#pollIn(POLL_SOON_MS);
    this.#polling = true;
    await this.#updateAll(this.#open());
    this.#polling = false;
    this.#pollIn(this.#options.pollEveryMs);
  }

  /** If the read fails, each half is read alone, down to the watcher that cannot be read: its stream ends. */
  async #updateAll(polled: readonly Watcher<Viewer>[]): Promise<void> {
    const { name, log, marksOf, isOutage, quietMsOf } = this.#options;
    try {
      const marks = await marksOf(polled.map(({ viewer }) => viewer));
      for (const watcher of polled) update(watcher, marks.get(watcher.viewer), quietMsOf(watcher.viewer));
    } catch (error) {
      log.warn({ error, watchers: polled.length }, `${name} poll failed`);
      if (isOutage(error)) return;
      if (polled.length <= 1) return polled.forEach(end);
      const half = Math.ceil(polled.length / 2);
      await this.#updateAll(polled.slice(0, half));
      await this.#updateAll(polled.slice(half));
    }
  }
}

/** The oldest stream of the business with the most streams. */
function oldestOfLargest<Viewer>(
  streams: readonly Watcher<Viewer>[],
  businessOf: (viewer: Viewer) => string,
): Watcher<Viewer> | undefined {
  const counts = new Map<string, number>();
  for (const { viewer } of streams) counts.set(businessOf(viewer), (counts.get(businessOf(viewer)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return streams.find(({ viewer }) => counts.get(businessOf(viewer)) === most);
}

/** `mark` is undefined when the session has ended. */
function update<Viewer>(watcher: Watcher<Viewer>, mark: string | undefined, quietMs: number): void {
  const { stream } = watcher;
  const now = monotonicMs();
  if (watcher.ended) return;
  // The client no longer reads.
  if (stream.readableLength > STALLED_BYTES) return void stream.destroy();
  if (mark === undefined) {
    stream.push('event: ended\ndata:\n\n');
    watcher.until = now;
  } else if (mark !== watcher.seen && now - watcher.changedAt >= quietMs) {
    watcher.seen = mark;
    watcher.changedAt = now;
    watcher.silentSince = now;
    // The browser sends the id back when it reconnects, so that it misses no change in between.
    stream.push(`id: ${mark}\nevent: changed\ndata:\n\n`);
  } else if (now - watcher.silentSince >= HEARTBEAT_MS) {
    watcher.silentSince = now;
    stream.push(':\n\n');
  }
  if (now >= watcher.until) end(watcher);
}

function evict<Viewer>(watcher: Watcher<Viewer> | undefined): void {
  if (watcher === undefined) return;
  watcher.stream.push(`retry: ${EVICTED_RETRY_MS}\n\n`);
  end(watcher);
}

function end<Viewer>(watcher: Watcher<Viewer>): void {
  watcher.ended = true;
  watcher.stream.push(null);
  setTimeout(() => watcher.stream.destroy(), END_READ_WITHIN_MS).unref();
}
