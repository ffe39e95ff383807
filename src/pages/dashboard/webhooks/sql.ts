import { statementOfBusinesses } from '../../../db/perBusiness.ts';
import { statement } from '../../../db/statement.ts';
import type { AttemptRow } from '../../../webhooks/deliveriesSql.ts';
import type { Endpoint } from '../../../webhooks/endpointsSql.ts';

/** As the API has it, the secret masked. */
export interface ShownEndpoint extends Omit<Endpoint, 'disabled'> {
  business_id: string;
  disabled_at: Date | null;
  /** When the newest secret begins to sign; null once no other is kept. */
  secret_switches_at: Date | null;
}

/** The endpoints of some shops, each shop's newest first. A shop has at most 10. */
export const listShownEndpoints = statementOfBusinesses<[businessIds: readonly string[]], ShownEndpoint>(
  ['businesses'],
  `
  select business_id, id, url, description, secret_masked as secret, event_types, consecutive_failures,
    disabled_at, created_at, last_success_at, last_error,
    case when previous_secret_sealed is not null then secret_switches_at end as secret_switches_at
  from webhook_endpoints where business_id = any ($1::text[]) and deleted_at is null
  order by created_at desc, id desc`,
);

export interface DayOfAttempts {
  endpoint_id: string;
  attempts: number;
  succeeded: number;
  /** Of the answers, whatever their status; null: there was none. */
  p95_ms: number | null;
  /** As many as are looked at: there may be more. */
  is_cut: boolean;
}

/**
 * The attempts since a moment, of each endpoint. Ids of events begin with their time, so the newest are one end of a range of
 * the primary key; no more than `scan` are read per endpoint.
 */
export const attemptsSince = statement<
  [
    businessId: string,
    endpointIds: readonly string[],
    firstId: string,
    lastId: string,
    since: Date,
    scan: number,
  ],
  DayOfAttempts
>(`
  select w.id as endpoint_id, a.*
  from unnest($2::text[]) w (id)
  cross join lateral (
    select count(*) filter (where at >= $5)::int as attempts,
      count(*) filter (where at >= $5 and error is null)::int as succeeded,
      percentile_disc(0.95) within group (order by duration_ms)
        filter (where at >= $5 and status_code is not null) as p95_ms,
      count(*) >= $6 as is_cut
    from (
      select at, error, status_code, duration_ms from webhook_attempts
      where business_id = $1 and endpoint_id = w.id and event_id >= $3 and event_id < $4
      order by event_id desc, attempt desc limit $6) newest) a`);

export interface HourOfAttempts {
  hour: Date;
  attempts: number;
  succeeded: number;
  /** Of the answers, whatever their status; null: there was none. */
  p50_ms: number | null;
  p95_ms: number | null;
}

/** The attempts of one endpoint since a moment by the hour: of the same rows as above. */
export const attemptsByHour = statement<
  [businessId: string, endpointId: string, firstId: string, lastId: string, since: Date, scan: number],
  HourOfAttempts
>(`
  select date_trunc('hour', at, 'UTC') as hour, count(*)::int as attempts,
    count(*) filter (where error is null)::int as succeeded,
    percentile_disc(0.5) within group (order by duration_ms) filter (where status_code is not null) as p50_ms,
    percentile_disc(0.95) within group (order by duration_ms) filter (where status_code is not null) as p95_ms
  from (
    select at, error, status_code, duration_ms from webhook_attempts
    where business_id = $1 and endpoint_id = $2 and event_id >= $3 and event_id < $4
    order by event_id desc, attempt desc limit $6) newest
  where at >= $5 group by hour order by hour`);

/**
 * Whether the newest attempts of each endpoint succeeded, the newest first. They are those of the newest events, found as
 * above: retries of older ones say how the endpoint was then. None is of an earlier URL.
 */
export const recentAttempts = statementOfBusinesses<
  [businessIds: readonly string[], endpointIds: readonly string[], lastId: string, limit: number],
  { endpoint_id: string; recent: boolean[] }
>(
  ['businesses', 'parallel', 'same', 'same'],
  `
  select w.id as endpoint_id, a.recent
  from unnest($1::text[], $2::text[]) k (business_id, id)
  cross join lateral (
    select business_id, id, url_changed_at from webhook_endpoints
    where business_id = k.business_id and id = k.id limit 1) w
  cross join lateral (
    select coalesce(array_agg(error is null order by at desc)
      filter (where w.url_changed_at is null or at >= w.url_changed_at), '{}') as recent
    from (
      select at, error from webhook_attempts
      where business_id = w.business_id and endpoint_id = w.id and event_id < $3
      order by event_id desc, attempt desc limit $4) newest) a`,
);

/** The newest test of an endpoint. */
export const newestPing = statement<
  [businessId: string, endpointId: string, firstId: string, lastId: string],
  Omit<AttemptRow, 'attempt'>
>(`
  select at, status_code, error, duration_ms, response from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id >= $3 and event_id < $4
  order by event_id desc limit 1`);
