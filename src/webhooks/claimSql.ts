import { lookInTwoForms, statementOfBusinesses } from '../db/perBusiness.ts';
import { statement, statementOnOnePostgres } from '../db/statement.ts';
import type { JsonValue, StoredSecrets } from './signature.ts';

/** The due deliveries of one endpoint. If it is disabled or deleted (`live` is false), they are now stopped. */
export interface FoundRow {
  business_id: string;
  endpoint_id: string;
  live: boolean;
  failing: boolean;
  /** Unordered. JSON parses several times faster than rows. */
  deliveries: [eventId: string, attempts: number, dueMs: number][];
}

/** Every row repeats the scan's result. A scan that found nothing returns one row with `business_id` null. */
type ScanRow = {
  next_business: string | null;
  next_endpoint: string | null;
  /** In milliseconds. */
  earliest: number | null;
} & (FoundRow | { business_id: null });

/**
 * Claims due deliveries in order of occurrence, under a lease that expires by itself. SKIP LOCKED: workers never
 * wait for each other. A locked row cannot move, so the update finds it by ctid.
 * Fair: the scan steps from endpoint to endpoint along the index of pending deliveries (one probe per endpoint,
 * however long its queue), and each endpoint with due deliveries gets an equal share, up to its capacity. A
 * failing endpoint gets one delivery at a time.
 * The scan skips an endpoint of which another worker holds a delivery, so order and the concurrency limit hold
 * across processes. Leased deliveries come first in the order, so reading a few rows is enough. Two workers that
 * scan at the same moment can share an endpoint for one claim.
 * The scan skips everything before `floor`. Settled rows stay in the index until a vacuum, which an old
 * transaction can delay for hours; without a floor every scan would step over all of them.
 */
export const claimDueDeliveries = statementOnOnePostgres<
  [
    afterBusiness: string,
    afterEndpoint: string,
    floor: Date,
    now: Date,
    nowStamp: string,
    maxSteps: number,
    limit: number,
    heldBusinesses: readonly string[],
    heldEndpoints: readonly string[],
    heldCapacities: readonly number[],
    capacityPerEndpoint: number,
    worker: string,
    lease: string,
  ],
  ScanRow
>(`
  with recursive walk (business_id, endpoint_id, due_at, step) as (
    (select business_id, endpoint_id, due_at, 1 from webhook_deliveries
      where due_at >= $3 and (business_id, endpoint_id) > ($1, $2)
      order by business_id, endpoint_id, due_at limit 1)
    union all
    select n.business_id, n.endpoint_id, n.due_at, walk.step + 1
    from walk cross join lateral (
      select d.business_id, d.endpoint_id, d.due_at from webhook_deliveries d
      where d.due_at >= $3 and (d.business_id, d.endpoint_id) > (walk.business_id, walk.endpoint_id)
      order by d.business_id, d.endpoint_id, d.due_at limit 1) n
    where walk.step < $6
  ), due as materialized (
    select walk.business_id, walk.endpoint_id, walk.due_at as first_due, w.live, w.failing, r.capacity
    from walk
    cross join lateral (
      select last_error is not null as failing, disabled_at is null and deleted_at is null as live
      from webhook_endpoints where business_id = walk.business_id and id = walk.endpoint_id limit 1) w
    left join unnest($8::text[], $9::text[], $10::int[]) held (business_id, endpoint_id, capacity)
      on held.business_id = walk.business_id and held.endpoint_id = walk.endpoint_id
    cross join lateral (
      select case when not w.live then $7::int
        else coalesce(held.capacity, case when w.failing then 1 else $11::int end) end as capacity) r
    where walk.due_at <= $4 and r.capacity > 0 and not exists (
      select from (
        select lease from webhook_deliveries d
        where d.business_id = walk.business_id and d.endpoint_id = walk.endpoint_id
          and d.due_at between walk.due_at and $4
        order by d.due_at limit 64) first
      where first.lease > $5 and first.lease not like '%.' || $12)
  ), picked as materialized (
    select p.locked, due.live, due.failing
    from due cross join lateral (
      select d.ctid as locked from webhook_deliveries d
      where d.business_id = due.business_id and d.endpoint_id = due.endpoint_id
        and d.due_at between due.first_due and $4 and (d.lease is null or d.lease <= $5)
      order by d.due_at, d.event_id
      limit least(due.capacity, greatest(1, $7::int / (select count(*) from due)))
      for update skip locked) p
    limit $7
  ), claimed as (
    update webhook_deliveries d set
      lease = case when p.live then $13 end,
      state = case when p.live then d.state else 'stopped' end,
      due_at = case when p.live then d.due_at end,
      settled_at = case when p.live then null else $4::timestamptz end
    from picked p
    where d.ctid = p.locked
    returning d.business_id, d.endpoint_id, d.event_id, coalesce(d.due_at, $4) as due_at, d.attempts, p.live, p.failing
  ), found as (
    select business_id, endpoint_id, live, failing,
      json_agg(json_build_array(event_id, attempts, round(date_part('epoch', due_at) * 1000))) as deliveries
    from claimed group by business_id, endpoint_id, live, failing
  )
  select last.business_id as next_business, last.endpoint_id as next_endpoint,
    (select floor(extract(epoch from min(due_at)) * 1000)::float8 from walk) as earliest, found.*
  from (select) as scan
  left join (select business_id, endpoint_id from walk where step = $6) last on true
  left join found on true`);

