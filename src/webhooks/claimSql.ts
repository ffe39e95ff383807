import { type DueQueue, dueQueues } from '../db/dueQueues.ts';
import { FIRST_ROWS } from '../db/dueQueuesSql.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { StoredEvent } from './events.ts';
import type { StoredSecrets } from './signature.ts';

/** The due deliveries of one endpoint. If it is disabled or deleted (`live` is false), they are now stopped. */
export interface FoundRow {
  business_id: string;
  endpoint_id: string;
  live: boolean;
  failing: boolean;
  /** Unordered. JSON parses several times faster than rows. */
  deliveries: [eventId: string, attempts: number, dueMs: number][];
}

export interface DueEndpoint extends DueQueue {
  live: boolean;
  failing: boolean;
  /** Another worker holds a delivery, so that this one leaves the endpoint to it. */
  leased: boolean;
  /** Whether there may be deliveries under no lease. */
  free: boolean;
}

/** Due deliveries: the queue of each endpoint, by its id. */
export const dueDeliveries = dueQueues<DueEndpoint, [nowStamp: string, worker: string]>({
  table: 'webhook_deliveries',
  queueOf: (delivery) => `${delivery}.endpoint_id`,
  owner: {
    table: 'webhook_endpoints',
    columns: 'o.disabled_at is null and o.deleted_at is null as live, o.last_error is not null as failing',
  },
  ofFirstRows: `coalesce(bool_or(r.lease > $6 and r.lease not like '%.' || $7), false) as leased,
      coalesce(bool_or(r.lease is null or r.lease <= $6) or count(*) >= ${FIRST_ROWS}, false) as free`,
  // An endpoint whose last attempt failed is late by itself.
  isOnTime: 'o.last_error is null and o.disabled_at is null and o.deleted_at is null',
});

/**
 * Claims due deliveries of these endpoints in order of occurrence, under a lease that expires by itself, or stops them where the
 * endpoint is not live. SKIP LOCKED: workers never wait for each other. A locked row cannot move, so the update finds it by ctid.
 */
export const takeDueDeliveries = statementOfBusinesses<
  [
    businessIds: string[],
    endpointIds: string[],
    live: boolean[],
    failing: boolean[],
    earliest: Date[],
    counts: number[],
    now: Date,
    nowStamp: string,
    lease: string,
  ],
  FoundRow
>(
  ['businesses', 'parallel', 'parallel', 'parallel', 'parallel', 'parallel', 'same', 'same', 'same'],
  `
  with picked as materialized (
    select d.locked, k.live, k.failing
    from unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::timestamptz[], $6::int[])
      k (business_id, endpoint_id, live, failing, earliest, count)
    cross join lateral (
      select d.ctid as locked from webhook_deliveries d
      where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id
        and d.due_at between k.earliest and $7 and (d.lease is null or d.lease <= $8)
      order by d.due_at, d.event_id limit k.count for update skip locked) d
  ), claimed as (
    update webhook_deliveries d set
      lease = case when p.live then $9 end,
      state = case when p.live then d.state else 'stopped' end,
      due_at = case when p.live then d.due_at end,
      settled_at = case when p.live then null else $7::timestamptz end
    from picked p
    where d.ctid = p.locked
    returning d.business_id, d.endpoint_id, d.event_id, coalesce(d.due_at, $7) as due_at, d.attempts, p.live, p.failing
  )
  select business_id, endpoint_id, live, failing,
    json_agg(json_build_array(event_id, attempts, round(date_part('epoch', due_at) * 1000))) as deliveries
  from claimed group by business_id, endpoint_id, live, failing`,
);

export interface TargetRow extends StoredSecrets {
  business_id: string;
  id: string;
  url: string;
}

export const readTargets = statementOfBusinesses<[businessIds: string[], endpointIds: string[]], TargetRow>(
  ['businesses', 'parallel'],
  `
  select w.business_id, w.id, w.url, w.secret_sealed, w.previous_secret_sealed, w.secret_switches_at
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join webhook_endpoints w on w.business_id = k.business_id and w.id = k.id`,
);

interface ClaimedEventRow extends StoredEvent {
  business_id: string;
  about: string;
  /** Only where traces are on. */
  trace_context?: string | null;
}

/** Each event once, however many endpoints subscribe to it. `limit 1` keeps the plan on the primary key. */
const eventsWith = (column: string, join: string) =>
  statementOfBusinesses<[businessIds: string[], eventIds: string[]], ClaimedEventRow>(
    ['businesses', 'parallel'],
    `
  select k.business_id, k.id, coalesce(e.message_id, e.recipient_id, '') as about, e.type, e.occurred_at, e.data${column}
  from unnest($1::text[], $2::text[]) k (business_id, id)
  cross join lateral (
    select message_id, recipient_id, type, occurred_at, data from events
    where business_id = k.business_id and id = k.id limit 1) e${join}`,
  );

export const readEvents = eventsWith('', '');
/** The same with the trace of the push that each event is about. */
export const readTracedEvents = eventsWith(', m.trace_context', traceOf('k', 'e'));

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
  ['businesses', 'parallel', 'parallel', 'parallel'],
  `
  update webhook_deliveries d set lease = null
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) k (business_id, endpoint_id, event_id, lease)
  where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id
    and d.lease = k.lease`,
);

/** Whether any delivery is due now or in flight, here or in another process. */
export const anyDue = statement<[now: Date], { due: boolean }>(`
  select exists (select 1 from webhook_deliveries where due_at is not null and due_at <= $1) as due`);
