import { statement } from '../db/statement.ts';

export interface LookRow {
  /** Where the next look goes on; null: this one came to the last endpoint. */
  next_business: string | null;
  next_endpoint: string | null;
  /** The earliest moment, among the endpoints passed that have nothing due, at which one of them will have. */
  next_due: Date | null;
  business_id: string | null;
  endpoint_id: string | null;
  event_id: string | null;
  about: string | null;
  attempts: number | null;
  due_at: Date | null;
  /** Whether the endpoint takes deliveries; one that does not has had its delivery stopped by this look. */
  live: boolean | null;
  failing: boolean | null;
}

/**
 * Takes deliveries whose time has come, in order of occurrence, under a lease that ends by itself. Nothing waits for
 * another worker (SKIP LOCKED).
 *
 * Fair by construction: it steps from endpoint to endpoint along the index of what is pending (each step one probe,
 * however much an endpoint has waiting), and everyone with something due gets an equal share, within the room that
 * the worker has for it. One that is failing gets one delivery at a time.
 *
 * An endpoint of which another worker holds a live lease is left to that one, so that order and the bound on its
 * concurrency hold across processes; two that look at the very same moment may share it for one batch.
 */
export const claimDue = statement<
  [
    afterBusiness: string,
    afterEndpoint: string,
    now: Date,
    maxSteps: number,
    limit: number,
    knownBusinesses: readonly string[],
    knownEndpoints: readonly string[],
    knownRooms: readonly number[],
    room: number,
    worker: string,
    leaseEnd: Date,
    latestLeaseEnd: Date,
  ],
  LookRow
>(`
  with recursive walk (business_id, endpoint_id, due_at, step) as (
    (select business_id, endpoint_id, due_at, 1 from webhook_deliveries
      where due_at is not null and (business_id, endpoint_id) > ($1, $2)
      order by business_id, endpoint_id, due_at limit 1)
    union all
    select n.business_id, n.endpoint_id, n.due_at, walk.step + 1
    from walk cross join lateral (
      select d.business_id, d.endpoint_id, d.due_at from webhook_deliveries d
      where d.due_at is not null and (d.business_id, d.endpoint_id) > (walk.business_id, walk.endpoint_id)
      order by d.business_id, d.endpoint_id, d.due_at limit 1) n
    where walk.step < $4
  ), due as materialized (
    select walk.business_id, walk.endpoint_id, w.last_error is not null as failing, w.live,
      case when w.live then coalesce(known.room, case when w.last_error is null then $9::int else 1 end)
        else $5::int end as room
    from walk
    cross join lateral (
      select last_error, disabled_at is null and deleted_at is null as live from webhook_endpoints
      where business_id = walk.business_id and id = walk.endpoint_id limit 1) w
    left join unnest($6::text[], $7::text[], $8::int[]) known (business_id, endpoint_id, room)
      on known.business_id = walk.business_id and known.endpoint_id = walk.endpoint_id
    where walk.due_at <= $3 and not exists (
      select from webhook_deliveries other
      where other.business_id = walk.business_id and other.endpoint_id = walk.endpoint_id
        and other.due_at > $3 and other.due_at <= $12 and other.lease <> $10)
  ), picked as materialized (
    select p.business_id, p.endpoint_id, p.event_id, p.due_at, due.live, due.failing
    from due cross join lateral (
      select d.business_id, d.endpoint_id, d.event_id, d.due_at from webhook_deliveries d
      where d.business_id = due.business_id and d.endpoint_id = due.endpoint_id and d.due_at <= $3
      order by d.due_at, d.event_id
      limit least(due.room, greatest(1, $5::int / (select count(*) from due)))
      for update skip locked) p
    limit $5
  ), claimed as (
    update webhook_deliveries d set
      state = case when p.live then d.state else 'stopped' end,
      due_at = case when p.live then $11::timestamptz end,
      lease = case when p.live then $10 end,
      settled_at = case when p.live then null else $3::timestamptz end
    from picked p
    where d.business_id = p.business_id and d.endpoint_id = p.endpoint_id and d.event_id = p.event_id
    returning d.business_id, d.endpoint_id, d.event_id, d.attempts, p.due_at, p.live, p.failing
  )
  select last.business_id as next_business, last.endpoint_id as next_endpoint,
    (select min(due_at) from walk where due_at > $3) as next_due, claimed.*,
    coalesce(e.message_id, e.recipient_id, '') as about
  from (select) as look
  left join (select business_id, endpoint_id from walk where step = $4) last on true
  left join claimed on true
  left join lateral (
    select message_id, recipient_id from events
    where business_id = claimed.business_id and id = claimed.event_id limit 1) e on true`);

/** Gives back what was claimed and not begun, to its old place in the order. */
export const releaseClaims = statement<
  [worker: string, businessIds: string[], endpointIds: string[], eventIds: string[], dueAts: Date[]]
>(`
  update webhook_deliveries d set lease = null, due_at = k.due_at
  from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) k (business_id, endpoint_id, event_id, due_at)
  where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id and d.lease = $1`);

/** When the next delivery comes due. One probe an endpoint, as above. */
export const nextDueDelivery = statement<[now: Date], { due_at: Date | null }>(`
  with recursive walk (business_id, endpoint_id) as (
    (select business_id, endpoint_id from webhook_deliveries
      where due_at is not null order by business_id, endpoint_id limit 1)
    union all
    select n.business_id, n.endpoint_id from walk cross join lateral (
      select d.business_id, d.endpoint_id from webhook_deliveries d
      where d.due_at is not null and (d.business_id, d.endpoint_id) > (walk.business_id, walk.endpoint_id)
      order by d.business_id, d.endpoint_id limit 1) n
  )
  select min(n.due_at) as due_at from walk cross join lateral (
    select d.due_at from webhook_deliveries d
    where d.business_id = walk.business_id and d.endpoint_id = walk.endpoint_id and d.due_at > $1
    order by d.due_at limit 1) n`);

/** Whether any delivery is due now or being attempted, here or in another process. */
export const anyUnsettled = statement<[now: Date], { unsettled: boolean }>(`
  select exists (
    select from webhook_deliveries where due_at is not null and (due_at <= $1 or lease is not null)) as unsettled`);
