import type { Channel } from '../contract/channels.ts';
import { ASYNCHRONOUS_COMMIT } from '../db/sql.ts';
import { statement } from '../db/statement.ts';
import { leasePicked } from './sendsSql.ts';

export interface ClaimedRow {
  /** The business after which the next look begins; empty: from the first one. */
  next_after: string;
  /** When the first of what waits is due, of what the look passed, in milliseconds. */
  earliest: number | null;
  business_id: string | null;
  id: string | null;
  recipient_id: string | null;
  message_id: string | null;
  state: 'held' | 'queued' | 'submitting' | null;
  channel: Channel | null;
}

/**
 * Which queue a send waits in: that of its channel, or (the empty name) of deadlines and of calls that never came back.
 * As in the index of what is due.
 */
const laneOf = (send: string): string =>
  `(case when ${send}.state = 'queued' then ${send}.channel else '' end)`;

/**
 * Takes sends whose time has come, under a lease: queued ones to be sent, held ones whose deadline is there, and
 * calls that never came back. Nothing waits for another worker (SKIP LOCKED), and a lease that runs out makes the
 * row due again.
 *
 * Fair by construction: it steps from business to business and lane to lane along the index of what is due (each step
 * one probe, however many sends wait there), and everyone found due gets an equal share of the limit. It begins after
 * the business where the last look ended, so that many businesses all get their turn. A lane without room is stepped
 * over, not read.
 *
 * Its commit does not wait for the disk: a lease that a crash of the database takes back was nobody's, since whoever acts on
 * it commits after it, and that commit waits for both.
 *
 * Nothing before `floor` is looked at. What was sent stays in the index until a vacuum, which an old transaction can put
 * off for long; without a floor each look would have to pass all of it by.
 */
export const claimDueSends = statement<
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
      where s.due_at >= $10 and s.business_id > $1 order by s.business_id, ${laneOf('s')}, s.due_at limit 1)
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

/** When the next send needs attention. One probe a business and lane, as above. */
export const nextDueSend = statement<[now: Date], { due_at: Date | null }>(`
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
    where s.business_id = walk.business_id and ${laneOf('s')} = walk.lane and s.due_at > $1 order by s.due_at limit 1) n`);

/** Since when the send that has waited longest is due. One probe a business and channel, however long their queues are. */
export const oldestQueued = statement<[], { due_at: Date | null }>(`
  with recursive walk (business_id, lane, due_at) as (
    (select s.business_id, ${laneOf('s')}, s.due_at from sends s
      where s.due_at is not null order by s.business_id, ${laneOf('s')}, s.due_at limit 1)
    union all
    select n.* from walk cross join lateral (
      select s.business_id, ${laneOf('s')}, s.due_at from sends s
      where s.due_at is not null and (s.business_id, ${laneOf('s')}) > (walk.business_id, walk.lane)
      order by s.business_id, ${laneOf('s')}, s.due_at limit 1) n
  )
  select min(due_at) as due_at from walk where lane <> ''`);

/** Whether any send is due now, claimed, or with a provider, here or in another process; the last two are due again by `soon`. */
export const anyUnsettled = statement<[now: Date, soon: Date], { unsettled: boolean }>(`
  select exists (
    select from sends
    where due_at <= $2 and (due_at <= $1 or lease is not null or state = 'submitting')) as unsettled`);
