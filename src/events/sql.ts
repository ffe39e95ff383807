import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { StoredEvent } from '../webhooks/events.ts';

/** The state of a feed, and an event of the page; without events there is one row whose event is null. */
export interface FeedRow extends StoredEvent {
  last_position: number;
  expired_position: number;
  last_id: string | null;
  /** The event at the given position; null if none is kept there. */
  after_id: string | null;
  /** The first committed event that has no position yet. */
  unassigned_id: string | null;
  position: number | null;
  message_id: string | null;
}

const EVENT = 'position, id, type, occurred_at, message_id, data';

/**
 * A page and the state of its feed in one statement, that is from one snapshot: retention could otherwise delete events
 * between the check of the cursor and the page. `$2` is the position to start after; null: the oldest kept. `$4` is the id from
 * which to look for events without a position.
 */
const page = (events: string): string => `
  select f.last_position, f.expired_position, f.last_id, f.after_id, f.unassigned_id, e.*
  from (
    select last_position, expired_position, coalesce($2::bigint, expired_position) as start,
      (select id from events e where e.business_id = $1 and e.position = f.last_position) as last_id,
      (select id from events e where e.business_id = $1 and e.position = $2::bigint) as after_id,
      (select id from events e where e.business_id = $1 and e.position is null and e.id >= $4 order by id limit 1) as unassigned_id
    from event_feeds f where f.business_id = $1 offset 0) f
  left join lateral (${events}) e on true
  order by e.position`;

type FeedRange = [businessId: string, after: number | null, limit: number, floor: string];

export const readFeed = statement<FeedRange, FeedRow>(
  page(`
    select ${EVENT} from events
    where business_id = $1 and position > f.start order by position limit $3`),
);

/** One range of the index per type. */
export const readFeedOfTypes = statement<[...FeedRange, types: readonly string[]], FeedRow>(
  page(`
    select e.* from unnest($5::text[]) requested (type) cross join lateral (
      select ${EVENT} from events
      where business_id = $1 and type = requested.type and position > f.start order by position limit $3) e
    order by e.position limit $3`),
);

/** A message has few events: the types are a filter. */
export const readFeedOfMessage = statement<
  [...FeedRange, messageId: string, types: readonly string[] | null],
  FeedRow
>(
  page(`
    select ${EVENT} from events
    where business_id = $1 and message_id = $5 and position > f.start
      and ($6::text[] is null or type = any ($6::text[]))
    order by position limit $3`),
);

export const openFeed = statement<[businessId: string]>(`
  insert into event_feeds (business_id) values ($1) on conflict do nothing`);

/** The lock under which events get their positions. The next statement sees what others committed while this one waited. */
export const lockFeed = statement<[businessId: string], { last_position: number }>(`
  select last_position from event_feeds where business_id = $1 for no key update`);

/**
 * Gives the next positions to committed events that have none, oldest id first. An event that another transaction has
 * locked, as an erasure does for minutes, is left for a later call: its position only has to come after those given away.
 * The rows are found again by their address on the disk, because a plan for an empty table would scan the whole business; one
 * that was changed in between leaves a gap and gets its position by a later call.
 */
export const assignPositions = statementOfBusinesses<
  [businessId: string, limit: number, floor: string],
  { assigned: number; last_id: string | null }
>(
  ['business', 'same', 'same'],
  `
  with unassigned as materialized (
    select tid, id, row_number() over (order by id) as rank from (
      select ctid as tid, id from events where business_id = $1 and position is null and id >= $3
      order by id limit $2 for no key update skip locked) e
  ), feed as (
    update event_feeds set last_position = last_position + (select count(*) from unassigned)
    where business_id = $1 and exists (select from unassigned)
    returning last_position - (select count(*) from unassigned) as before
  ), assigned as (
    update events e set position = feed.before + unassigned.rank
    from feed cross join unassigned where e.ctid = unassigned.tid
    returning 1
  )
  select (select count(*)::int from assigned) as assigned, (select max(id) from unassigned) as last_id`,
);

/** Whether an event without a position would be on the page. */
export const hasUnassigned = statement<
  [businessId: string, types: readonly string[] | null, messageId: string | null],
  { found: boolean }
>(`
  select exists (
    select from events where business_id = $1 and position is null
      and ($2::text[] is null or type = any ($2::text[])) and ($3::text is null or message_id = $3)) as found`);

export const findFeedsWithNewEvents = statementOfBusinesses<
  [businessIds: readonly string[], seen: readonly number[], floors: readonly string[]],
  { business_id: string }
>(
  ['businesses', 'parallel', 'parallel'],
  `
  select requested.business_id from unnest($1::text[], $2::bigint[], $3::text[]) requested (business_id, seen, floor)
  left join lateral (
    select true as found from events e
    where e.business_id = requested.business_id and e.position is null and e.id >= requested.floor limit 1) unassigned on true
  left join lateral (
    select true as found from event_feeds f
    where f.business_id = requested.business_id and f.last_position > requested.seen offset 0) assigned on true
  where unassigned.found or assigned.found`,
);

/** Not durable: the next check finds what a crash loses. */
export const notifyOfEvents = statement<[payload: string], Record<string, string>>(`
  select set_config('synchronous_commit', 'off', true), pg_notify('waypost_events', $1)`);
