import type { Queryable } from '../db/statement.ts';
import { later, monotonicMs } from '../kit/clock.ts';
import {
  type ClaimedRow,
  claimDue,
  type EventRow,
  readEvents,
  readTargets,
  releaseClaims,
  type TargetRow,
} from './claimSql.ts';
import { envelope } from './envelope.ts';
import { LEASE_MS, leaseStamp, leaseUntil } from './lease.ts';
import type { Job } from './line.ts';

/** Endpoints with something pending, due or not, that one look passes at most. */
const LONGEST_WALK = 1_000;

export interface EndpointKey {
  businessId: string;
  endpointId: string;
}

/** Before every endpoint. */
export const START: EndpointKey = { businessId: '', endpointId: '' };

export interface Look {
  /** Where the next look goes on: the start, when this one came to the last endpoint. */
  next: EndpointKey;
  /** In order of occurrence. */
  claimed: { job: Job; failing: boolean }[];
  /** Deliveries found for endpoints that take none any more, and stopped. */
  stopped: number;
  /** The earliest that is pending, of those that the look passed. */
  earliest: Date | null;
}

/** How much to claim: in all, of an endpoint, and of those that the worker holds something of already. */
export interface Wanted {
  limit: number;
  room: number;
  rooms: readonly (EndpointKey & { room: number })[];
}

/** One look for what is due, from an endpoint on. */
export async function look(
  db: Queryable,
  worker: string,
  from: EndpointKey,
  { limit, room, rooms }: Wanted,
  { floor, now }: { floor: Date; now: Date },
): Promise<Look> {
  const leaseEnd = later(now, LEASE_MS);
  const lease = leaseUntil(leaseEnd, worker);
  const rows = await claimDue(
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
  const live = found.filter((row) => row.live).sort(inOrder);
  const [targets, events] = await Promise.all([targetsOf(db, live), eventsOf(db, live)]);
  const readAt = monotonicMs();
  const claimed = live.flatMap((row) => {
    const target = targets.get(`${row.business_id} ${row.endpoint_id}`);
    const event = events.get(`${row.business_id} ${row.event_id}`);
    if (!target || !event) return [];
    return [{ job: jobOf(row, target, event, { lease, leaseEnd, readAt }), failing: row.failing }];
  });
  const [first] = rows;
  const next =
    first && first.next_business !== null && first.next_endpoint !== null
      ? { businessId: first.next_business, endpointId: first.next_endpoint }
      : START;
  const earliest = first?.earliest == null ? null : new Date(first.earliest);
  return { next, claimed, stopped: found.length - live.length, earliest };
}

/** Gives deliveries back that were claimed and not begun. */
export async function release(db: Queryable, jobs: readonly Job[]): Promise<void> {
  if (jobs.length > 0) await releaseClaims(db, ...jobKeys(jobs));
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

async function targetsOf(db: Queryable, rows: readonly ClaimedRow[]): Promise<Map<string, TargetRow>> {
  if (rows.length === 0) return new Map();
  const keys = new Map(rows.map((row) => [`${row.business_id} ${row.endpoint_id}`, row]));
  const targets = await readTargets(
    db,
    [...keys.values()].map(({ business_id }) => business_id),
    [...keys.values()].map(({ endpoint_id }) => endpoint_id),
  );
  return new Map(targets.map((target) => [`${target.business_id} ${target.id}`, target]));
}

/** Read and put into words once, however many endpoints are told of it. */
async function eventsOf(
  db: Queryable,
  rows: readonly ClaimedRow[],
): Promise<Map<string, EventRow & { body: string }>> {
  if (rows.length === 0) return new Map();
  const keys = new Map(rows.map((row) => [`${row.business_id} ${row.event_id}`, row]));
  const events = await readEvents(
    db,
    [...keys.values()].map(({ business_id }) => business_id),
    [...keys.values()].map(({ event_id }) => event_id),
  );
  return new Map(
    events.map((event) => [`${event.business_id} ${event.id}`, { ...event, body: envelope(event) }]),
  );
}

const jobOf = (
  row: ClaimedRow,
  { url, secret_sealed }: TargetRow,
  { about, type, body }: EventRow & { body: string },
  { lease, leaseEnd, readAt }: { lease: string; leaseEnd: Date; readAt: number },
): Job => ({
  businessId: row.business_id,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  about,
  attempts: row.attempts,
  dueAt: row.due_at,
  lease,
  leaseEnd,
  content: {
    url,
    sealed: secret_sealed,
    type,
    body,
    readAt,
  },
});

/** Ids sort by time, and those of one moment in the order in which they were written. */
const inOrder = (a: ClaimedRow, b: ClaimedRow): number =>
  a.due_at.getTime() - b.due_at.getTime() || (a.event_id < b.event_id ? -1 : 1);
