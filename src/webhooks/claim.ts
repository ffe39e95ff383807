import { preferIndexes } from '../db/plannerSql.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { later, SECOND } from '../kit/clock.ts';
import { claimDue, type LookRow, releaseClaims } from './claimSql.ts';
import type { Job } from './line.ts';

/** Well beyond the time of one attempt. A worker that dies holds up what it had claimed for no longer than this. */
export const LEASE_MS = 20 * SECOND;

/** Endpoints with something pending, due or not, that one look passes at most. */
const LONGEST_WALK = 1_000;

export interface EndpointKey {
  businessId: string;
  endpointId: string;
}

export interface Look {
  /** Where the next look goes on; the start when this one came to the last endpoint. */
  next: EndpointKey;
  nextDue: Date | null;
  claimed: { job: Job; failing: boolean }[];
  /** Deliveries found for endpoints that take none any more, and stopped. */
  stopped: number;
}

export const START: EndpointKey = { businessId: '', endpointId: '' };

/** One look for what is due, from an endpoint on. `rooms` are those of the endpoints the worker holds something of. */
export async function look(
  pool: Pool,
  worker: string,
  from: EndpointKey,
  wanted: { limit: number; room: number; rooms: readonly (EndpointKey & { room: number })[] },
  now: Date,
): Promise<Look> {
  const leaseEnd = later(now, LEASE_MS);
  const rows = await transaction(pool, async (tx) => {
    await preferIndexes(tx);
    return claimDue(
      tx,
      from.businessId,
      from.endpointId,
      now,
      LONGEST_WALK,
      wanted.limit,
      wanted.rooms.map(({ businessId }) => businessId),
      wanted.rooms.map(({ endpointId }) => endpointId),
      wanted.rooms.map(({ room }) => room),
      wanted.room,
      worker,
      leaseEnd,
      later(leaseEnd, LEASE_MS),
    );
  });
  const [first] = rows;
  const next =
    first?.next_business != null && first.next_endpoint !== null
      ? { businessId: first.next_business, endpointId: first.next_endpoint }
      : START;
  const found = rows.flatMap((row) => jobOf(row, leaseEnd));
  const claimed = found.filter(({ live }) => live).sort((a, b) => inOrder(a.job, b.job));
  return { next, nextDue: first?.next_due ?? null, claimed, stopped: found.length - claimed.length };
}

/** Gives deliveries back that were claimed and not begun. */
export async function release(pool: Pool, worker: string, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await releaseClaims(
    pool,
    worker,
    jobs.map(({ businessId }) => businessId),
    jobs.map(({ endpointId }) => endpointId),
    jobs.map(({ eventId }) => eventId),
    jobs.map(({ dueAt }) => dueAt),
  );
}

function jobOf(row: LookRow, leaseEnd: Date): { job: Job; live: boolean; failing: boolean }[] {
  const { business_id, endpoint_id, event_id, about, attempts, due_at } = row;
  if (business_id === null || endpoint_id === null || event_id === null) return [];
  if (about === null || attempts === null || due_at === null) return [];
  const job = { businessId: business_id, endpointId: endpoint_id, eventId: event_id };
  return [
    {
      job: { ...job, about, attempts, dueAt: due_at, leaseEnd },
      live: row.live === true,
      failing: row.failing === true,
    },
  ];
}

/** Ids sort by time, and those of one moment in the order in which they were written. */
const inOrder = (a: Job, b: Job): number =>
  a.dueAt.getTime() - b.dueAt.getTime() || (a.eventId < b.eventId ? -1 : 1);
