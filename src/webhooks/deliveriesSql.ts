import { statement } from '../db/statement.ts';

/**
 * The `with` part that writes the events of a JSON recordset and one delivery per subscribed endpoint. It is used
 * below and inside the statement that writes a group of pushes. Postgres checks the foreign key when the
 * statement ends, so the order of the two inserts does not matter. Deliveries of one moment come due a
 * microsecond apart, in the order of their events, so the index on `due_at` is also the order of occurrence.
 */
export const writeEvents = (json: string): string => `
  new_event as (
    insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
    select e.business_id, e.id, e.type, e.occurred_at, e.message_id, e.recipient_id, e.data
    from jsonb_to_recordset(${json}) as e (business_id text, id text, type text, occurred_at timestamptz,
      message_id text, recipient_id text, data jsonb)
    returning business_id, id, type, occurred_at
  ), new_delivery as (
    insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, created_at)
    select e.business_id, w.id, e.id,
      e.occurred_at - interval '1 millisecond' + least(e.place, 1000) * interval '1 microsecond', e.occurred_at
    from (select *, row_number() over (order by id) as place from new_event) e
    join webhook_endpoints w on w.business_id = e.business_id and w.deleted_at is null and w.disabled_at is null
      and (w.event_types = '{}' or e.type = any (w.event_types))
    returning 1
  )`;

export const insertEvents = statement<[events: string], { deliveries: number }>(`
  with ${writeEvents('$1::jsonb')}
  select count(*)::int as deliveries from new_delivery`);

export interface DeliveryRow {
  event_id: string;
  type: string;
  occurred_at: Date;
  state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: number;
  next_attempt_at: Date | null;
  settled_at: Date | null;
  status_code: number | null;
  error: string | null;
}

const DELIVERY = `
  d.event_id, e.type, e.occurred_at, d.state, d.attempts, d.due_at as next_attempt_at, d.settled_at`;

/** Newest event first, each with its latest attempt. */
export const listDeliveries = statement<
  [businessId: string, endpointId: string, state: string | null, limit: number],
  DeliveryRow
>(`
  select ${DELIVERY}, a.status_code, a.error
  from webhook_deliveries d
  join events e on e.business_id = d.business_id and e.id = d.event_id
  left join lateral (
    select status_code, error from webhook_attempts a
    where a.business_id = d.business_id and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
    order by a.attempt desc limit 1) a on true
  where d.business_id = $1 and d.endpoint_id = $2 and ($3::text is null or d.state = $3)
  order by d.event_id desc limit $4`);

export const findDelivery = statement<
  [businessId: string, endpointId: string, eventId: string],
  Omit<DeliveryRow, 'status_code' | 'error'>
>(`
  select ${DELIVERY}
  from webhook_deliveries d
  join events e on e.business_id = d.business_id and e.id = d.event_id
  where d.business_id = $1 and d.endpoint_id = $2 and d.event_id = $3`);

export interface AttemptRow {
  attempt: number;
  at: Date;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export const listAttempts = statement<[businessId: string, endpointId: string, eventId: string], AttemptRow>(`
  select attempt, at, status_code, error, duration_ms from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id = $3
  order by attempt`);

/** Finds deleted endpoints too: their log outlives them. */
export const findEndpoint = statement<[endpointId: string], { businessId: string }>(`
  select business_id as "businessId" from webhook_endpoints where id = $1`);

/** Holds the lock while the deliveries are queued again, so that nothing disables or deletes the endpoint meanwhile. */
export const lockForReplay = statement<
  [endpointId: string],
  { businessId: string; eventTypes: string[]; disabled: boolean }
>(`
  select business_id as "businessId", event_types as "eventTypes", disabled_at is not null as disabled
  from webhook_endpoints where id = $1 and deleted_at is null for no key update`);

/**
 * Queues again, in order of occurrence, the events that the endpoint subscribes to and has not received: never
 * queued for it, stopped, or exhausted. Delivered and pending ones stay as they are. Each comes due a microsecond
 * after the one before.
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
  { scanned: number; last: string | null; queued: number }
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
  select (select count(*)::int from chosen) as scanned, (select max(id) from chosen) as last,
    (select count(*)::int from queued) as queued`);

/** Queues one event again, in whatever state it is; a delivery that waits for a retry becomes due now. */
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
