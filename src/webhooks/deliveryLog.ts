import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { DeliveryList, DeliveryStatus, ListedDelivery } from '../contract/endpoints.ts';
import type { Queryable } from '../db/statement.ts';
import { ApiError, OperatorError } from '../kit/errors.ts';
import { AFTER_EVERY_ID } from '../kit/ids.ts';
import { pageCursors } from '../kit/pageCursor.ts';
import type { EndpointRef } from './claimShares.ts';
import {
  countPending,
  endOfDeliveriesScan,
  findDelivery,
  findEndpoint,
  findOwnEndpoint,
  listAttempts,
  listDeliveries,
  scanDeliveries,
} from './deliveriesSql.ts';
import { noSuchEndpoint } from './endpoints.ts';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** For the operator: the deliveries of an endpoint, newest first, each with its latest attempt. */
export async function deliveriesOf(
  db: Queryable,
  endpointId: string,
  { state, limit }: { state: DeliveryState | null; limit: number },
) {
  const businessId = await businessOf(db, endpointId);
  const states = state === null ? deliveryStates : [state];
  const { rows } = await readPage(db, { businessId, endpointId }, states, AFTER_EVERY_ID, limit);
  return rows.map(({ attempted, ...row }) => {
    const latest = attempted.at(-1);
    return { ...row, status_code: latest?.status_code ?? null, error: latest?.error ?? null };
  });
}

interface DeliveriesQuery {
  status: DeliveryStatus | null;
  /** Any integer, clamped; null: the default. */
  limit: number | null;
  /** The event id that a cursor holds; null: start at the newest. */
  before: string | null;
}

export const deliveryCursors = pageCursors('delivery list');

/** A merchant's page, newest event first. The log of a deleted endpoint can still be read: it says what never arrived. */
export async function listEndpointDeliveries(
  db: Queryable,
  ref: EndpointRef,
  { status, limit, before }: DeliveriesQuery,
): Promise<DeliveryList> {
  const [endpoint] = await findOwnEndpoint(db, ref.businessId, ref.endpointId);
  if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
  const size = Math.min(Math.max(limit ?? PAGE_DEFAULT, 1), PAGE_MAX);
  const states = statesOf(status);
  // One extra row shows whether there is a next page.
  const { rows, scannedTo } = await readPage(db, ref, states, before ?? AFTER_EVERY_ID, size + 1);
  const items = rows.slice(0, size).map(listedDelivery);
  const last = rows.length > size ? items.at(-1)?.event_id : scannedTo;
  return { items, next_cursor: last == null ? null : deliveryCursors.at(last) };
}

export const statesOf = (status: DeliveryStatus | null): readonly DeliveryState[] =>
  status === null ? deliveryStates : [status === 'cancelled' ? 'stopped' : status];

/** Fewer pending deliveries than this are sorted for a page; with more, a page looks at no more than this many deliveries. */
export const DELIVERIES_SCANNED_MAX = 10_000;

/** `scannedTo`: the event at which a scan ended before the page was full; null: there is no more. */
async function readPage(
  db: Queryable,
  { businessId, endpointId }: EndpointRef,
  states: readonly DeliveryState[],
  before: string,
  limit: number,
): Promise<{ rows: ListedRow[]; scannedTo: string | null }> {
  const scan = DELIVERIES_SCANNED_MAX;
  const [counted] = states.includes('pending') ? await countPending(db, businessId, endpointId, scan) : [];
  if ((counted?.pending ?? 0) < scan)
    return {
      rows: await listDeliveries(db, businessId, endpointId, states, before, limit),
      scannedTo: null,
    };
  const rows = await scanDeliveries(db, businessId, before, endpointId, states, scan, limit);
  const [end] = rows.length < limit ? await endOfDeliveriesScan(db, businessId, before, scan - 1) : [];
  return { rows, scannedTo: end?.event_id ?? null };
}

type ListedRow = Awaited<ReturnType<typeof listDeliveries>>[number];

export const listedDelivery = (row: ListedRow): ListedDelivery => ({
  event_id: row.event_id,
  type: row.type,
  status: row.state === 'stopped' ? 'cancelled' : row.state,
  created_at: row.occurred_at.toISOString(),
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  attempts: row.attempted.map(({ at, ...attempt }) => ({ at: new Date(at).toISOString(), ...attempt })),
});

/** One event's delivery to an endpoint, with every attempt. A ping has an attempt but no delivery. */
export async function deliveryHistory(db: Queryable, endpointId: string, eventId: string) {
  const businessId = await businessOf(db, endpointId);
  const [delivery] = await findDelivery(db, businessId, endpointId, eventId);
  const attempts = await listAttempts(db, businessId, endpointId, eventId);
  if (!delivery && attempts.length === 0) {
    throw new OperatorError(`This endpoint has no delivery of "${eventId}", or its log has expired.`);
  }
  return { delivery: delivery ?? null, attempts };
}

async function businessOf(db: Queryable, endpointId: string): Promise<string> {
  const [found] = await findEndpoint(db, endpointId);
  if (!found) throw noSuchEndpoint(endpointId);
  return found.businessId;
}
