import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { TransactionEnd, transaction } from '../db/transaction.ts';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { columns } from '../kit/columns.ts';
import { ApiError } from '../kit/errors.ts';
import { isObject } from '../kit/json.ts';
import { envelope, type StoredEvent } from '../webhooks/events.ts';
import type { FeedPosition } from './cursor.ts';
import {
  assignPositions,
  type FeedRow,
  findFeedsWithNewEvents,
  hasUnassigned,
  lockFeed,
  openFeed,
  readFeed,
  readFeedOfMessage,
  readFeedOfTypes,
} from './sql.ts';
import { type BeginUnassignedScan, unassignedScanFloors } from './unassignedScanFloors.ts';

/** The events that a caller wants; null: all. */
export interface EventFilter {
  types: readonly string[] | null;
  messageId: string | null;
}

export interface FeedQuery extends EventFilter {
  businessId: string;
  /** Null: from the oldest kept. */
  after: FeedPosition | null;
  limit: number;
}

export interface FeedEvent {
  position: number;
  id: string;
  type: string;
  messageId: string | null;
  /** The envelope, as a webhook's body has it. */
  json: string;
}

export interface FeedPage {
  events: readonly FeedEvent[];
  /** Where the next page begins: past everything that was read. */
  next: FeedPosition;
  hasMore: boolean;
}

export const NO_FILTER: EventFilter = { types: null, messageId: null };

export type FeedReader = ReturnType<typeof createFeedReader>;

/** Giving an event its position takes some 30 µs, and the other readers of the feed wait for it. */
const ASSIGN_CHUNK = 2_000;
/** A feed that was never read may have a month of events without a position. After this a call answers with what it has. */
const ASSIGN_WITHIN_MS = 5 * SECOND;

/**
 * Reads pages of a business's events in the order of the feed. Events get their position here, after their commit, so that
 * one that commits late comes after every cursor that was given out (docs/adr/0009-the-order-of-the-event-feed.md).
 */
export function createFeedReader({ pool, clock }: { pool: Pool; clock: Clock }) {
  const beginScan = unassignedScanFloors(clock);
  return {
    page: (query: FeedQuery) => readFeedPage(pool, beginScan, query),
    /** The end of a feed, after every event that is committed by now. */
    end: (businessId: string) => readEnd(pool, beginScan, businessId),
    /** Of these businesses, those that may have events after a position. */
    async businessesWithNewEvents(seen: readonly { businessId: string; position: number }[]) {
      const scans = seen.map(({ businessId }) => beginScan(businessId));
      const rows = await readByKey(pool, (tx) =>
        findFeedsWithNewEvents(
          tx,
          ...columns(seen, 'businessId', 'position'),
          scans.map(({ floor }) => floor),
        ),
      );
      const found = new Set(rows.map(({ business_id }) => business_id));
      seen.forEach(({ businessId }, at) => {
        if (!found.has(businessId)) scans[at]?.end(null);
      });
      return [...found];
    },
  };
}

async function readFeedPage(pool: Pool, beginScan: BeginUnassignedScan, query: FeedQuery): Promise<FeedPage> {
  const assigning = startAssigning(pool, beginScan, query.businessId);
  for (;;) {
    const scan = await readFeedState(pool, query, assigning.floor);
    if (isExpired(scan, query.after)) throw new ApiError('events.cursor_expired');
    const page = pageOf(scan, query);
    if (page.hasMore || assigning.isDone(scan)) return page;
    if (assigning.isLate()) return { ...page, hasMore: await hasUnassignedMatch(pool, query) };
    await assigning.next();
  }
}

async function readEnd(pool: Pool, beginScan: BeginUnassignedScan, businessId: string) {
  const assigning = startAssigning(pool, beginScan, businessId);
  for (;;) {
    const query = { ...NO_FILTER, businessId, after: null, limit: 0 };
    const scan = await readFeedState(pool, query, assigning.floor);
    if (assigning.isDone(scan)) return scan.end;
    // The next call goes on where this one stopped.
    if (assigning.isLate()) throw new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
    await assigning.next();
  }
}

