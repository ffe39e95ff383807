import type { QueueKey } from '../db/dueQueues.ts';
import { eachReachable } from '../db/eachShard.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import { columns } from '../kit/columns.ts';
import {
  type ClaimLimits,
  type EndpointRef,
  type EndpointShare,
  shareAmongEndpoints,
} from './claimShares.ts';
import {
  dueDeliveries,
  type FoundRow,
  readEvents,
  readTargets,
  readTracedEvents,
  releaseDeliveryClaims,
  type TargetRow,
  takeDueDeliveries,
} from './claimSql.ts';
import type { Job } from './endpointQueue.ts';
import { envelope } from './events.ts';
import { leaseStamp, leaseUntil } from './lease.ts';

/** The claimed deliveries of one endpoint, in order of occurrence. */
export interface Claimed extends EndpointRef {
  /** The endpoint's latest attempt failed, in this worker or another. */
  failing: boolean;
  jobs: Job[];
}

const SCAN_ENDPOINTS_MAX = 1_000;

/**
 * One scan for due deliveries, starting after the queue `from`: it looks for the endpoints that have some, without a lock, and then
 * takes each one's share. `traced`: whether to read their traces. Answers the queue after which the next scan continues, how many
 * deliveries of disabled or deleted endpoints it stopped, and the earliest pending one that it passed.
 *
 * It skips everything before `floor`. Settled rows stay in the index until a vacuum, which an old transaction can delay for hours;
 * without a floor every scan would step over all of them.
 */
export async function claimDeliveries(
  pool: Pool,
  worker: string,
  from: QueueKey | null,
  limits: ClaimLimits,
  { floor, now }: { floor: Date; now: Date },
  traced = false,
) {
  const leaseEnd = later(now, DELIVERY_LEASE_MS);
  const lease = leaseUntil(leaseEnd, worker);
  const range = { after: from, floor, now, max: SCAN_ENDPOINTS_MAX };
  const due = await dueDeliveries.find(pool, range, leaseStamp(now), worker);
  const found = await takeShares(pool, shareAmongEndpoints(due.queues, limits), now, lease);
  const live = found.filter((row) => row.live);
  const [targets, events] = await Promise.all([
    targetsOf(pool, live),
    eventsOf(pool, live, traced ? readTracedEvents : readEvents),
  ]);
  const readAt = monotonicMs();
  const claimed = live.flatMap((row): Claimed[] => {
    const { business_id: businessId, endpoint_id: endpointId, failing } = row;
    const target = targets.get(`${businessId} ${endpointId}`);
    if (!target) return [];
    const jobs = row.deliveries.sort(inOrder).flatMap(([eventId, attempts, dueMs]): Job[] => {
      const event = events.get(`${businessId} ${eventId}`);
      if (!event) return [];
      const { about, type, body, trace_context: trace = null } = event;
      const content = { url: target.url, secrets: target, type, body, trace, readAt };
      const dueAt = new Date(dueMs);
      return [{ businessId, endpointId, eventId, about, attempts, dueAt, lease, leaseEnd, content }];
    });
    return [{ businessId, endpointId, failing, jobs }];
  });
  const stopped = countDeliveries(found) - countDeliveries(live);
  return { next: due.end, claimed, stopped, earliest: due.earliest };
}

async function takeShares(pool: Pool, shares: readonly EndpointShare[], now: Date, lease: string) {
  if (shares.length === 0) return [];
  const taken = await eachReachable(
    pool,
    shares,
    ({ endpoint }) => endpoint.business_id,
    (some) => {
      const endpoints = some.map(({ endpoint }) => endpoint);
      return takeDueDeliveries(
        pool,
        ...columns(endpoints, 'business_id', 'queue', 'live', 'failing'),
        endpoints.map(({ earliest }) => new Date(earliest)),
        some.map(({ count }) => count),
        now,
        leaseStamp(now),
        lease,
      );
    },
  );
  return taken.flat();
}

export async function releaseDeliveries(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 0) await releaseDeliveryClaims(db, ...jobKeys(jobs));
}

/** The keys and leases of deliveries, as the arrays that the statements expect. */
export const jobKeys = (jobs: readonly Job[]) =>
  columns(jobs, 'businessId', 'endpointId', 'eventId', 'lease');

async function targetsOf(db: Queryable, rows: readonly FoundRow[]): Promise<Map<string, TargetRow>> {
  if (rows.length === 0) return new Map();
  const targets = await readTargets(db, ...columns(rows, 'business_id', 'endpoint_id'));
  return new Map(targets.map((target) => [`${target.business_id} ${target.id}`, target]));
}

/** Reads and serialises each event once, however many endpoints subscribe to it. */
async function eventsOf(db: Queryable, rows: readonly FoundRow[], read: typeof readEvents) {
  if (rows.length === 0) return new Map();
  const pairs = rows.flatMap(({ business_id, deliveries }) =>
    deliveries.map(([eventId]) => [business_id, eventId] as const),
  );
  const distinct = [...new Map(pairs.map((pair) => [pair.join(' '), pair])).values()];
  const events = await read(db, ...columns(distinct, 0, 1));
  return new Map(
    events.map((event) => [`${event.business_id} ${event.id}`, { ...event, body: envelope(event) }]),
  );
}

const countDeliveries = (rows: readonly FoundRow[]): number =>
  rows.reduce((count, { deliveries }) => count + deliveries.length, 0);

type Found = FoundRow['deliveries'][number];

/** By due time, then by id: ids of one millisecond sort in the order in which they were written. */
const inOrder = ([eventA, , dueA]: Found, [eventB, , dueB]: Found): number =>
  dueA - dueB || (eventA < eventB ? -1 : 1);

/** Well beyond the duration of one attempt. A worker that dies delays its claimed deliveries by at most this. */
export const DELIVERY_LEASE_MS = 20 * SECOND;
