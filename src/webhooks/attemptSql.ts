import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { EndpointRef } from './claimShares.ts';
import { traceOf } from './claimSql.ts';
import type { StoredEvent } from './events.ts';
import type { Health } from './retrySchedule.ts';
import type { StoredSecrets } from './signature.ts';

interface ContentRow extends StoredSecrets, StoredEvent {
  position: number;
  url: string;
  live: boolean;
  /** Only where traces are on. */
  trace_context?: string | null;
}

type ContentKeys = [businessIds: string[], endpointIds: string[], eventIds: string[], leases: string[]];

/**
 * Reads the current content and endpoint of deliveries that waited too long since their claim. A delivery whose
 * lease another worker holds yields no row. The lateral joins with `limit 1` keep the plan on the primary keys at
 * any table size.
 */
const contentsWith = (column: string, join: string) =>
  statementOfBusinesses<ContentKeys, ContentRow>(
    ['businesses', 'parallel', 'parallel', 'parallel'],
    `
  select k.position::int as position, w.url, w.secret_sealed, w.previous_secret_sealed,
    w.secret_switches_at, w.live, e.id, e.type, e.occurred_at, e.data${column}
  from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    with ordinality k (business_id, endpoint_id, event_id, lease, position)
  cross join lateral (
    select from webhook_deliveries d
    where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id
      and d.lease = k.lease limit 1) d
  cross join lateral (
    select url, secret_sealed, previous_secret_sealed, secret_switches_at,
      disabled_at is null and deleted_at is null as live
    from webhook_endpoints
    where business_id = k.business_id and id = k.endpoint_id limit 1) w
  cross join lateral (
    select id, message_id, type, occurred_at, data from events
    where business_id = k.business_id and id = k.event_id limit 1) e${join}`,
    { place: 'position' },
  );

export const readContents = contentsWith('', '');
/** The same with the trace of the push that each event is about. */
export const readTracedContents = contentsWith(', m.trace_context', traceOf('k', 'e'));

export interface HealthRow extends EndpointRef, Health {
  deletedAt: Date | null;
  url: string;
}

/** Comes first: every change of an endpoint's health or queue holds this lock, so the counts are exact. */
export const lockHealth = statementOfBusinesses<[businessIds: string[], endpointIds: string[]], HealthRow>(
  ['businesses', 'parallel'],
  `
  select business_id as "businessId", id as "endpointId", consecutive_failures as "consecutiveFailures",
    disabled_at as "disabledAt", deleted_at as "deletedAt", last_success_at as "lastSuccessAt", last_error as "lastError", url
  from webhook_endpoints
  where (business_id, id) in (select * from unnest($1::text[], $2::text[]))
  order by business_id, id for no key update`,
);

const ATTEMPTS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
      $7::float8[], $8::float8[], $9::smallint[], $10::text[], $11::int[], $12::text[]) with ordinality
      as m (business_id, endpoint_id, event_id, lease, state, due_at, started_ms, ended_ms, status_code, error,
        duration_ms, response, position)`;
const LOGGED = 'business_id, endpoint_id, event_id, attempt, at, status_code, error, duration_ms, response';
/** Nothing more is kept of what is said about a person who was erased. */
const keptResponse = (delivery: string, attempt: string): string =>
  `case when not ${delivery}.is_scrubbed then ${attempt}.response end`;
const HELD = `d.business_id = m.business_id and d.endpoint_id = m.endpoint_id and d.event_id = m.event_id
      and d.lease = m.lease`;
const SETTLE = `update webhook_deliveries d set state = m.state, due_at = m.due_at, lease = null, attempts = d.attempts + 1,
      attempts_logged = d.attempts_logged + 1, settled_at = case when m.due_at is null then to_timestamp(m.ended_ms / 1000) end`;

/**
 * Moves deliveries to their next state after an attempt, and logs the attempt. The lease guards each row: a
 * worker that no longer holds it changes nothing, because another worker attempts that delivery. `attempts_logged` counts
 * on after a replay, while `attempts` starts again. Returns the 1-based positions of the rows it changed, as
 * JSON, which parses faster than rows.
 */
export const settleAttempts = statementOfBusinesses<
  [
    businessIds: string[],
    endpointIds: string[],
    eventIds: string[],
    leases: string[],
    states: string[],
    dueAts: (Date | null)[],
    startedMs: number[],
    endedMs: number[],
    statusCodes: (number | null)[],
    errors: (string | null)[],
    durations: number[],
    responses: (string | null)[],
  ],
  { positions: number[] | null }
>(
  [
    'businesses',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
    'parallel',
  ],
  `
  with attempt as materialized (
    select * from ${ATTEMPTS}
  ), settled as (
    ${SETTLE}
    from attempt m where ${HELD}
    returning m.*, d.attempts_logged, d.is_scrubbed
  ), logged as (
    insert into webhook_attempts (${LOGGED})
    select s.business_id, s.endpoint_id, s.event_id, s.attempts_logged, to_timestamp(s.started_ms / 1000), s.status_code,
      s.error, s.duration_ms, ${keptResponse('s', 's')}
    from settled s
  )
  select json_agg(position) as positions from settled`,
  { steps: settleInSteps() },
);

/**
 * The same in steps, since an insert that reads what an update returned cannot be sent to one shard. The locks keep other workers from
 * claiming a delivery between its log entry and its new state. The caller gives the attempts of one shard, so that the positions
 * are those of its list.
 */
function settleInSteps(): string[] {
  return [
    `select from unnest($1::text[], $2::text[], $3::text[], $4::text[]) m (business_id, endpoint_id, event_id, lease)
    join webhook_deliveries d on ${HELD} order by d.event_id, d.endpoint_id for no key update of d`,
    `insert into webhook_attempts (${LOGGED})
    select d.business_id, d.endpoint_id, d.event_id, d.attempts_logged + 1, to_timestamp(m.started_ms / 1000), m.status_code,
      m.error, m.duration_ms, ${keptResponse('d', 'm')}
    from ${ATTEMPTS} join webhook_deliveries d on ${HELD}`,
    `with settled as (
      ${SETTLE}
      from ${ATTEMPTS} where ${HELD}
      returning m.position
    )
    select json_agg(position) as positions from settled`,
  ];
}

export const writeHealth = statementOfBusinesses<[endpoints: string]>(
  ['rows'],
  `
  update webhook_endpoints w set consecutive_failures = h."consecutiveFailures", disabled_at = h."disabledAt",
    last_success_at = h."lastSuccessAt", last_error = h."lastError"
  from jsonb_to_recordset($1::jsonb) as h (business_id text, "endpointId" text, "consecutiveFailures" int,
    "disabledAt" timestamptz, "lastSuccessAt" timestamptz, "lastError" text)
  where w.business_id = h.business_id and w.id = h."endpointId"`,
);

/** An attempt in flight ends by itself and is logged; if its worker died, the next claim stops the delivery. */
export const stopQueued = statement<[businessId: string, endpointId: string, now: Date, nowStamp: string]>(`
  update webhook_deliveries set state = 'stopped', due_at = null, lease = null, settled_at = $3
  where business_id = $1 and endpoint_id = $2 and due_at is not null and (lease is null or lease <= $4)`);
