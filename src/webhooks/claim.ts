import type { Queryable } from '../db/statement.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
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

/** The most endpoints with pending deliveries, due or not, that one scan visits. */
const SCAN_ENDPOINTS_MAX = 1_000;

export interface EndpointKey {
  businessId: string;
  endpointId: string;
}

/** Sorts before every endpoint. */
export const SCAN_START: EndpointKey = { businessId: '', endpointId: '' };

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
 * How many deliveries to claim: in all, per endpoint, and for the endpoints of which this worker already holds
 * some.
 */
interface ClaimLimits {
  limit: number;
  perEndpoint: number;
  held: readonly (EndpointKey & { capacity: number })[];
}

/** One scan for due deliveries, starting after the endpoint `from`. `traced`: whether to read their traces. */
export async function claimDeliveries(
  db: Queryable,
  worker: string,
  from: EndpointKey,
  { limit, perEndpoint, held }: ClaimLimits,
  { floor, now }: { floor: Date; now: Date },
  traced = false,
): Promise<ClaimScan> {
  const leaseEnd = later(now, DELIVERY_LEASE_MS);
  const lease = leaseUntil(leaseEnd, worker);
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
  const found = rows.flatMap((row) => (row.business_id === null ? [] : [row]));
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
  const [first] = rows;
  const next =
    first && first.next_business !== null && first.next_endpoint !== null
      ? { businessId: first.next_business, endpointId: first.next_endpoint }
      : SCAN_START;
  const earliest = first?.earliest == null ? null : new Date(first.earliest);
  const stopped = countDeliveries(found) - countDeliveries(live);
  return { next, claimed, stopped, earliest };
}

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

const STAMP_CHARACTERS = 15;

/**
 * The expiry and the holder of a lease. The expiry comes first, so SQL compares leases as text. A lease is not
 * kept in `due_at`, because that column is indexed: this way a claim updates no index and the order stays.
 */
export const leaseUntil = (end: Date, worker: string): string => `${leaseStamp(end)}.${worker}`;

/** Sorts after every lease that has expired at `at`, and before every other. */
export const leaseStamp = (at: Date): string => String(at.getTime()).padStart(STAMP_CHARACTERS, '0');
