import type { Queryable } from '../db/statement.ts';
import { OperatorError } from '../kit/errors.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  findDelivery,
  findEndpoint,
  listAttempts,
  listDeliveries,
} from './deliveriesSql.ts';
import { noSuchEndpoint } from './endpoints.ts';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
type DeliveryState = (typeof deliveryStates)[number];

/** The deliveries of an endpoint, newest first. */
export async function deliveriesOf(
  db: Queryable,
  endpointId: string,
  { state, limit }: { state: DeliveryState | null; limit: number },
): Promise<DeliveryRow[]> {
  return listDeliveries(db, await businessOf(db, endpointId), endpointId, state, limit);
}

interface DeliveryHistory {
  /** Null for a ping, which has an attempt but no delivery. */
  delivery: Omit<DeliveryRow, 'status_code' | 'error'> | null;
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
