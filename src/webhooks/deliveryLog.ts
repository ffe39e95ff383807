import { DELIVERY_LOG_KEPT_MS } from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { earlier } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  findDelivery,
  findEndpoint,
  forgetAttempts,
  forgetDeliveries,
  forgetEvents,
  listAttempts,
  listDeliveries,
} from './deliveryLogSql.ts';
import { noSuchEndpoint } from './endpoints.ts';

export const deliveryStates = ['pending', 'delivered', 'exhausted', 'stopped'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What became of the events of an endpoint, newest first. */
export async function deliveriesOf(
  db: Queryable,
  endpointId: string,
  { state, limit }: { state: DeliveryState | null; limit: number },
): Promise<DeliveryRow[]> {
  return listDeliveries(db, await businessOf(db, endpointId), endpointId, state, limit);
}

export interface DeliveryHistory {
  /** Null for a ping, which is attempted and nothing else. */
  delivery: Omit<DeliveryRow, 'status_code' | 'error'> | null;
  attempts: AttemptRow[];
}

/** One event's way to an endpoint, attempt by attempt. */
export async function deliveryHistory(
  db: Queryable,
  endpointId: string,
  eventId: string,
): Promise<DeliveryHistory> {
  const businessId = await businessOf(db, endpointId);
  const [delivery] = await findDelivery(db, businessId, endpointId, eventId);
  const attempts = await listAttempts(db, businessId, endpointId, eventId);
  if (!delivery && attempts.length === 0) {
    throw new OperatorError(
      `Nothing with the id "${eventId}" was for this endpoint, or it was too long ago.`,
    );
  }
  return { delivery: delivery ?? null, attempts };
}

const ROWS_AT_ONCE = 5_000;

/**
 * Forgets what is older than the log is kept: attempts, deliveries that have ended, and the events that nobody waits
 * for. In small transactions, so that it is in nobody's way. Answers how many rows went.
 */
export async function forgetOldDeliveries(pool: Pool, now: Date): Promise<number> {
  const before = earlier(now, DELIVERY_LOG_KEPT_MS);
  let forgotten = 0;
  // Deliveries before the events they refer to.
  for (const forget of [forgetAttempts, forgetDeliveries, forgetEvents]) {
    for (let part = ROWS_AT_ONCE; part === ROWS_AT_ONCE; ) {
      part = (await forget(pool, before, ROWS_AT_ONCE)).length;
      forgotten += part;
    }
  }
  return forgotten;
}

async function businessOf(db: Queryable, endpointId: string): Promise<string> {
  const [found] = await findEndpoint(db, endpointId);
  if (!found) throw noSuchEndpoint(endpointId);
  return found.businessId;
}
