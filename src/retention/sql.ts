import { isOnCluster } from '../db/pool.ts';
import { type Statement, statement, statementOnCluster, statementOnOnePostgres } from '../db/statement.ts';

/** The rows that one batch deleted from a table. */
export interface Deleted {
  table: string;
  deleted: number;
}

/**
 * Each statement deletes at most `limit` of the oldest expired rows. SKIP LOCKED leaves locked rows for the next batch, so
 * that a deletion never waits for other work.
 */
type Batch = [before: Date, limit: number];

/**
 * On a cluster nothing can be locked across shards: there the businesses with expired rows are looked up first, and each has a
 * statement of its own, until `limit` rows are gone. `only` is the condition that names the business.
 */
function deletion(table: string, age: string, text: (only: string) => string): Statement<Batch, Deleted> {
  const ofAll = statementOnOnePostgres<Batch, Deleted>(text(''));
  const businesses = statementOnCluster<Batch, { business_id: string }>(`
  select distinct business_id from ${table} where ${age} <= $1 limit $2`);
  const ofBusiness = statementOnCluster<[...Batch, businessId: string], Deleted>(
    text(' and business_id = $3'),
  );
  return async (db, before, limit) => {
    if (!isOnCluster(db)) return ofAll(db, before, limit);
    const rows = new Map<string, number>();
    for (const { business_id } of await businesses(db, before, limit)) {
      for (const { table, deleted } of await ofBusiness(db, before, limit, business_id))
        rows.set(table, (rows.get(table) ?? 0) + deleted);
      if ([...rows.values()].some((deleted) => deleted >= limit)) break;
    }
    return Array.from(rows, ([table, deleted]) => ({ table, deleted }));
  };
}

/** The same condition for a table with an alias. */
const of = (alias: string, only: string): string => only.replace('business_id', `${alias}.business_id`);

const oldestRows = (table: string, age: string, besides: string, only: string): string => `
  with old as materialized (
    select ctid from ${table} where ${age} <= $1 ${besides}${only} order by ${age} limit $2 for update skip locked
  ), gone as (
    delete from ${table} where ctid = any (array(select ctid from old))${only} returning 1
  )
  select '${table}' as table, count(*)::int as deleted from gone`;

const oldest = (table: string, age: string, besides: (only: string) => string = () => '') =>
  deletion(table, age, (only) => oldestRows(table, age, besides(only), only));

/** A table without a business, of which a cluster has a copy on every node: rows there have no place that all nodes share. */
const oldestOfCopied = (table: string, age: string): Statement<Batch, Deleted> => {
  const some = statementOnOnePostgres<Batch, Deleted>(oldestRows(table, age, '', ''));
  const all = statementOnCluster<[before: Date], Deleted>(`
  with gone as (delete from ${table} where ${age} <= $1 returning 1)
  select '${table}' as table, count(*)::int as deleted from gone`);
  return (db, before, limit) => (isOnCluster(db) ? all(db, before) : some(db, before, limit));
};

export const deleteOldReplies = oldest('whatsapp_replies', 'received_at');

/**
 * An erasure finds a batch's stored response through the records of its items, so those stay as long as the batch's, even
 * after they expire.
 */
export const deleteOldAnswers = oldest(
  'idempotency_records',
  'expires_at',
  (only) => `and not (scope = 'push' and key ~ '#[0-9]+$' and exists (
      select from idempotency_records b where b.business_id = idempotency_records.business_id and b.scope = 'batch'
        and b.key = regexp_replace(idempotency_records.key, '#[0-9]+$', '') and b.expires_at > $1${of('b', only)}))`,
);

export const deleteOldLinks = oldest('links', 'expires_at');

export const deleteOldSessions = oldest('inbox_sessions', 'expires_at');

export const deleteOldSignInLinks = oldestOfCopied('sign_in_links', 'expires_at');

export const deleteOldDashboardSessions = oldestOfCopied('dashboard_sessions', 'expires_at');

