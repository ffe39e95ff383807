import type { Channel } from '../contract/channels.ts';
import { lookOnAllShards } from '../db/cluster/reachable.ts';
import { lookInTwoForms } from '../db/perBusiness.ts';
import { ASYNCHRONOUS_COMMIT } from '../db/sql.ts';
import { statement, statementOnCluster, statementOnOnePostgres } from '../db/statement.ts';
import { NOTHING_HELD } from './restoreGuardSql.ts';
import { leasePicked } from './sendsSql.ts';

export interface ClaimedRow {
  /** The business after which the next claim starts; empty: at the first one. */
  next_after: string;
  /** The earliest due time among the scanned sends, in milliseconds. */
  earliest: number | null;
  business_id: string | null;
  id: string | null;
  recipient_id: string | null;
  message_id: string | null;
  state: 'held' | 'queued' | 'submitting' | null;
  channel: Channel | null;
}

/**
 * The queue of a send within its business: its channel, or '' for held sends and for calls in progress. The same
 * expression as in the index on due sends.
 */
const laneOf = (send: string): string =>
  `(case when ${send}.state = 'queued' then ${send}.channel else '' end)`;

/**
 * Claims due sends under a lease: queued sends, held sends whose deadline has passed, and calls whose outcome was never
 * recorded. Workers never wait for each other (SKIP LOCKED). When a lease expires, the row is due again.
 *
 * The claim is fair: it walks the index by business and queue, with one probe per step however long the queue is, and gives
 * each business with due sends an equal share of the limit. It starts after the business where the last claim ended. It
 * steps over a queue whose channel has no capacity.
 *
 * It commits asynchronously. If a crash of the database loses the lease, nothing has acted on it: a worker commits the
 * permit later and synchronously, and that flushes the lease too.
 *
 * It claims nothing from a database that was restored, until an operator has ended what may have gone out already.
 *
 * It reads nothing below `floor`. Entries of finished sends stay in the index until a vacuum, which an old transaction can
 * delay for long, and each claim would have to step over all of them.
 */
export const claimDueSends = statementOnOnePostgres<
  [
    after: string,
    now: Date,
    maxSteps: number,
    limit: number,
    channels: readonly Channel[],
    fullBusinesses: readonly string[],
    fullChannels: readonly Channel[],
    lease: string,
    leaseEnd: Date,
    floor: Date,
  ],
  ClaimedRow
>(`
  with recursive walk (business_id, lane, due_at, step) as (
    (select s.business_id, ${laneOf('s')}, s.due_at, 1 from sends s
      where s.due_at >= $10 and s.business_id > $1 and ${NOTHING_HELD}
      order by s.business_id, ${laneOf('s')}, s.due_at limit 1)
    union all
    select n.business_id, n.lane, n.due_at, walk.step + 1
    from walk cross join lateral (
      select s.business_id, ${laneOf('s')} as lane, s.due_at from sends s
      where s.due_at >= $10 and (s.business_id, ${laneOf('s')}) > (walk.business_id, walk.lane)
      order by s.business_id, ${laneOf('s')}, s.due_at limit 1) n
    where walk.step < $3
  ), due as materialized (
    select business_id, array_agg(lane) as lanes from walk
    where due_at <= $2 and (lane = '' or lane = any ($5::text[]) and not exists (
      select from unnest($6::text[], $7::text[]) full_up (business_id, channel)
      where full_up.business_id = walk.business_id and full_up.channel = walk.lane))
    group by business_id order by business_id limit $4
  ), picked as materialized (
    select p.business_id, p.id
    from (select due.*, greatest(1, $4::int / greatest(1, (select count(*) from due))) as share from due) due
    cross join lateral (
      select one.* from unnest(due.lanes) lane (name) cross join lateral (
        select s.business_id, s.id, s.due_at from sends s
        where s.business_id = due.business_id and ${laneOf('s')} = lane.name and s.due_at between $10 and $2
        order by s.due_at limit due.share for update skip locked) one
      order by one.due_at limit due.share) p
    limit $4
  ), claimed as (
    ${leasePicked('$8', '$9')}
  )
  select
    case
      when (select count(*) from due) >= $4 then (select max(business_id) from due)
      when (select count(*) from walk) >= $3 then (select max(business_id) from walk)
      else ''
    end as next_after, (select floor(extract(epoch from min(due_at)) * 1000)::float8 from walk) as earliest, claimed.*
  from (${ASYNCHRONOUS_COMMIT}) as look left join claimed on true`);

