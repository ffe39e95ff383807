import { statement } from '../db/statement.ts';

/** Held while an endpoint's deliveries are queued again, so that it is not disabled or deleted meanwhile. */
export const lockForReplay = statement<
  [endpointId: string],
  { businessId: string; eventTypes: string[]; disabled: boolean }
>(`
  select business_id as "businessId", event_types as "eventTypes", disabled_at is not null as disabled
  from webhook_endpoints where id = $1 and deleted_at is null for no key update`);

/**
 * Queues again, event by event in order of occurrence, what the endpoint is subscribed to and has not got: never
 * queued for it, stopped, or exhausted. What is delivered or still pending stays as it is. Each comes due a
 * microsecond after the one before.
 */
export const queueMissed = statement<
  [
    businessId: string,
    endpointId: string,
    eventTypes: readonly string[],
    since: Date,
    until: Date,
    afterId: string,
    limit: number,
    firstDue: Date,
    place: number,
    now: Date,
  ],
  { looked: number; last: string | null; queued: number }
>(`
  with chosen as materialized (
    select business_id, id, row_number() over (order by id) as place from events
    where business_id = $1 and ($3::text[] = '{}' or type = any ($3::text[]))
      and occurred_at >= $4 and occurred_at < $5 and id > $6
    order by id limit $7
  ), queued as (
    insert into webhook_deliveries as d (business_id, endpoint_id, event_id, due_at, created_at)
    select business_id, $2, id, $8::timestamptz + ($9::int + place) * interval '1 microsecond', $10 from chosen
    on conflict (business_id, endpoint_id, event_id) do update
      set state = 'pending', due_at = excluded.due_at, lease = null, attempts = 0, settled_at = null
      where d.state in ('stopped', 'exhausted')
    returning 1
  )
  select (select count(*)::int from chosen) as looked, (select max(id) from chosen) as last,
    (select count(*)::int from queued) as queued`);

/** Queues one event again, whatever became of it; one that waits for its next attempt is attempted now. */
export const queueEvent = statement<
  [businessId: string, endpointId: string, eventId: string, now: Date],
  { state: string }
>(`
  insert into webhook_deliveries as d (business_id, endpoint_id, event_id, due_at, created_at)
  select business_id, $2, id, $4, $4 from events where business_id = $1 and id = $3
  on conflict (business_id, endpoint_id, event_id) do update
    set attempts = case when d.state = 'pending' then d.attempts else 0 end,
      state = 'pending', due_at = $4, settled_at = null
  returning state`);
