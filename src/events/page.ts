import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { TransactionEnd, transaction } from '../db/transaction.ts';
import { type Clock, monotonicMs, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { isObject } from '../kit/json.ts';
import { envelope, type StoredEvent } from '../webhooks/events.ts';
import type { Place } from './cursor.ts';
import {
  type FeedRow,
  findGrownFeeds,
  hasUnplaced,
  lockFeed,
  openFeed,
  placeEvents,
  readFeed,
  readFeedOfMessage,
  readFeedOfTypes,
} from './sql.ts';
import { createUnplacedFloors, type UnplacedFloors } from './unplacedFloors.ts';

/** Which events a caller asks for; null: all. */
export interface EventFilter {
  types: readonly string[] | null;
  messageId: string | null;
}

export interface FeedQuery extends EventFilter {
  businessId: string;
  /** Null: from the oldest kept. */
  after: Place | null;
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
  /** Where the next page begins: past everything that was looked at. */
  next: Place;
  /** Whether a matching event follows. */
  hasMore: boolean;
}

export const NO_FILTER: EventFilter = { types: null, messageId: null };

/** The feeds of all businesses. */
export interface FeedReader {
  page(query: FeedQuery): Promise<FeedPage>;
  /** The end of a feed, after every event that is committed by now. */
  end(businessId: string): Promise<Place>;
  /** Of these businesses, those whose feed may have grown past a position. */
  grown(seen: readonly { businessId: string; position: number }[]): Promise<string[]>;
}

/** Placing takes some 30 µs per event, and the other readers of the feed wait for it. */
const PLACE_CHUNK = 2_000;
/** A feed that was never read may have a month of events to place. After this a call answers with what it has. */
const PLACE_WITHIN_MS = 5 * SECOND;

/**
 * Reads pages of a business's events in the order of the feed. Events get their position here, after their commit, so that
 * one that commits late comes after every cursor that was given out (docs/adr/0009-the-order-of-the-event-feed.md).
 */
export function createFeedReader({ pool, clock }: { pool: Pool; clock: Clock }): FeedReader {
  const floors = createUnplacedFloors(clock);
  return {
    page: (query) => readFeedPage(pool, floors, query),
    end: (businessId) => readEnd(pool, floors, businessId),
    async grown(seen) {
      const looks = seen.map(({ businessId }) => ({ businessId, look: floors.begin(businessId) }));
      const rows = await readByKey(pool, (tx) =>
        findGrownFeeds(
          tx,
          seen.map(({ businessId }) => businessId),
          seen.map(({ position }) => position),
          looks.map(({ look }) => look.floor),
        ),
      );
      const grown = new Set(rows.map(({ business_id }) => business_id));
      for (const { businessId, look } of looks) if (!grown.has(businessId)) look.end(null);
      return [...grown];
    },
  };
}

async function readFeedPage(pool: Pool, floors: UnplacedFloors, query: FeedQuery): Promise<FeedPage> {
  const placing = startPlacing(pool, floors, query.businessId);
  for (;;) {
    const look = await lookAt(pool, query, placing.floor);
    if (isExpired(look, query.after)) throw new ApiError('events.cursor_expired');
    const page = pageOf(look, query);
    if (page.hasMore) return page;
    if (placing.isDone(look)) return page;
    if (placing.isLate()) return { ...page, hasMore: await hasUnplacedMatch(pool, query) };
    await placing.next();
  }
}

async function readEnd(pool: Pool, floors: UnplacedFloors, businessId: string): Promise<Place> {
  const placing = startPlacing(pool, floors, businessId);
  for (;;) {
    const look = await lookAt(pool, { ...NO_FILTER, businessId, after: null, limit: 0 }, placing.floor);
    if (placing.isDone(look)) return look.end;
    // The next call goes on where this one stopped.
    if (placing.isLate()) throw new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
    await placing.next();
  }
}

/** Places the committed events of a feed, a chunk at a time. */
function startPlacing(pool: Pool, floors: UnplacedFloors, businessId: string) {
  const until = monotonicMs() + PLACE_WITHIN_MS;
  const { floor, end } = floors.begin(businessId);
  /** The next chunk begins here. */
  let from = floor;
  let isWhole = false;
  return {
    floor,
    /** Whether every event that was committed at the start has a position; one that is locked is left. */
    isDone({ unplacedId }: Look): boolean {
      const isDone = isWhole || unplacedId === null;
      if (isDone) end(unplacedId);
      return isDone;
    },
    isLate: () => monotonicMs() > until,
    async next(): Promise<void> {
      const chunk = await transaction(pool, async () => placeChunk(businessId, from), { planning: 'by_key' });
      from = chunk.lastId ?? from;
      isWhole = chunk.placed < PLACE_CHUNK;
    },
  };
}

const placeChunk = (businessId: string, from: string) =>
  TransactionEnd.finalWrites((send) => {
    send(lockFeed, businessId);
    const written = send(placeEvents, businessId, PLACE_CHUNK, from);
    return () => ({ placed: written()[0]?.placed ?? 0, lastId: written()[0]?.last_id ?? null });
  });

interface Look {
  events: FeedEvent[];
  end: Place;
  expiredPosition: number;
  unplacedId: string | null;
  afterId: string | null;
}

/** Reads one event more than the page has: it shows whether another page follows. */
async function lookAt(pool: Pool, query: FeedQuery, floor: string): Promise<Look> {
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
    unplacedId: first.unassigned_id,
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
function isExpired({ expiredPosition, end, afterId }: Look, after: Place | null): boolean {
  if (after === null) return false;
  const isAnother = after.id !== null && afterId !== null && after.id !== afterId;
  return after.position < expiredPosition || after.position > end.position || isAnother;
}

function pageOf({ events, end }: Look, { after, limit }: FeedQuery): FeedPage {
  const hasMore = events.length > limit;
  const shown = hasMore ? events.slice(0, limit) : events;
  const last = shown.at(-1);
  if (hasMore && last) return { events: shown, hasMore, next: { position: last.position, id: last.id } };
  // The event at the end may be gone by now: the cursor stays the same.
  return { events: shown, hasMore, next: after?.position === end.position ? after : end };
}

async function hasUnplacedMatch(pool: Pool, { businessId, types, messageId }: FeedQuery): Promise<boolean> {
  const [row] = await readByKey(pool, (tx) => hasUnplaced(tx, businessId, types, messageId));
  return row?.found === true;
}

function feedEvent({ position, id, type, occurred_at, message_id, data }: FeedRow): FeedEvent[] {
  if (position === null) return [];
  const json = envelope({ id, type, occurred_at, data: withoutErased(data) });
  return [{ position, id, type, messageId: message_id, json }];
}

/** The reference of an erased person's order stays in webhooks, and not here. An event about a person has their address until then. */
function withoutErased(data: StoredEvent['data']): StoredEvent['data'] {
  return isObject(data) && data.recipient_email === null && 'reference' in data
    ? { ...data, reference: null }
    : data;
}