export interface TargetRow extends StoredSecrets {
  business_id: string;
  id: string;
  url: string;
}

export const readTargets = statementOfBusinesses<[businessIds: string[], endpointIds: string[]], TargetRow>(
  ['businesses', 'beside'],
  `
  select w.business_id, w.id, w.url, w.secret_sealed, w.previous_secret_sealed, w.secret_switches_at
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join webhook_endpoints w on w.business_id = k.business_id and w.id = k.id`,
);

export interface ClaimedEventRow {
  business_id: string;
  id: string;
  about: string;
  type: string;
  occurred_at: Date;
  data: JsonValue;
  /** Only where traces are on. */
  trace_context?: string | null;
}

/**
 * Each event once, however many endpoints subscribe to it. The lateral join with `limit 1` keeps the plan on the
 * primary key.
 */
export const readEvents = statementOfBusinesses<[businessIds: string[], eventIds: string[]], ClaimedEventRow>(
  ['businesses', 'beside'],
  eventsWith('', ''),
);

/** The same with the trace of the push that each event is about. */
export const readTracedEvents = statementOfBusinesses<
  [businessIds: string[], eventIds: string[]],
  ClaimedEventRow
>(['businesses', 'beside'], eventsWith(', m.trace_context', traceOf('k', 'e')));

function eventsWith(column: string, join: string): string {
  return `
  select k.business_id, k.id, coalesce(e.message_id, e.recipient_id, '') as about, e.type, e.occurred_at, e.data${column}
  from unnest($1::text[], $2::text[]) k (business_id, id)
  cross join lateral (
    select message_id, recipient_id, type, occurred_at, data from events
    where business_id = k.business_id and id = k.id limit 1) e${join}`;
}

/** Joins the message `m` of an event. A message that is gone leaves no trace. */
export function traceOf(key: string, event: string): string {
  return `
  left join lateral (
    select trace_context from messages where business_id = ${key}.business_id and id = ${event}.message_id limit 1) m on true`;
}

/** Releases claims whose attempts have not started. */
export const releaseDeliveryClaims = statementOfBusinesses<
  [businessIds: string[], endpointIds: string[], eventIds: string[], leases: string[]]
>(
  ['businesses', 'beside', 'beside', 'beside'],
  `
  update webhook_deliveries d set lease = null
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) k (business_id, endpoint_id, event_id, lease)
  where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id
    and d.lease = k.lease`,
);

/** When the next delivery comes due after `now`. One probe per endpoint, as above. */
export const nextDueDelivery = lookInTwoForms<[now: Date], { due_at: Date | null }>(
  `
  with recursive walk (business_id, endpoint_id, due_at) as (
    (select business_id, endpoint_id, due_at from webhook_deliveries
      where due_at > $1 order by business_id, endpoint_id, due_at limit 1)
    union all
    select n.business_id, n.endpoint_id, n.due_at from walk cross join lateral (
      select d.business_id, d.endpoint_id, d.due_at from webhook_deliveries d
      where d.due_at > $1 and (d.business_id, d.endpoint_id) > (walk.business_id, walk.endpoint_id)
      order by d.business_id, d.endpoint_id, d.due_at limit 1) n
  )
  select min(due_at) as due_at from walk`,
  'select min(due_at) as due_at from webhook_deliveries where due_at > $1',
);

/**
 * The due time of the longest-waiting delivery to an endpoint whose last attempt did not fail: a failing one is late by itself. One
 * probe per endpoint, as above.
 */
export const oldestDueDelivery = lookInTwoForms<[now: Date], { due_at: Date | null }>(
  `
  with recursive walk (business_id, endpoint_id, due_at) as (
    (select business_id, endpoint_id, due_at from webhook_deliveries
      where due_at is not null order by business_id, endpoint_id, due_at limit 1)
    union all
    select n.business_id, n.endpoint_id, n.due_at from walk cross join lateral (
      select d.business_id, d.endpoint_id, d.due_at from webhook_deliveries d
      where d.due_at is not null and (d.business_id, d.endpoint_id) > (walk.business_id, walk.endpoint_id)
      order by d.business_id, d.endpoint_id, d.due_at limit 1) n
  )
  select min(walk.due_at) as due_at from walk cross join lateral (
    select from webhook_endpoints
    where business_id = walk.business_id and id = walk.endpoint_id and last_error is null and disabled_at is null
      and deleted_at is null limit 1) w
  where walk.due_at <= $1`,
  `
  select min(d.due_at) as due_at from webhook_deliveries d
  join webhook_endpoints w on w.business_id = d.business_id and w.id = d.endpoint_id
  where d.due_at <= $1 and w.last_error is null and w.disabled_at is null and w.deleted_at is null`,
);

/** Whether any delivery is due now or in flight, here or in another process. */
export const anyDue = statement<[now: Date], { due: boolean }>(`
  select exists (select 1 from webhook_deliveries where due_at is not null and due_at <= $1) as due`);
