import { ONLY_BY_NAME } from '../contract/eventTypes.ts';
import { statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';

/** The events of a JSON recordset, as the relation `event` that `WRITE_EVENTS` reads. */
export const eventsIn = (json: string): string => `
    select * from jsonb_to_recordset(${json}) as e (business_id text, id text, type text, occurred_at timestamptz,
      message_id text, recipient_id text, data jsonb)`;

/** Whether an endpoint that takes these types takes an event of this one: none named is every type but those that must be named. */
const takes = (types: string, type: string): string =>
  `(${type} = any (${types}) or ${types} = '{}' and ${type} <> all ('{${ONLY_BY_NAME.join(',')}}'))`;

/**
 * The writes of events and of one delivery per subscribed endpoint, here and with what the events are about. Deliveries of one moment
 * come due a microsecond apart, in the order of their events, so the index on `due_at` is also the order of occurrence.
 */
export const WRITE_EVENTS = {
  new_event: `
    insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
    select business_id, id, type, occurred_at, message_id, recipient_id, data from event`,
  new_delivery: `
    insert into webhook_deliveries (business_id, endpoint_id, event_id, due_at, created_at)
    select w.business_id, w.id, e.id,
      e.occurred_at - interval '1 millisecond' + least(e.place, 1000) * interval '1 microsecond', e.occurred_at
    from (select *, row_number() over (order by id) as place from event) e
    join webhook_endpoints w on w.business_id = e.business_id and w.deleted_at is null and w.disabled_at is null
      and ${takes('w.event_types', 'e.type')}`,
} as const;

export const insertEvents = writesOfBusinesses<[events: string]>(['rows'], {
  reads: { event: eventsIn('$1::jsonb') },
  writes: WRITE_EVENTS,
  counted: 'new_delivery',
});

export type OfEndpoint = [businessId: string, endpointId: string];

export interface DeliveryRow {
  event_id: string;
  type: string;
  occurred_at: Date;
  state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: number;
  next_attempt_at: Date | null;
  settled_at: Date | null;
}

const DELIVERY = `
  d.event_id, e.type, e.occurred_at, d.state, d.attempts, d.due_at as next_attempt_at, d.settled_at`;

export type ListedDeliveryRow = DeliveryRow & {
  attempted: { at: string; status_code: number | null; error: string | null; duration_ms: number }[];
};

/** The deliveries `d` of a page, newest event first, each with its event and its attempts, oldest first. */
export const withAttempts = (page: string): string => `
  select ${DELIVERY}, a.attempted
  from (${page}) d
  cross join lateral (
    select type, occurred_at from events where business_id = $1 and id = d.event_id limit 1) e
  cross join lateral (
    select coalesce(json_agg(json_build_object('at', a.at, 'status_code', a.status_code, 'error', a.error,
      'duration_ms', a.duration_ms) order by a.attempt), '[]') as attempted
    from webhook_attempts a
    where a.business_id = $1 and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id) a
  order by d.event_id desc`;

type DeliveriesPage = [...OfEndpoint, states: readonly string[], beforeEventId: string, limit: number];

/** As in the index webhook_deliveries_listed. */
const LISTED = `(endpoint_id || ' ' || state || ' ' || event_id)`;

/**
 * A page of the deliveries of an endpoint in these states. Each state in which a delivery ends is one range of an index, read no
 * further than the page is long, so those cost the same however many there are. Pending ones are all read and sorted: there must be few.
 */
export const listDeliveries = statementOfBusinesses<DeliveriesPage, ListedDeliveryRow>(
  ['business', 'same', 'same', 'same', 'same'],
  withAttempts(`
    select * from (
      select page.* from unnest($3::text[]) requested (state) cross join lateral (
        select * from webhook_deliveries
        where ${LISTED} >= $2 || ' ' || requested.state || ' ' and ${LISTED} < $2 || ' ' || requested.state || ' ' || $4
          and state <> 'pending'
        order by ${LISTED} desc limit $5) page
      where page.business_id = $1
      union all
      select * from webhook_deliveries
      where business_id = $1 and endpoint_id = $2 and due_at is not null and 'pending' = any ($3) and event_id < $4
    ) found
    order by event_id desc limit $5`),
);

export const countPending = statement<[...OfEndpoint, upTo: number], { pending: number }>(`
  select count(*)::int as pending from (
    select from webhook_deliveries where business_id = $1 and endpoint_id = $2 and due_at is not null limit $3) counted`);

const OF_BUSINESS = `
  select * from webhook_deliveries where business_id = $1 and event_id < $2 order by event_id desc`;

/** The same page by the primary key, for an endpoint with many pending: looks at no more than `scan` deliveries of the business. */
export const scanDeliveries = statement<
  [
    businessId: string,
    beforeEventId: string,
    endpointId: string,
    states: readonly string[],
    scan: number,
    limit: number,
  ],
  ListedDeliveryRow
>(
  withAttempts(`
    select * from (${OF_BUSINESS} limit $5) scanned where endpoint_id = $3 and state = any ($4::text[])
    order by event_id desc limit $6`),
);

/** The event of the last delivery that a scan of `skipped` deliveries and one more looks at; none if there are fewer. */
export const endOfDeliveriesScan = statement<
  [businessId: string, beforeEventId: string, skipped: number],
  { event_id: string }
>(`select event_id from (${OF_BUSINESS} offset $3 limit 1) last`);

export const findDelivery = statement<[...OfEndpoint, eventId: string], DeliveryRow>(`
  select ${DELIVERY}
  from webhook_deliveries d
  join events e on e.business_id = $1 and e.id = d.event_id
  where d.business_id = $1 and d.endpoint_id = $2 and d.event_id = $3`);

export interface AttemptRow {
  attempt: number;
  at: Date;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
  response: string | null;
}

export const listAttempts = statement<[...OfEndpoint, eventId: string], AttemptRow>(`
  select attempt, at, status_code, error, duration_ms, response from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id = $3
  order by attempt`);

/** Finds deleted endpoints too: their log outlives them. */
export const findEndpoint = statement<[endpointId: string], { businessId: string }>(`
  select business_id as "businessId" from webhook_endpoints where id = $1`);

/** The same within one business. */
export const findOwnEndpoint = statement<OfEndpoint, { id: string }>(`
  select id from webhook_endpoints where business_id = $1 and id = $2`);

export interface ReplayedEndpoint {
  businessId: string;
  eventTypes: string[];
  disabled: boolean;
  createdAt: Date;
}

const REPLAYED = `
  select business_id as "businessId", event_types as "eventTypes", disabled_at is not null as disabled,
    created_at as "createdAt"
  from webhook_endpoints`;

const OWN_REPLAYED = `${REPLAYED} where business_id = $1 and id = $2 and deleted_at is null`;

/** Holds the lock while the deliveries are queued again, so that nothing disables or deletes the endpoint meanwhile. */
export const lockOwnForReplay = statement<OfEndpoint, ReplayedEndpoint>(`${OWN_REPLAYED} for no key update`);

/** For counting what a replay would queue. */
export const findForReplay = statement<OfEndpoint, ReplayedEndpoint>(OWN_REPLAYED);

type ReplayedRange = [
  ...OfEndpoint,
  eventTypes: readonly string[],
  delivered: boolean,
  since: Date,
  until: Date,
  afterId: string,
  beforeId: string,
  limit: number,
];

/** The next events of a range of ids, which begin with their time, whatever their types. */
const SCANNED = `
  scanned as materialized (
    select business_id, id, type, occurred_at, row_number() over (order by id) as place from events
    where business_id = $1 and id > $7 and id < $8
    order by id limit $9
  )`;
const REQUESTED = `${takes('$3::text[]', 'type')} and occurred_at >= $5 and occurred_at < $6`;
/** Of the deliveries `d` that there are, those that are queued again. */
const QUEUED_AGAIN = `(d.state in ('stopped', 'exhausted') or ($4 and d.state = 'delivered'))`;
const SCAN_RESULT = `
  (select count(*)::int from scanned) as scanned, (select max(id) from scanned) as last,`;

interface ReplayScan {
  scanned: number;
  last: string | null;
  queued: number;
}

/**
 * Queues again, in order of occurrence, events of these types that the endpoint has not received: never queued for
 * it, stopped, or exhausted; and with `delivered` also those that it has. Pending ones stay as they are. Each comes due a
 * microsecond after the one before. Reads at most `limit` events.
 */
export const queueAgain = statement<
  [...ReplayedRange, firstDue: Date, place: number, now: Date, replayId: string],
  ReplayScan
>(`
  with ${SCANNED}, queued as (
    insert into webhook_deliveries as d (business_id, endpoint_id, event_id, due_at, created_at, replay_id)
    select business_id, $2, id, $10::timestamptz + ($11::int + place) * interval '1 microsecond', $12, $13 from scanned
    where ${REQUESTED}
    on conflict (business_id, endpoint_id, event_id) do update
      set state = 'pending', due_at = excluded.due_at, lease = null, attempts = 0, settled_at = null,
        replay_id = excluded.replay_id
      where ${QUEUED_AGAIN}
    returning 1
  )
  select ${SCAN_RESULT} (select count(*)::int from queued) as queued`);

/** How many of the same events `queueAgain` would queue now. */
export const countAgain = statement<ReplayedRange, ReplayScan>(`
  with ${SCANNED}
  select ${SCAN_RESULT} (
    select count(*)::int from scanned e
    left join lateral (
      select state from webhook_deliveries
      where business_id = $1 and event_id = e.id and endpoint_id = $2 limit 1) d on true
    where ${REQUESTED} and (d.state is null or ${QUEUED_AGAIN})) as queued`);

/** Queues one event again, in whatever state it is; a delivery that waits for a retry becomes due now. */
export const queueEvent = statement<[...OfEndpoint, eventId: string, now: Date], { state: string }>(`
  insert into webhook_deliveries as d (business_id, endpoint_id, event_id, due_at, created_at)
  select business_id, $2, id, $4, $4 from events where business_id = $1 and id = $3
  on conflict (business_id, endpoint_id, event_id) do update
    set attempts = case when d.state = 'pending' then d.attempts else 0 end,
      replay_id = case when d.state = 'pending' then d.replay_id end,
      state = 'pending', due_at = $4, settled_at = null
  returning state`);
