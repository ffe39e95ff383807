import { EVENT_DAYS_KEPT, INVITATION_EVERY_MS, RESPONSE_DAYS_KEPT } from '../config/limits.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { type Statement, statement } from '../db/statement.ts';
import { DAY } from '../kit/clock.ts';

export interface Deleted {
  table: string;
  deleted: number;
}

/** At most `limit` of the oldest expired rows. SKIP LOCKED leaves locked rows for the next batch: a deletion never waits. */
type Batch = [before: Date, limit: number];

/** Where rows have a business, the businesses are looked up first: nothing can be locked across all of a cluster. */
export interface Deletion {
  findBusinesses: Statement<Batch, { business_id: string }> | null;
  remove: Statement<[...Batch, businessIds: readonly string[]], Deleted>;
}

const oldestOwners = (table: string, expired: string, age: string): string =>
  `(select business_id from ${table} where ${expired} order by ${age} limit $2)`;

/** Of an attempt only the response goes: the attempt itself stays for as long as its event. */
const OLD_RESPONSES = 'at <= $1 and response is not null';
const deleteOldResponses = deletion(
  [oldestOwners('webhook_attempts', OLD_RESPONSES, 'at')],
  `
  with old as materialized (
    select ctid from webhook_attempts where ${OLD_RESPONSES} order by at limit $2 for update skip locked
  ), deleted as (
    update webhook_attempts set response = null where ctid = any (array(select ctid from old)) returning 1
  )
  select 'webhook_attempts.response' as table, count(*)::int as deleted from deleted`,
);

function deletion(owners: readonly string[], text: string): Deletion {
  return {
    findBusinesses: statement(`
  select distinct business_id from (${owners.join(' union all ')}) oldest`),
    remove: statementOfBusinesses(['same', 'same', 'businesses'], text),
  };
}

const oldestRows = (table: string, expired: string, age: string): string => `
  with old as materialized (
    select ctid from ${table} where ${expired} order by ${age} limit $2 for update skip locked
  ), deleted as (
    delete from ${table} where ctid = any (array(select ctid from old)) returning 1
  )
  select '${table}' as table, count(*)::int as deleted from deleted`;

function oldest(table: string, age: string, besides = ''): Deletion {
  const expired = `${age} <= $1 ${besides}`;
  return deletion([oldestOwners(table, expired, age)], oldestRows(table, expired, age));
}

const ofNoBusiness = (remove: Statement<Batch, Deleted>): Deletion => ({
  findBusinesses: null,
  remove: (db, before, limit) => remove(db, before, limit),
});

/** All of them: a cluster has a copy on every node, where a row has no place that all nodes share. They are few. */
function allOf(table: string, age: string): Deletion {
  const remove = statement<[before: Date], Deleted>(`
  with deleted as (delete from ${table} where ${age} <= $1 returning 1)
  select '${table}' as table, count(*)::int as deleted from deleted`);
  return ofNoBusiness((db, before) => remove(db, before));
}

const EXPIRED_EVENTS = `occurred_at <= $1 and not exists (
      select from webhook_deliveries d
      where d.business_id = events.business_id and d.event_id = events.id and d.state = 'pending')`;

const EXPIRED_PINGS = `at <= $1 and event_id like 'ping%'`;

/**
 * The delivery log: events with their deliveries and attempts. An event with a pending delivery stays. A ping of an
 * endpoint has only an attempt, whose event id starts with `ping`.
 *
 * A feed that was read learns up to which position its events are gone, so that an older cursor is refused. An event
 * without a position would have had the next one. The feeds are locked in order, so that two batches cannot deadlock; a
 * reader that assigns positions holds a feed's lock and waits for no event.
 */
