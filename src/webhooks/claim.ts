import type { Queryable } from '../db/statement.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import {
  claimDueDeliveries,
  type EventRow,
  type FoundRow,
  readEvents,
  readTargets,
  releaseDeliveryClaims,
  type TargetRow,
} from './claimSql.ts';
import type { Job } from './endpointQueue.ts';
import { envelope } from './events.ts';

/** Endpoints with something pending, due or not, that one look passes at most. */
const LONGEST_WALK = 1_000;

export interface EndpointKey {
  businessId: string;
  endpointId: string;
}

/** Before every endpoint. */
export const START: EndpointKey = { businessId: '', endpointId: '' };

export interface ClaimScan {
  /** Where the next look goes on: the start, when this one came to the last endpoint. */
  next: EndpointKey;
  claimed: Claimed[];
  /** Deliveries found for endpoints that take none any more, and stopped. */
  stopped: number;
  /** The earliest that is pending, of those that the look passed. */
  earliest: Date | null;
}

/** What was claimed of one endpoint, in order of occurrence. */
export interface Claimed extends EndpointKey {
  /** Its latest attempt failed, whoever made it. */
  failing: boolean;
  jobs: Job[];
}

/** How much to claim: in all, of an endpoint, and of those that the worker holds something of already. */
export interface Wanted {
  limit: number;
  room: number;
  rooms: readonly (EndpointKey & { room: number })[];
}

/** One look for what is due, from an endpoint on. */
export async function claimDeliveries(
  db: Queryable,
  worker: string,
  from: EndpointKey,
  { limit, room, rooms }: Wanted,
  { floor, now }: { floor: Date; now: Date },
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
    LONGEST_WALK,
    limit,
    rooms.map(({ businessId }) => businessId),
    rooms.map(({ endpointId }) => endpointId),
    rooms.map((known) => known.room),
    room,
    worker,
    lease,
  );
  const found = rows.flatMap((row) => (row.business_id === null ? [] : [row]));
  const live = found.filter((row) => row.live);
  const [targets, events] = await Promise.all([targetsOf(db, live), eventsOf(db, live)]);
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
        sealed: target.secret_sealed,
        type: event.type,
        body: event.body,
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
      : START;
  const earliest = first?.earliest == null ? null : new Date(first.earliest);
  const stopped = countIn(found) - countIn(live);
  return { next, claimed, stopped, earliest };
}

/** Gives deliveries back that were claimed and not begun. */
export async function releaseDeliveries(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 0) await releaseDeliveryClaims(db, ...jobKeys(jobs));
}

/** The keys of some deliveries, with their leases, as the arrays that a statement takes. */
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

/** Read and put into words once, however many endpoints are told of it. */
async function eventsOf(
  db: Queryable,
  rows: readonly FoundRow[],
): Promise<Map<string, EventRow & { body: string }>> {
  if (rows.length === 0) return new Map();
  const ofBusiness = new Map<string, Set<string>>();
  for (const { business_id, deliveries } of rows) {
    const ids = ofBusiness.get(business_id) ?? new Set();
    for (const [eventId] of deliveries) ids.add(eventId);
    ofBusiness.set(business_id, ids);
  }
  const events = await readEvents(
    db,
    [...ofBusiness].flatMap(([businessId, ids]) => Array.from(ids, () => businessId)),
    [...ofBusiness.values()].flatMap((ids) => [...ids]),
  );
  return new Map(
    events.map((event) => [`${event.business_id} ${event.id}`, { ...event, body: envelope(event) }]),
  );
}

const countIn = (rows: readonly FoundRow[]): number =>
  rows.reduce((count, { deliveries }) => count + deliveries.length, 0);

type Found = FoundRow['deliveries'][number];

/** Ids sort by time, and those of one moment in the order in which they were written. */
const inOrder = ([eventA, , dueA]: Found, [eventB, , dueB]: Found): number =>
  dueA - dueB || (eventA < eventB ? -1 : 1);

/** Well beyond the time of one attempt. A worker that dies holds up what it had claimed for no longer than this. */
export const DELIVERY_LEASE_MS = 20 * SECOND;

const STAMP_CHARACTERS = 15;

/**
 * Who holds a delivery, and until when: the time first, so that the database can compare it as text. It is not kept
 * in `due_at`, which is indexed: this way a claim touches no index, and what is claimed keeps its place in the order.
 */
export const leaseUntil = (end: Date, worker: string): string => `${leaseStamp(end)}.${worker}`;

/** Sorts after every lease that has ended by then, and before every other. */
export const leaseStamp = (at: Date): string => String(at.getTime()).padStart(STAMP_CHARACTERS, '0');
