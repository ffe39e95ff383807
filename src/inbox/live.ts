import { Readable } from 'node:stream';
import type { Queryable } from '../db/statement.ts';
import { type Clock, MINUTE, monotonicMs, SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { changeMarkOf, changeMarksOf } from './sql.ts';

/** Streams that tell open inboxes that something changed. What changed the page reads from the database itself. */
export interface Live {
  /**
   * A stream of server-sent events for one session; null once the server is closing. Past the most that one person may
   * have, their oldest ends; past the most in all, the oldest of the business that has the most.
   */
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
export const STREAMS_PER_RECIPIENT_MAX = 8;
/** A stream that gave way comes back this late; at once, and two pages would take each other's place for ever. */
const GAVE_WAY_RETRY_MS = MINUTE;

interface Watcher extends Viewer {
  stream: Readable;
  seen: string;
  until: number;
  silentSince: number;
  /** The end was said. */
  over: boolean;
}

export async function fingerprint(
  db: Queryable,
  reader: Pick<Viewer, 'businessId' | 'recipientId'>,
): Promise<string> {
  const [row] = await changeMarkOf(db, reader.businessId, reader.recipientId);
  return row?.print ?? '';
}

/** Looks while anyone is watching, at all of them with one statement, and not at all otherwise. */
export function openLive({ pool, clock, log }: { pool: Queryable; clock: Clock; log: Log }): Live {
  const watchers = new Set<Watcher>();
  /** How many watch a person: asked on every push, so it must cost nothing. */
  const watched = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let nextLook = Number.POSITIVE_INFINITY;
  let looking = false;
  let closed = false;

  /** The sooner of this and what was planned, so that many who come do not keep putting it off. */
  const lookIn = (milliseconds: number) => {
    const at = monotonicMs() + milliseconds;
    if (watchers.size === 0 || closed || at >= nextLook) return;
    if (timer !== null) clearTimeout(timer);
    nextLook = at;
    timer = setTimeout(() => void look(), milliseconds).unref();
  };

  const look = async () => {
    nextLook = Number.POSITIVE_INFINITY;
    if (looking) return lookIn(LOOK_AGAIN_MS);
    looking = true;
    const asked = open();
    try {
      const businessIds = asked.map(({ businessId }) => businessId);
      const sessionIds = asked.map(({ id }) => id);
      const rows = await changeMarksOf(pool, businessIds, sessionIds, clock.now());
      const prints = new Map(rows.map((row) => [row.session_id, row.print]));
      for (const watcher of asked) tell(watcher, prints.get(watcher.id));
    } catch (error) {
      // The next look may succeed; until then the page shows what it showed.
      log.warn({ error }, 'the look at open inboxes failed');
    }
    looking = false;
    lookIn(LOOK_EVERY_MS);
  };

  /** Those that were not told the end, oldest first. */
  const open = (): Watcher[] => [...watchers].filter(({ over }) => !over);

  const makeRoomFor = (viewer: Viewer) => {
    const streams = open();
    const own = streams.filter((watcher) => personOf(watcher) === personOf(viewer));
    if (own.length >= STREAMS_PER_RECIPIENT_MAX) giveWay(own[0]);
    else if (streams.length >= STREAMS_MAX) giveWay(oldestOfLargest(streams));
  };

  const leave = (watcher: Watcher) => {
    watchers.delete(watcher);
    const others = (watched.get(personOf(watcher)) ?? 1) - 1;
    if (others === 0) watched.delete(personOf(watcher));
    else watched.set(personOf(watcher), others);
  };

  return {
    watch({ businessId, recipientId, id }, seen) {
      if (closed) return null;
      makeRoomFor({ businessId, recipientId, id });
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
        over: false,
      };
      watchers.add(watcher);
      watched.set(personOf(watcher), (watched.get(personOf(watcher)) ?? 0) + 1);
      stream.once('close', () => leave(watcher));
      stream.push(`retry: ${LOOK_EVERY_MS}\n\n`);
      lookIn(LOOK_AGAIN_MS);
      return stream;
    },
    changed(businessId, recipientId) {
      if (watched.has(personOf({ businessId, recipientId }))) lookIn(LOOK_AGAIN_MS);
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      for (const watcher of watchers) if (!watcher.over) end(watcher);
    },
  };
}

/** The oldest stream of the business that has the most. */
function oldestOfLargest(streams: readonly Watcher[]): Watcher | undefined {
  const counts = new Map<string, number>();
  for (const { businessId } of streams) counts.set(businessId, (counts.get(businessId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return streams.find(({ businessId }) => counts.get(businessId) === most);
}

const personOf = ({ businessId, recipientId }: Pick<Viewer, 'businessId' | 'recipientId'>): string =>
  `${businessId} ${recipientId}`;

/** `print` is undefined when the session is no more. */
function tell(watcher: Watcher, print: string | undefined): void {
  const { stream } = watcher;
  const now = monotonicMs();
  if (watcher.over) return;
  // Nobody reads the other end any more.
  if (stream.readableLength > STALLED_BYTES) return void stream.destroy();
  if (print === undefined) {
    stream.push('event: ended\ndata:\n\n');
    watcher.until = now;
  } else if (print !== watcher.seen) {
    watcher.seen = print;
    watcher.silentSince = now;
    // The id comes back from the browser when it reconnects, so that nothing in between is missed.
    stream.push(`id: ${print}\nevent: changed\ndata:\n\n`);
  } else if (now - watcher.silentSince >= HEARTBEAT_MS) {
    watcher.silentSince = now;
    stream.push(':\n\n');
  }
  if (now >= watcher.until) end(watcher);
}

function giveWay(watcher: Watcher | undefined): void {
  if (watcher === undefined) return;
  watcher.stream.push(`retry: ${GAVE_WAY_RETRY_MS}\n\n`);
  end(watcher);
}

function end(watcher: Watcher): void {
  watcher.over = true;
  watcher.stream.push(null);
  setTimeout(() => watcher.stream.destroy(), END_TAKEN_WITHIN_MS).unref();
}

const STALLED_BYTES = 16 * 1024;
/** A reader that has not read the end by then is cut off. */
const END_TAKEN_WITHIN_MS = 2 * SECOND;
