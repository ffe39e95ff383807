import { ofReachableShops } from '../db/cluster/reachable.ts';
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

interface FoundSends {
  rows: Omit<ClaimedRow, 'next_after' | 'earliest'>[];
  /** The business after which the next claim starts; empty: at the first one. */
  nextAfter: string;
  /** The earliest due time among the scanned sends, in milliseconds. */
  earliest: number | null;
  /** Whether every shard answered; one Postgres is one shard. */
  complete: boolean;
}

/**
 * One claim of due sends. It has two forms, for one Postgres and for a cluster, that claim the same sends
 * (test/cluster/sendClaims.test.ts).
 */
export type ClaimSends = (pool: Pool, capacity: ClaimCapacity, range: SendClaimRange) => Promise<FoundSends>;

/**
 * Claims due sends on a cluster: finds the queues with due sends on all shards without a lock, and then takes each business's
 * share from its own shard under SKIP LOCKED, all in one round trip, each in a transaction of its own. Between the two another worker may take
 * some; then this one gets less than its share, and the next claim finds the rest.
 */
export const claimSendsOnCluster: ClaimSends = async (
  pool,
  { limit, channels, full },
  { after, now, floor, maxQueues, lease, leaseEnd },
) => {
  const [guard] = await readGuard(pool);
  if (guard?.held !== false) return { rows: [], nextAfter: '', earliest: null, complete: true };
  const look = await findDueQueues(pool, after, now, floor, maxQueues);
  const queues = look.rows;
  const hasCapacity = ({ business_id, lane }: DueQueue): boolean =>
    lane === '' ||
    (channels.some((channel) => channel === lane) &&
      !full.some((one) => one.business_id === business_id && one.channel === lane));
  const open = [...groupBy(queues.filter(hasCapacity), ({ business_id }) => business_id)];
  const due = open.slice(0, limit);
  const share = Math.max(1, Math.floor(limit / Math.max(1, due.length)));
  const claims = await ofReachableShops(
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
  const { complete } = look;
  return { rows: claims.flat(), nextAfter, earliest: complete ? earliestOf(queues) : UNKNOWN, complete };
};

/** There may be anything on a shard that did not answer: the next look starts from the beginning. */
const UNKNOWN = 0;

const earliestOf = (queues: readonly DueQueue[]): number | null =>
  queues.reduce<number | null>(
    (first, queue) => (first === null ? queue.earliest : Math.min(first, queue.earliest)),
    null,
  );
