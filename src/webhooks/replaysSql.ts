import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { OfEndpoint } from './deliveriesSql.ts';

/** Writes what one step of a replay queued. */
export const addToReplay = statement<
  [...OfEndpoint, id: string, since: Date, until: Date, now: Date, queued: number]
>(`
  insert into webhook_replays as r (business_id, endpoint_id, id, since, until, started_at, queued)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (business_id, endpoint_id, id) do update set queued = r.queued + excluded.queued`);

export interface ReplayRow {
  id: string;
  since: Date;
  until: Date;
  started_at: Date;
  queued: number;
}

/** The newest replays of an endpoint. Their ids begin with their time. */
export const newestReplays = statement<[...OfEndpoint, fromId: string, limit: number], ReplayRow>(`
  select id, since, until, started_at, queued from webhook_replays
  where business_id = $1 and endpoint_id = $2 and id >= $3 order by id desc limit $4`);

export interface ReplayCount {
  id: string;
  /** Not attempted yet. */
  waiting: number;
  /** Their last attempt failed; they are tried again. */
  failing: number;
}

/** What is left of replays among the deliveries that are due next, of which no more than `scan` are looked at. */
export const countLeft = statement<
  [...OfEndpoint, ids: readonly string[], scan: number],
  ReplayCount & { scanned: number }
>(`
  with pending as materialized (
    select replay_id, attempts from webhook_deliveries
    where business_id = $1 and endpoint_id = $2 and due_at is not null order by due_at limit $4
  )
  select id, (select count(*)::int from pending) as scanned,
    count(p.replay_id) filter (where p.attempts = 0)::int as waiting,
    count(p.replay_id) filter (where p.attempts > 0)::int as failing
  from unnest($3::text[]) id left join pending p on p.replay_id = id group by id`);

/** As in the index webhook_deliveries_listed. */
const LISTED = `(endpoint_id || ' ' || state || ' ' || event_id)`;

/** How many deliveries of a replay ended otherwise than by arriving; no more than `scan` of each state are looked at. */
export const countLost = statementOfBusinesses<
  [...OfEndpoint, id: string, firstEventId: string, lastEventId: string, scan: number],
  { lost: number }
>(
  ['business', 'same', 'same', 'same', 'same', 'same'],
  `
  select count(*)::int as lost from unnest('{exhausted,stopped}'::text[]) ended (state)
  cross join lateral (
    select business_id, replay_id from webhook_deliveries
    where ${LISTED} >= $2 || ' ' || ended.state || ' ' || $4 and ${LISTED} < $2 || ' ' || ended.state || ' ' || $5
      and state <> 'pending'
    order by ${LISTED} desc limit $6) d
  where d.business_id = $1 and d.replay_id = $3`,
);