/** Gives positions to the committed events of a feed, a chunk at a time. */
function startAssigning(pool: Pool, beginScan: BeginUnassignedScan, businessId: string) {
  const until = monotonicMs() + ASSIGN_WITHIN_MS;
  const { floor, end } = beginScan(businessId);
  /** The next chunk begins here. */
  let from = floor;
  let isWhole = false;
  return {
    floor,
    /** Whether every event that was committed at the start has a position; one that is locked is left. */
    isDone({ unassignedId }: FeedScan): boolean {
      const isDone = isWhole || unassignedId === null;
      if (isDone) end(unassignedId);
      return isDone;
    },
    isLate: () => monotonicMs() > until,
    async next(): Promise<void> {
      const chunk = await transaction(pool, async () => assignChunk(businessId, from), {
        planning: 'by_key',
      });
      from = chunk?.last_id ?? from;
      isWhole = (chunk?.assigned ?? 0) < ASSIGN_CHUNK;
    },
  };
}

const assignChunk = (businessId: string, from: string) =>
  TransactionEnd.finalWrites((send) => {
    send(lockFeed, businessId);
    const written = send(assignPositions, businessId, ASSIGN_CHUNK, from);
    return () => written()[0];
  });

type FeedScan = Awaited<ReturnType<typeof readFeedState>>;

/** Reads one event more than the page has: it shows whether another page follows. */
async function readFeedState(pool: Pool, query: FeedQuery, floor: string) {
  const read = () => readByKey(pool, (tx) => readRows(tx, query, floor));
  let rows = await read();
  if (rows.length === 0) {
    await openFeed(pool, query.businessId);
    rows = await read();
  }
  const [first] = rows;
  if (first === undefined) throw new Error('a feed that was opened is gone');
  return {
    events: rows.flatMap(feedEvent),
    end: { position: first.last_position, id: first.last_id },
    expiredPosition: first.expired_position,
    unassignedId: first.unassigned_id,
    afterId: first.after_id,
  };
}

const readByKey = <T>(pool: Pool, read: (tx: Queryable) => Promise<T>): Promise<T> =>
  transaction(pool, async (tx) => TransactionEnd.readOnly(await read(tx)), { planning: 'by_key' });

function readRows(db: Queryable, query: FeedQuery, floor: string): Promise<FeedRow[]> {
  const { businessId, after, types, messageId, limit } = query;
  const range = [businessId, after?.position ?? null, limit + 1, floor] as const;
  if (messageId !== null) return readFeedOfMessage(db, ...range, messageId, types);
  return types === null ? readFeed(db, ...range) : readFeedOfTypes(db, ...range, types);
}

/**
 * Events after the cursor are gone: deleted by retention, or with the end of the feed, when the database was restored to a
 * time before the cursor. Positions were then given to other events, and going on from the cursor would miss some.
 */
function isExpired({ expiredPosition, end, afterId }: FeedScan, after: FeedPosition | null): boolean {
  if (after === null) return false;
  const isAnother = after.id !== null && afterId !== null && after.id !== afterId;
  return after.position < expiredPosition || after.position > end.position || isAnother;
}

function pageOf({ events, end }: FeedScan, { after, limit }: FeedQuery): FeedPage {
  const hasMore = events.length > limit;
  const shown = hasMore ? events.slice(0, limit) : events;
  const last = shown.at(-1);
  if (hasMore && last) return { events: shown, hasMore, next: { position: last.position, id: last.id } };
  // The event at the end may be gone by now: the cursor stays the same.
  return { events: shown, hasMore, next: after?.position === end.position ? after : end };
}

async function hasUnassignedMatch(pool: Pool, { businessId, types, messageId }: FeedQuery): Promise<boolean> {
  const [row] = await readByKey(pool, (tx) => hasUnassigned(tx, businessId, types, messageId));
  return row?.found === true;
}

function feedEvent({ position, id, type, occurred_at, message_id, data }: FeedRow): FeedEvent[] {
  if (position === null) return [];
  const json = envelope({ id, type, occurred_at, data: withoutErased(data) });
  return [{ position, id, type, messageId: message_id, json }];
}

/** The reference of an erased person's message stays in webhooks, and not here. An event about a person has their address until then. */
function withoutErased(data: StoredEvent['data']): StoredEvent['data'] {
  return isObject(data) && data.recipient_email === null && 'message_id' in data && 'reference' in data
    ? { ...data, reference: null }
    : data;
}