/** When the next send becomes due. One probe per business and queue, as above. */
export const nextDueSend = lookInTwoForms<[now: Date], { due_at: Date | null }>(
  `
  with recursive walk (business_id, lane) as (
    (select s.business_id, ${laneOf('s')} from sends s
      where s.due_at is not null order by s.business_id, ${laneOf('s')} limit 1)
    union all
    select n.business_id, n.lane from walk cross join lateral (
      select s.business_id, ${laneOf('s')} as lane from sends s
      where s.due_at is not null and (s.business_id, ${laneOf('s')}) > (walk.business_id, walk.lane)
      order by s.business_id, ${laneOf('s')} limit 1) n
  )
  select min(n.due_at) as due_at from walk cross join lateral (
    select s.due_at from sends s
    where s.business_id = walk.business_id and ${laneOf('s')} = walk.lane and s.due_at > $1 order by s.due_at limit 1) n`,
  'select min(due_at) as due_at from sends where due_at > $1',
);

/** The due time of the longest-waiting send. One probe per business and channel, however long the queues are. */
export const oldestQueued = lookInTwoForms<[], { due_at: Date | null }>(
  `
  with recursive walk (business_id, lane, due_at) as (
    (select s.business_id, ${laneOf('s')}, s.due_at from sends s
      where s.due_at is not null order by s.business_id, ${laneOf('s')}, s.due_at limit 1)
    union all
    select n.* from walk cross join lateral (
      select s.business_id, ${laneOf('s')}, s.due_at from sends s
      where s.due_at is not null and (s.business_id, ${laneOf('s')}) > (walk.business_id, walk.lane)
      order by s.business_id, ${laneOf('s')}, s.due_at limit 1) n
  )
  select min(due_at) as due_at from walk where lane <> ''`,
  `select min(due_at) as due_at from sends where due_at is not null and state = 'queued'`,
);

/** Whether any send is due, claimed or submitting, in any process. Leases and calls in progress end before `soon`. */
export const anyUnsettled = statement<[now: Date, soon: Date], { unsettled: boolean }>(`
  select exists (
    select 1 from sends
    where due_at <= $2 and (due_at <= $1 or lease is not null or state = 'submitting')) as unsettled`);

export interface DueQueue {
  business_id: string;
  /** A channel, or '' for held sends and for calls in progress. */
  lane: string;
  /** In milliseconds. */
  earliest: number;
}

/**
 * The claim on a cluster, where nothing can be locked across shards: first the queues with due sends, read from all shards
 * without a lock, then `claimOfBusiness` for each business. It reads each due send in the index, not each business once.
 */
export const findDueQueues = lookOnAllShards<
  [after: string, now: Date, floor: Date, maxQueues: number],
  DueQueue
>(
  ['sends'],
  ['business_id', 'lane'],
  (sends) => `
  select s.business_id, ${laneOf('s')} as lane, floor(extract(epoch from min(s.due_at)) * 1000)::float8 as earliest
  from ${sends} s where s.due_at between $3 and $2 and s.business_id > $1
  group by 1, 2 order by 1, 2 limit $4`,
);

/** Claims up to `share` of a business's due sends in these queues. */
export const claimOfBusiness = statementOnCluster<
  [
    businessId: string,
    lanes: readonly string[],
    now: Date,
    floor: Date,
    share: number,
    lease: string,
    leaseEnd: Date,
  ],
  Omit<ClaimedRow, 'next_after' | 'earliest'>
>(`
  with picked as materialized (
    select one.business_id, one.id from unnest($2::text[]) lane (name) cross join lateral (
      select s.business_id, s.id, s.due_at from sends s
      where s.business_id = $1 and ${laneOf('s')} = lane.name and s.due_at between $4 and $3
      order by s.due_at limit $5 for update skip locked) one
    order by one.due_at limit $5
  ), claimed as (
    ${leasePicked('$6', '$7', '$1')}
  )
  select claimed.* from (${ASYNCHRONOUS_COMMIT}) as look cross join claimed`);
