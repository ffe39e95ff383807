import { Readable } from 'node:stream';
import type { Queryable } from '../db/statement.ts';
import { type Clock, MINUTE, monotonicMs, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { printOf, printsOf } from './liveSql.ts';

/** Streams that tell open inboxes that something changed. What changed the page reads from the database itself. */
export interface Live {
  /** A stream of server-sent events for one session, or null when there are as many as there may be. */
  watch(viewer: Viewer, seen: string): Readable | null;
  /** Something in this person's inbox changed, in this process: whoever is looking hears of it at once. */
  changed(businessId: string, recipientId: string): void;
  close(): void;
}

export interface Viewer {
  businessId: string;
  recipientId: string;
  /** The id of the session. */
  id: string;
}

/** Changes made by other processes are seen this late; those of this process at once. */
const LOOK_EVERY_MS = 2 * SECOND;
/** A look soon after another one adds little. */
const LOOK_AGAIN_MS = 200;
/** Says something before proxies on the way take the silence for a dead connection. */
const HEARTBEAT_MS = 20 * SECOND;
/** Streams end by themselves; the browser comes back, perhaps to another process. */
const STREAM_LIFETIME_MS = 15 * MINUTE;
export const STREAMS_MAX = 1_000;
export const STREAMS_PER_SESSION_MAX = 4;

interface Watcher extends Viewer {
  stream: Readable;
  seen: string;
  until: number;
  silentSince: number;
}

export async function fingerprint(
  db: Queryable,
  reader: Pick<Viewer, 'businessId' | 'recipientId'>,
): Promise<string> {
  const [row] = await printOf(db, reader.businessId, reader.recipientId);
  return row?.print ?? '';
}

/** Looks while anyone is watching, at all of them with one statement, and not at all otherwise. */
export function openLive({ pool, clock, log }: { pool: Queryable; clock: Clock; log: Log }): Live {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | null = null;
  let looking = false;
  let closed = false;

  const lookIn = (milliseconds: number) => {
    if (timer !== null) clearTimeout(timer);
    timer = watchers.size === 0 || closed ? null : setTimeout(() => void look(), milliseconds).unref();
  };

  const look = async () => {
    if (looking) return;
    looking = true;
    const asked = [...watchers];
    try {
      const ids = [asked.map(({ businessId }) => businessId), asked.map(({ id }) => id)] as const;
      const rows = await printsOf(pool, ids[0], ids[1], clock.now());
      const prints = new Map(rows.map((row) => [row.session_id, row.print]));
      for (const watcher of asked) tell(watcher, prints.get(watcher.id));
    } catch (error) {
      // The next look may succeed; until then the page shows what it showed.
      log.warn({ error }, 'the look at open inboxes failed');
    }
    looking = false;
    lookIn(LOOK_EVERY_MS);
  };

  return {
    watch({ businessId, recipientId, id }, seen) {
      const ofSession = [...watchers].filter((watcher) => watcher.id === id).length;
      if (closed || watchers.size >= STREAMS_MAX || ofSession >= STREAMS_PER_SESSION_MAX) return null;
      const now = monotonicMs();
      const stream = new Readable({ read: () => {} });
      const watcher = {
        businessId,
        recipientId,
        id,
        stream,
        seen,
        until: now + STREAM_LIFETIME_MS,
        silentSince: now,
      };
      watchers.add(watcher);
      stream.once('close', () => watchers.delete(watcher));
      stream.push(`retry: ${LOOK_EVERY_MS}\n\n`);
      lookIn(LOOK_AGAIN_MS);
      return stream;
    },
    changed(businessId, recipientId) {
      const concerned = [...watchers].some(
        (one) => one.recipientId === recipientId && one.businessId === businessId,
      );
      if (concerned) lookIn(LOOK_AGAIN_MS);
    },
    close() {
      closed = true;
      lookIn(0);
      for (const { stream } of watchers) stream.push(null);
    },
  };
}

/** `print` is undefined when the session is no more. */
function tell(watcher: Watcher, print: string | undefined): void {
  const { stream } = watcher;
  const now = monotonicMs();
  if (print === undefined) {
    stream.push('event: ended\ndata:\n\n');
    stream.push(null);
    return;
  }
  if (print !== watcher.seen) {
    watcher.seen = print;
    watcher.silentSince = now;
    // The id comes back from the browser when it reconnects, so that nothing in between is missed.
    stream.push(`id: ${print}\nevent: changed\ndata:\n\n`);
  } else if (now - watcher.silentSince >= HEARTBEAT_MS) {
    watcher.silentSince = now;
    stream.push(':\n\n');
  }
  // A reader that takes nothing any more, or has been here long enough.
  if (now >= watcher.until || stream.readableLength > STALLED_BYTES) stream.push(null);
}

const STALLED_BYTES = 16 * 1024;
