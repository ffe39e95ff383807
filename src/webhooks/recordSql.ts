import { statement } from '../db/statement.ts';

export interface HealthRow {
  business_id: string;
  id: string;
  consecutive_failures: number;
  disabled_at: Date | null;
  deleted_at: Date | null;
  last_success_at: Date | null;
  last_error: string | null;
}

/** First: whoever changes an endpoint's health or its queue holds this lock, so that counts are exact. */
export const lockHealth = statement<[businessIds: string[], endpointIds: string[]], HealthRow>(`
  select business_id, id, consecutive_failures, disabled_at, deleted_at, last_success_at, last_error
  from webhook_endpoints
  where (business_id, id) in (select * from unnest($1::text[], $2::text[]))
  order by business_id, id for no key update`);

/**
 * Moves deliveries on after their attempts, and logs those. Guarded by the lease: who lost it changes nothing, since
 * another worker attempts that delivery now. Numbers go on after a replay, which begins the schedule anew.
 */
export const settleAttempts = statement<[worker: string, attempts: string], { position: number }>(`
  with made as materialized (
    select a.* from jsonb_to_recordset($2::jsonb) as a (position int, business_id text, endpoint_id text,
      event_id text, state text, due_at timestamptz, settled_at timestamptz, at timestamptz, status_code smallint,
      error text, duration_ms int)
  ), settled as (
    update webhook_deliveries d set state = m.state, due_at = m.due_at, settled_at = m.settled_at, lease = null,
      attempts = d.attempts + 1
    from made m
    where d.business_id = m.business_id and d.endpoint_id = m.endpoint_id and d.event_id = m.event_id
      and d.lease = $1
    returning m.position
  ), logged as (
    insert into webhook_attempts
      (business_id, endpoint_id, event_id, attempt, at, status_code, error, duration_ms)
    select m.business_id, m.endpoint_id, m.event_id, 1 + coalesce((
        select max(before.attempt) from webhook_attempts before
        where before.business_id = m.business_id and before.endpoint_id = m.endpoint_id
          and before.event_id = m.event_id), 0),
      m.at, m.status_code, m.error, m.duration_ms
    from settled join made m using (position)
  )
  select position from settled`);

export const writeHealth = statement<[endpoints: string]>(`
  update webhook_endpoints w set consecutive_failures = h.consecutive_failures, disabled_at = h.disabled_at,
    last_success_at = h.last_success_at, last_error = h.last_error
  from jsonb_to_recordset($1::jsonb) as h (business_id text, id text, consecutive_failures int,
    disabled_at timestamptz, last_success_at timestamptz, last_error text)
  where w.business_id = h.business_id and w.id = h.id`);

/**
 * What waits for an endpoint that was disabled or deleted stops. An attempt under way ends by itself and is logged;
 * one whose worker died is stopped by the next claim.
 */
export const stopQueued = statement<[businessId: string, endpointId: string, now: Date]>(`
  update webhook_deliveries set state = 'stopped', due_at = null, settled_at = $3
  where business_id = $1 and endpoint_id = $2 and due_at is not null and lease is null`);
