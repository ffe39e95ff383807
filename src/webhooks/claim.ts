import { isOnCluster } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import {
  type ClaimDeliveries,
  type ClaimLimits,
  claimDeliveriesOnCluster,
  type EndpointKey,
  SCAN_ENDPOINTS_MAX,
  SCAN_START,
} from './claimOnCluster.ts';
import {
  type ClaimedEventRow,
  claimDueDeliveries,
  type FoundRow,
  readEvents,
  readTargets,
  readTracedEvents,
  releaseDeliveryClaims,
  type TargetRow,
} from './claimSql.ts';
import type { Job } from './endpointQueue.ts';
import { envelope } from './events.ts';
import { leaseStamp, leaseUntil } from './lease.ts';

interface ClaimScan {
  /** Where the next scan continues; SCAN_START after the last endpoint. */
  next: EndpointKey;
  claimed: Claimed[];
  /** Deliveries of disabled or deleted endpoints, which the scan stopped. */
  stopped: number;
  /** The earliest pending delivery that the scan passed. */
  earliest: Date | null;
}

/** The claimed deliveries of one endpoint, in order of occurrence. */
export interface Claimed extends EndpointKey {
  /** The endpoint's latest attempt failed, in this worker or another. */
  failing: boolean;
  jobs: Job[];
}

/**
 * One scan for due deliveries, starting after the endpoint `from`. `traced`: whether to read their traces. `claim`: the form for
 * this database; both run on one Postgres.
 */
export async function claimDeliveries(
  db: Queryable,
  worker: string,
  from: EndpointKey,
  { limit, perEndpoint, held }: ClaimLimits,
  { floor, now }: { floor: Date; now: Date },
  traced = false,
  claim: ClaimDeliveries = isOnCluster(db) ? claimDeliveriesOnCluster : claimDeliveriesAtOnce,
): Promise<ClaimScan> {
  const leaseEnd = later(now, DELIVERY_LEASE_MS);
  const lease = leaseUntil(leaseEnd, worker);
  const range = { from, floor, now, limit, perEndpoint, held, worker, lease };
  const { found, next, earliest } = await claim(db, range);
  const live = found.filter((row) => row.live);
  const [targets, events] = await Promise.all([
    targetsOf(db, live),
    eventsOf(db, live, traced ? readTracedEvents : readEvents),
  ]);
  const readAt = monotonicMs();
  const claimed = live.flatMap((row): Claimed[] => {
    const { business_id: businessId, endpoint_id: endpointId, failing } = row;
    const target = targets.get(`${businessId} ${endpointId}`);
    if (!target) return [];
    const jobs = row.deliveries.sort(inOrder).flatMap(([eventId, attempts, dueMs]): Job[] => {
      const event = events.get(`${businessId} ${eventId}`);
      if (!event) return [];
      const content = {
        url: target.url,
        secrets: target,
        type: event.type,
        body: event.body,
        trace: event.trace_context ?? null,
        readAt,
      };
      const dueAt = new Date(dueMs);
      return [
        { businessId, endpointId, eventId, about: event.about, attempts, dueAt, lease, leaseEnd, content },
      ];
    });
    return [{ businessId, endpointId, failing, jobs }];
  });
  const stopped = countDeliveries(found) - countDeliveries(live);
  return { next, claimed, stopped, earliest };
}

/** The claim on one Postgres: one statement finds the deliveries and takes them. */
export const claimDeliveriesAtOnce: ClaimDeliveries = async (db, range) => {
  const { from, floor, now, limit, perEndpoint, held, worker, lease } = range;
  const rows = await claimDueDeliveries(
    db,
    from.businessId,
    from.endpointId,
    floor,
    now,
    leaseStamp(now),
    SCAN_ENDPOINTS_MAX,
    limit,
    held.map(({ businessId }) => businessId),
    held.map(({ endpointId }) => endpointId),
    held.map(({ capacity }) => capacity),
    perEndpoint,
    worker,
    lease,
  );
  const [first] = rows;
  const next =
    first && first.next_business !== null && first.next_endpoint !== null
      ? { businessId: first.next_business, endpointId: first.next_endpoint }
      : SCAN_START;
  return {
    found: rows.flatMap((row) => (row.business_id === null ? [] : [row])),
    next,
    earliest: first?.earliest == null ? null : new Date(first.earliest),
  };
};

export async function releaseDeliveries(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 0) await releaseDeliveryClaims(db, ...jobKeys(jobs));
}

/** The keys and leases of deliveries, as the arrays that the statements expect. */
export const jobKeys = (
  jobs: readonly Job[],
): [businessIds: string[], endpointIds: string[], eventIds: string[], leases: string[]] => [
  jobs.map(({ businessId }) => businessId),
  jobs.map(({ endpointId }) => endpointId),
  jobs.map(({ eventId }) => eventId),
  jobs.map(({ lease }) => lease),
];

async function targetsOf(db: Queryable, rows: readonly FoundRow[]): Promise<Map<string, TargetRow>> {
  if (rows.length === 0) return new Map();
  const targets = await readTargets(
    db,
    rows.map(({ business_id }) => business_id),
    rows.map(({ endpoint_id }) => endpoint_id),
  );
  return new Map(targets.map((target) => [`${target.business_id} ${target.id}`, target]));
}

/** Reads and serialises each event once, however many endpoints subscribe to it. */
async function eventsOf(
  db: Queryable,
  rows: readonly FoundRow[],
  read: typeof readEvents,
): Promise<Map<string, ClaimedEventRow & { body: string }>> {
  if (rows.length === 0) return new Map();
  const idsByBusiness = new Map<string, Set<string>>();
  for (const { business_id, deliveries } of rows) {
    const ids = idsByBusiness.get(business_id) ?? new Set();
    for (const [eventId] of deliveries) ids.add(eventId);
    idsByBusiness.set(business_id, ids);
  }
  const events = await read(
    db,
    [...idsByBusiness].flatMap(([businessId, ids]) => Array.from(ids, () => businessId)),
    [...idsByBusiness.values()].flatMap((ids) => [...ids]),
  );
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
