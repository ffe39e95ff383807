import { Readable } from 'node:stream';
import type { Queryable } from '../db/statement.ts';
import { type Clock, MINUTE, monotonicMs, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { changeMarkOf, changeMarksOf } from './sql.ts';

/** Server-sent events that say only that an open inbox changed. The page then reloads its content. */
export interface Live {
  /**
   * A stream for one session; null once the server is closing. At the limit per person, their oldest stream ends; at the
   * limit in all, the oldest stream of the business with the most.
   */
  watch(viewer: Viewer, seen: string): Readable | null;
  close(): void;
}

interface Viewer {
  businessId: string;
  recipientId: string;
  /** The session's id. */
  id: string;
}

/** How late an open page learns of a change. */
const POLL_EVERY_MS = 2 * SECOND;
/** Groups the changes of a short time into one poll. */
const POLL_SOON_MS = 200;
/** Shorter than the idle timeouts of common proxies. */
const HEARTBEAT_MS = 20 * SECOND;
/** After this the browser reconnects, perhaps to another process. */
const STREAM_LIFETIME_MS = 15 * MINUTE;
export const STREAMS_MAX = 1_000;
export const STREAMS_PER_RECIPIENT_MAX = 8;
/** The reconnect delay of an evicted stream. Without it, two pages would evict each other forever. */
const EVICTED_RETRY_MS = MINUTE;

interface Watcher extends Viewer {
  stream: Readable;
  seen: string;
  until: number;
  silentSince: number;
  ended: boolean;
}

export async function fingerprint(
  db: Queryable,
  reader: Pick<Viewer, 'businessId' | 'recipientId'>,
): Promise<string> {
  const [row] = await changeMarkOf(db, reader.businessId, reader.recipientId);
  return row?.print ?? '';
}

/** Polls all watchers with one statement, and only while there are any. */
export function openLive({ pool, clock, log }: { pool: Queryable; clock: Clock; log: Log }): Live {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | null = null;
  let nextPoll = Number.POSITIVE_INFINITY;
  let polling = false;
  let closed = false;

  /** Keeps an earlier planned poll, so that a series of calls does not keep postponing it. */
  const pollIn = (milliseconds: number) => {
    const at = monotonicMs() + milliseconds;
    if (watchers.size === 0 || closed || at >= nextPoll) return;
    if (timer !== null) clearTimeout(timer);
    nextPoll = at;
    timer = setTimeout(() => void poll(), milliseconds).unref();
  };

  const poll = async () => {
    nextPoll = Number.POSITIVE_INFINITY;
    if (polling) return pollIn(POLL_SOON_MS);
    polling = true;
    const polled = open();
    try {
      const businessIds = polled.map(({ businessId }) => businessId);
      const sessionIds = polled.map(({ id }) => id);
      const rows = await changeMarksOf(pool, businessIds, sessionIds, clock.now());
      const prints = new Map(rows.map((row) => [row.session_id, row.print]));
      for (const watcher of polled) update(watcher, prints.get(watcher.id));
    } catch (error) {
      log.warn({ error }, 'inbox poll failed');
    }
    polling = false;
    pollIn(POLL_EVERY_MS);
  };

  /** Oldest first. */
  const open = (): Watcher[] => [...watchers].filter(({ ended }) => !ended);

  const evictFor = (viewer: Viewer) => {
    const streams = open();
    const own = streams.filter((watcher) => personOf(watcher) === personOf(viewer));
    if (own.length >= STREAMS_PER_RECIPIENT_MAX) evict(own[0]);
    else if (streams.length >= STREAMS_MAX) evict(oldestOfLargest(streams));
  };

  return {
    watch({ businessId, recipientId, id }, seen) {
      if (closed) return null;
      evictFor({ businessId, recipientId, id });
      const now = monotonicMs();
      const stream = new Readable({ read: () => {} });
      const until = now + STREAM_LIFETIME_MS;
      const watcher: Watcher = {
        businessId,
        recipientId,
        id,
        stream,
        seen,
        until,
        silentSince: now,
        ended: false,
      };
      watchers.add(watcher);
      stream.once('close', () => watchers.delete(watcher));
      stream.push(`retry: ${POLL_EVERY_MS}\n\n`);
      pollIn(POLL_SOON_MS);
      return stream;
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      for (const watcher of watchers) if (!watcher.ended) end(watcher);
    },
  };
}

/** The oldest stream of the business with the most streams. */
function oldestOfLargest(streams: readonly Watcher[]): Watcher | undefined {
  const counts = new Map<string, number>();
  for (const { businessId } of streams) counts.set(businessId, (counts.get(businessId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return streams.find(({ businessId }) => counts.get(businessId) === most);
}

const personOf = ({ businessId, recipientId }: Pick<Viewer, 'businessId' | 'recipientId'>): string =>
  `${businessId} ${recipientId}`;

/** `print` is undefined when the session has ended. */
function update(watcher: Watcher, print: string | undefined): void {
  const { stream } = watcher;
  const now = monotonicMs();
  if (watcher.ended) return;
  // The client no longer reads.
  if (stream.readableLength > STALLED_BYTES) return void stream.destroy();
  if (print === undefined) {
    stream.push('event: ended\ndata:\n\n');
    watcher.until = now;
  } else if (print !== watcher.seen) {
    watcher.seen = print;
    watcher.silentSince = now;
    // The browser sends the id back when it reconnects, so that it misses no change in between.
    stream.push(`id: ${print}\nevent: changed\ndata:\n\n`);
  } else if (now - watcher.silentSince >= HEARTBEAT_MS) {
    watcher.silentSince = now;
    stream.push(':\n\n');
  }
  if (now >= watcher.until) end(watcher);
}

function evict(watcher: Watcher | undefined): void {
  if (watcher === undefined) return;
  watcher.stream.push(`retry: ${EVICTED_RETRY_MS}\n\n`);
  end(watcher);
}

function end(watcher: Watcher): void {
  watcher.ended = true;
  watcher.stream.push(null);
  setTimeout(() => watcher.stream.destroy(), END_READ_WITHIN_MS).unref();
}

const STALLED_BYTES = 16 * 1024;
/** A client that has not read the end by then is disconnected. */
const END_READ_WITHIN_MS = 2 * SECOND;
