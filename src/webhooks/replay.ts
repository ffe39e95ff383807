import { OPERATOR, recordAudit } from '../businesses/audit.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, earlier, SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { lockForReplay, queueEvent, queueMissed } from './deliveriesSql.ts';
import { noSuchEndpoint } from './endpoints.ts';

/** From `since` (inclusive) to `until` (exclusive). */
interface Window {
  since: Date;
  until: Date;
}

/** Events per transaction: it locks the endpoint, so it stays short. */
const EVENTS_PER_TRANSACTION = 5_000;

/**
 * For the operator: queues the events of a time window that an endpoint missed, in order of occurrence. Returns
 * the number of deliveries; each has the whole retry schedule ahead.
 */
export async function replayWindow(
  pool: Pool,
  clock: Clock,
  endpointId: string,
  { since, until }: Window,
): Promise<number> {
  let queued = 0;
  let scanned = 0;
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    const part = await transaction(pool, async (tx) => {
      const { businessId, eventTypes } = await enabledEndpoint(tx, endpointId);
      const now = clock.now();
      if (scanned === 0) {
        const detail = { endpoint_id: endpointId, since, until };
        await recordAudit(tx, now, { businessId, actor: OPERATOR, action: 'endpoint.replayed', detail });
      }
      const window = [eventTypes, since, until] as const;
      // Slightly in the past, so that all are due at once, a microsecond apart.
      const firstDue = earlier(now, SECOND);
      const [row] = await queueMissed(
        tx,
        businessId,
        endpointId,
        ...window,
        from,
        EVENTS_PER_TRANSACTION,
        firstDue,
        scanned,
        now,
      );
      return row ?? { scanned: 0, last: null, queued: 0 };
    });
    queued += part.queued;
    scanned += part.scanned;
    after = part.scanned < EVENTS_PER_TRANSACTION ? null : part.last;
  }
  return queued;
}

/** For the operator: sends one event to an endpoint now, even if it was delivered before. */
export async function replayEvent(
  pool: Pool,
  clock: Clock,
  endpointId: string,
  eventId: string,
): Promise<void> {
  await transaction(pool, async (tx) => {
    const { businessId } = await enabledEndpoint(tx, endpointId);
    const now = clock.now();
    const [queued] = await queueEvent(tx, businessId, endpointId, eventId, now);
    if (!queued)
      throw new OperatorError(`The business of this endpoint has no event with the id "${eventId}".`);
    const detail = { endpoint_id: endpointId, event_id: eventId };
    await recordAudit(tx, now, { businessId, actor: OPERATOR, action: 'endpoint.replayed', detail });
  });
}

async function enabledEndpoint(tx: Queryable, endpointId: string) {
  const [endpoint] = await lockForReplay(tx, endpointId);
  if (!endpoint) throw noSuchEndpoint(endpointId);
  if (endpoint.disabled) {
    throw new OperatorError(`The endpoint "${endpointId}" is disabled: enable it first.`);
  }
  return endpoint;
}