export const deleteOldEvents = deletion(
  [
    oldestOwners('events', EXPIRED_EVENTS, 'occurred_at'),
    oldestOwners('webhook_attempts', EXPIRED_PINGS, 'at'),
  ],
  `
  with old as materialized (
    select business_id, id from events where ${EXPIRED_EVENTS} order by occurred_at limit $2 for update skip locked
  ), delivery as (
    delete from webhook_deliveries d using old where d.business_id = old.business_id and d.event_id = old.id
    returning d.business_id, d.endpoint_id, d.event_id
  ), attempt as (
    delete from webhook_attempts a using delivery d
    where a.business_id = d.business_id and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
    returning 1
  ), ping as (
    delete from webhook_attempts where ctid = any (array(
      select ctid from webhook_attempts where ${EXPIRED_PINGS} order by at limit $2 for update skip locked))
    returning 1
  ), event as (
    delete from events e using old where e.business_id = old.business_id and e.id = old.id
    returning e.business_id, e.position
  ), deleted as materialized (
    select business_id, max(position) as last, count(*) filter (where position is null) as unassigned
    from event group by business_id
  ), feed as materialized (
    select f.business_id from event_feeds f where f.business_id = any (array(select business_id from deleted))
    order by f.business_id for no key update
  ), expired as (
    update event_feeds f set last_position = f.last_position + deleted.unassigned,
      expired_position = greatest(f.expired_position, deleted.last,
        case when deleted.unassigned > 0 then f.last_position + deleted.unassigned end)
    from feed join deleted using (business_id) where f.business_id = feed.business_id
  )
  select 'events' as table, count(*)::int as deleted from event
  union all select 'webhook_deliveries', count(*)::int from delivery
  union all select 'webhook_attempts', count(*)::int from (select from attempt union all select from ping) a`,
);

/** Rows are deleted `keptMs` after they were created, or after they ended. */
interface RetentionRule {
  tables: readonly string[];
  keptMs: number;
  deletion: Deletion;
}

const rule = (table: string, age: string, keptMs: number, besides = ''): RetentionRule => ({
  tables: [table],
  keptMs,
  deletion: oldest(table, age, besides),
});

/** All automatic deletion, as docs/privacy.md documents it. Other rows stay until an erasure. */
export const rules: readonly RetentionRule[] = [
  rule('whatsapp_replies', 'received_at', 90 * DAY),
  // Until `expires_at`, a day after the request.
  rule('idempotency_records', 'expires_at', 0),
  rule('links', 'expires_at', 30 * DAY),
  rule('inbox_sessions', 'expires_at', 30 * DAY),
  {
    tables: ['events', 'webhook_deliveries', 'webhook_attempts'],
    keptMs: EVENT_DAYS_KEPT * DAY,
    deletion: deleteOldEvents,
  },
  { tables: ['webhook_attempts'], keptMs: RESPONSE_DAYS_KEPT * DAY, deletion: deleteOldResponses },
  rule('webhook_replays', 'started_at', EVENT_DAYS_KEPT * DAY),
  // Providers repeat a report for a week at most.
  {
    tables: ['provider_reports'],
    keptMs: 14 * DAY,
    deletion: ofNoBusiness(statement(oldestRows('provider_reports', 'received_at <= $1', 'received_at'))),
  },
  rule('sandbox_messages', 'at', 30 * DAY),
  rule('auto_reply_windows', 'until', 0),
  rule('whatsapp_unreachable', 'until', 0),
  // Until two years after the last message.
  rule('messaged_numbers', 'until', 0),
  rule('connection_calls', 'received_at', 30 * DAY),
  // A store that names an order again after this is taken to know it anew.
  rule('connection_orders', 'updated_at', 180 * DAY),
  rule('tracking_registrations', 'created_at', 30 * DAY, 'and due_at is null'),
  // Kept after they are revoked, so that audit entries can be matched with a key's name and last letters. A key with children in
  // the table stays, since their foreign keys refer to it; they were revoked with it or before.
  rule(
    'api_keys',
    'revoked_at',
    90 * DAY,
    `and not exists (
      select from api_keys c where c.business_id = api_keys.business_id and c.parent_id = api_keys.id)`,
  ),
  // Longer than the hour in which a member's links are counted.
  { tables: ['sign_in_links'], keptMs: DAY, deletion: allOf('sign_in_links', 'expires_at') },
  {
    tables: ['member_invitations'],
    keptMs: INVITATION_EVERY_MS,
    deletion: allOf('member_invitations', 'sent_at'),
  },
  { tables: ['dashboard_sessions'], keptMs: 0, deletion: allOf('dashboard_sessions', 'expires_at') },
  { tables: ['passkey_challenges'], keptMs: 0, deletion: allOf('passkey_challenges', 'expires_at') },
  // Mails that were sent before show the logo of then.
  rule('logos', 'replaced_at', 90 * DAY),
  // A month longer than deliveries, so that none refers to it any more.
  rule(
    'webhook_endpoints',
    'deleted_at',
    60 * DAY,
    `and not exists (
      select from webhook_attempts a where a.business_id = webhook_endpoints.business_id and a.endpoint_id = webhook_endpoints.id)
    and not exists (
      select from webhook_deliveries d where d.business_id = webhook_endpoints.business_id and d.endpoint_id = webhook_endpoints.id)`,
  ),
];