export const deleteOldChallenges = oldestOfCopied('passkey_challenges', 'expires_at');

/**
 * The delivery log: events with their deliveries and attempts. An event with a pending delivery stays. A ping of an
 * endpoint has only an attempt, whose event id starts with `ping`.
 *
 * A feed that was read learns up to which position its events are gone, so that an older cursor is refused. An event
 * without a position would have had the next one. The feeds are locked in order, so that two batches cannot deadlock; who
 * places events holds a feed's lock and waits for no event.
 */
export const deleteOldEvents = deletion(
  'events',
  'occurred_at',
  (only) => `
  with old as materialized (
    select e.business_id, e.id from events e
    where e.occurred_at <= $1 and not exists (
      select from webhook_deliveries d where d.business_id = e.business_id and d.event_id = e.id and d.state = 'pending'${of('d', only)})${of('e', only)}
    order by e.occurred_at limit $2 for update skip locked
  ), delivery as (
    delete from webhook_deliveries d using old where d.business_id = old.business_id and d.event_id = old.id${of('d', only)}
    returning d.business_id, d.endpoint_id, d.event_id
  ), attempt as (
    delete from webhook_attempts a using delivery d
    where a.business_id = d.business_id and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id${of('a', only)}
    returning 1
  ), ping as (
    delete from webhook_attempts where ctid = any (array(
      select ctid from webhook_attempts where at <= $1 and event_id like 'ping%'${only}
      order by at limit $2 for update skip locked))${only}
    returning 1
  ), event as (
    delete from events e using old where e.business_id = old.business_id and e.id = old.id${of('e', only)}
    returning e.business_id, e.position
  ), gone as materialized (
    select business_id, max(position) as last, count(*) filter (where position is null) as unplaced
    from event group by business_id
  ), feed as materialized (
    select f.business_id from event_feeds f where f.business_id = any (array(select business_id from gone))${of('f', only)}
    order by f.business_id for no key update
  ), expired as (
    update event_feeds f set last_position = f.last_position + gone.unplaced,
      expired_position = greatest(f.expired_position, gone.last,
        case when gone.unplaced > 0 then f.last_position + gone.unplaced end)
    from feed join gone using (business_id) where f.business_id = feed.business_id${of('f', only)}
  )
  select 'events' as table, count(*)::int as deleted from event
  union all select 'webhook_deliveries', count(*)::int from delivery
  union all select 'webhook_attempts', count(*)::int from (select from attempt union all select from ping) a`,
);

/** Logos that were replaced, which old mails show. */
export const deleteOldLogos = oldest('logos', 'replaced_at');

export const deleteOldReports = statement<Batch, Deleted>(
  oldestRows('provider_reports', 'received_at', '', ''),
);

export const deleteOldCaptures = oldest('sandbox_messages', 'at');

export const deleteOldReplyWindows = oldest('auto_reply_windows', 'until');

export const deleteOldUnreachable = oldest('whatsapp_unreachable', 'until');

export const deleteOldMessagedNumbers = oldest('messaged_numbers', 'until');
/**
 * Revoked keys. A key with children in the table stays, since their foreign keys refer to it; they were revoked with it or
 * before. `minted_by` and the audit have its id without a foreign key.
 */
export const deleteOldKeys = oldest(
  'api_keys',
  'revoked_at',
  (only) => `and not exists (
      select from api_keys c where c.business_id = api_keys.business_id and c.parent_id = api_keys.id${of('c', only)})`,
);

/** Deleted endpoints whose delivery log is empty. */
export const deleteOldEndpoints = oldest(
  'webhook_endpoints',
  'deleted_at',
  (only) => `and not exists (
      select from webhook_attempts a where a.business_id = webhook_endpoints.business_id and a.endpoint_id = webhook_endpoints.id${of('a', only)})
    and not exists (
      select from webhook_deliveries d where d.business_id = webhook_endpoints.business_id and d.endpoint_id = webhook_endpoints.id${of('d', only)})`,
);
