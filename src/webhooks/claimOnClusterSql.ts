import { lookOnAllShards } from '../db/cluster/reachable.ts';
import { statementOnCluster } from '../db/statement.ts';
import type { FoundRow } from './claimSql.ts';

/*
 * The claim on a cluster, where nothing can be locked across shards: first the endpoints with due deliveries, read from all
 * shards without a lock, then one statement per endpoint.
 */

export interface DueEndpoint {
  business_id: string;
  endpoint_id: string;
  /** In milliseconds. */
  earliest: number;
  live: boolean;
  failing: boolean;
  /** Another worker holds a delivery, so that this one leaves the endpoint to it. */
  taken: boolean;
  /** Some are under no lease. */
  free: boolean;
}

/** In the order of their keys after `after`. It reads each due delivery in the index, not each endpoint once. */
export const findDueEndpoints = lookOnAllShards<
  [
    afterBusiness: string,
    afterEndpoint: string,
    floor: Date,
    now: Date,
    nowStamp: string,
    worker: string,
    limit: number,
  ],
  DueEndpoint
>(
  ['webhook_deliveries', 'webhook_endpoints'],
  ['business_id', 'endpoint_id'],
  (deliveries, endpoints) => `
  select d.business_id, d.endpoint_id, floor(extract(epoch from min(d.due_at)) * 1000)::float8 as earliest,
    bool_and(w.disabled_at is null and w.deleted_at is null) as live, bool_or(w.last_error is not null) as failing,
    coalesce(bool_or(d.lease > $5 and d.lease not like '%.' || $6), false) as taken,
    bool_or(d.lease is null or d.lease <= $5) as free
  from ${deliveries} d join ${endpoints} w on w.business_id = d.business_id and w.id = d.endpoint_id
  where d.due_at between $3 and $4 and (d.business_id, d.endpoint_id) > ($1, $2)
  group by d.business_id, d.endpoint_id order by d.business_id, d.endpoint_id limit $7`,
);

/** Claims due deliveries of one endpoint in order of occurrence, or stops them where it is not live. */
export const claimOfEndpoint = statementOnCluster<
  [
    businessId: string,
    endpointId: string,
    floor: Date,
    now: Date,
    nowStamp: string,
    limit: number,
    lease: string,
    live: boolean,
    failing: boolean,
  ],
  FoundRow
>(`
  with picked as materialized (
    select d.event_id from webhook_deliveries d
    where d.business_id = $1 and d.endpoint_id = $2 and d.due_at between $3 and $4 and (d.lease is null or d.lease <= $5)
    order by d.due_at, d.event_id limit $6 for update skip locked
  ), claimed as (
    update webhook_deliveries d set
      lease = case when $8::boolean then $7 end,
      state = case when $8::boolean then d.state else 'stopped' end,
      due_at = case when $8::boolean then d.due_at end,
      settled_at = case when $8::boolean then null else $4::timestamptz end
    from picked p where d.business_id = $1 and d.endpoint_id = $2 and d.event_id = p.event_id
    returning d.event_id, d.due_at, d.attempts
  )
  select $1::text as business_id, $2::text as endpoint_id, $8::boolean as live, $9::boolean as failing,
    json_agg(json_build_array(event_id, attempts, round(date_part('epoch', coalesce(due_at, $4)) * 1000))) as deliveries
  from claimed having count(*) > 0`);
