import type { Channel } from '../contract/channels.ts';
import { dueQueues } from '../db/dueQueues.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { ASYNCHRONOUS_COMMIT } from '../db/sql.ts';
import { statement } from '../db/statement.ts';
import { NOTHING_HELD } from './restoreGuardSql.ts';
import type { SendTarget } from './send.ts';
import { leasePicked } from './sendsSql.ts';

export interface ClaimedSend extends SendTarget {
  state: 'held' | 'queued' | 'submitting';
  channel: Channel;
}

/** The queue of a business's held sends and of its calls in progress; each of the others has the name of its channel. */
export const CALLED_OR_HELD = '';

/** The same expression as in the index on due sends. */
const queueOf = (send: string): string =>
  `(case when ${send}.state = 'queued' then ${send}.channel else '${CALLED_OR_HELD}' end)`;

/**
 * Due sends: queued ones, held ones whose deadline has passed, and calls whose outcome was never recorded. None in a database that was
 * restored, until an operator has ended what may have gone out already.
 */
export const dueSends = dueQueues({
  table: 'sends',
  queueOf,
  condition: NOTHING_HELD,
  isOnTime: `q.queue <> '${CALLED_OR_HELD}'`,
});

/**
 * Claims due sends of these queues under a lease, each business's longest-waiting ones up to its share. Workers never wait for each
 * other (SKIP LOCKED). A locked row cannot move, so the update finds it by ctid. When a lease expires, the row is due again.
 *
 * It commits asynchronously. If a crash of the database loses the lease, nothing has acted on it: a worker commits the
 * permit later and synchronously, and that flushes the lease too.
 */
export const claimDueSends = statementOfBusinesses<
  [
    businessIds: string[],
    queues: string[],
    earliest: Date[],
    now: Date,
    share: number,
    lease: string,
    leaseEnd: Date,
  ],
  ClaimedSend
>(
  ['businesses', 'parallel', 'parallel', 'same', 'same', 'same', 'same'],
  `
  with waiting as (
    select s.locked, row_number() over (partition by s.business_id order by s.due_at) as place
    from unnest($1::text[], $2::text[], $3::timestamptz[]) k (business_id, queue, earliest)
    cross join lateral (
      select s.business_id, s.due_at, s.ctid as locked from sends s
      where s.business_id = k.business_id and ${queueOf('s')} = k.queue and s.due_at between k.earliest and $4
      order by s.due_at limit $5 for update skip locked) s
  ), picked as materialized (
    select locked from waiting where place <= $5
  ), claimed as (
    ${leasePicked('$6', '$7')}
    returning s.business_id, s.id, s.recipient_id, s.message_id, s.state, s.channel
  )
  select claimed.* from (${ASYNCHRONOUS_COMMIT}) as settings cross join claimed`,
);

/** Whether any send is due, claimed or submitting, in any process. Leases and calls in progress end before `soon`. */
export const anyUnsettled = statement<[now: Date, soon: Date], { unsettled: boolean }>(`
  select exists (
    select 1 from sends
    where due_at <= $2 and (due_at <= $1 or lease is not null or state = 'submitting')) as unsettled`);
