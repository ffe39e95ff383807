import type { Pool } from '../db/pool.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { ClaimCapacity } from './capacity.ts';
import { type ClaimedRow, claimOfBusiness, type DueQueue, findDueQueues } from './claimSql.ts';
import { readGuard } from './restoreGuardSql.ts';

export interface SendClaimRange {
  /** The business after which it starts; empty: at the first one. */
  after: string;
  now: Date;
  /** Nothing is due before it. */
  floor: Date;
  maxQueues: number;
  lease: string;
  leaseEnd: Date;
}

/** The result of `claimDueSends`, on a cluster. */
export interface ClusterClaim {
  rows: Omit<ClaimedRow, 'next_after' | 'earliest'>[];
  /** The business after which the next claim starts; empty: at the first one. */
  nextAfter: string;
  earliest: number | null;
}

/**
 * Claims due sends on a cluster: finds the queues with due sends on all shards without a lock, and then takes each business's
 * share from its own shard under SKIP LOCKED, all in one round trip, each in a transaction of its own. Between the two another worker may take
 * some; then this one gets less than its share, and the next claim finds the rest.
 */
export async function claimSendsOnCluster(
  pool: Pool,
  { limit, channels, full }: ClaimCapacity,
  { after, now, floor, maxQueues, lease, leaseEnd }: SendClaimRange,
): Promise<ClusterClaim> {
  const [guard] = await readGuard(pool);
  if (guard?.held !== false) return { rows: [], nextAfter: '', earliest: null };
  const queues = await findDueQueues(pool, after, now, floor, maxQueues);
  const earliest = queues.reduce<number | null>(
    (first, queue) => (first === null ? queue.earliest : Math.min(first, queue.earliest)),
    null,
  );
  const hasCapacity = ({ business_id, lane }: DueQueue): boolean =>
    lane === '' ||
    (channels.some((channel) => channel === lane) &&
      !full.some((one) => one.business_id === business_id && one.channel === lane));
  const open = [...groupBy(queues.filter(hasCapacity), ({ business_id }) => business_id)];
  const due = open.slice(0, limit);
  const share = Math.max(1, Math.floor(limit / Math.max(1, due.length)));
  const claims = await Promise.all(
    due.map(([businessId, its]) =>
      claimOfBusiness(
        pool,
        businessId,
        its.map(({ lane }) => lane),
        now,
        floor,
        share,
        lease,
        leaseEnd,
      ),
    ),
  );
  const isCut = queues.length >= maxQueues;
  const nextAfter =
    open.length > due.length || due.length >= limit
      ? (due.at(-1)?.[0] ?? '')
      : isCut
        ? (queues.at(-1)?.business_id ?? '')
        : '';
  return { rows: claims.flat(), nextAfter, earliest };
}
