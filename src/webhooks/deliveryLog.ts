import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { DeliveryList, DeliveryStatus, ListedDelivery } from '../contract/deliveries.ts';
import type { Queryable } from '../db/statement.ts';
import { ApiError, OperatorError } from '../kit/errors.ts';
import { AFTER_EVERY_ID } from '../kit/ids.ts';
import { pageCursors } from '../kit/pageCursor.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  findDelivery,
  findEndpoint,
  findOwnEndpoint,
  listAttempts,
  listDeliveries,
} from './deliveriesSql.ts';
import { noSuchEndpoint } from './endpoints.ts';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
type DeliveryState = (typeof deliveryStates)[number];

type DeliveryWithLatest = DeliveryRow & Pick<AttemptRow, 'status_code' | 'error'>;

/** For the operator: the deliveries of an endpoint, newest first, each with its latest attempt. */
export async function deliveriesOf(
  db: Queryable,
  endpointId: string,
  { state, limit }: { state: DeliveryState | null; limit: number },
): Promise<DeliveryWithLatest[]> {
  const businessId = await businessOf(db, endpointId);
  const states = state === null ? deliveryStates : [state];
  const rows = await listDeliveries(db, businessId, endpointId, states, AFTER_EVERY_ID, limit);
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

/**
 * A merchant's page of the deliveries of an endpoint, newest event first. That of a deleted endpoint can still be read: it
 * says what never arrived.
 */
export async function listEndpointDeliveries(
  db: Queryable,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  { status, limit, before }: DeliveriesQuery,
): Promise<DeliveryList> {
  const [endpoint] = await findOwnEndpoint(db, businessId, endpointId);
  if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
  const size = Math.min(Math.max(limit ?? PAGE_DEFAULT, 1), PAGE_MAX);
  const states = status === null ? deliveryStates : [status === 'cancelled' ? 'stopped' : status];
  // One extra row shows whether there is a next page.
  const rows = await listDeliveries(db, businessId, endpointId, states, before ?? AFTER_EVERY_ID, size + 1);
  const items = rows.slice(0, size).map(listedDelivery);
  const last = items.at(-1);
  return {
    items,
    next_cursor: rows.length > size && last ? deliveryCursors.at(last.event_id) : null,
  };
}

const listedDelivery = (row: Awaited<ReturnType<typeof listDeliveries>>[number]): ListedDelivery => ({
  event_id: row.event_id,
  type: row.type,
  status: row.state === 'stopped' ? 'cancelled' : row.state,
  created_at: row.occurred_at.toISOString(),
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  attempts: row.attempted.map(({ at, ...attempt }) => ({ at: new Date(at).toISOString(), ...attempt })),
});

interface DeliveryHistory {
  /** Null for a ping, which has an attempt but no delivery. */
  delivery: DeliveryRow | null;
  attempts: AttemptRow[];
}

/** One event's delivery to an endpoint, with every attempt. */
export async function deliveryHistory(
  db: Queryable,
  endpointId: string,
  eventId: string,
): Promise<DeliveryHistory> {
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
