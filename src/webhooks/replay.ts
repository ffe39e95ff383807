import { actorOf, OPERATOR, recordAudit } from '../businesses/audit.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, earlier, SECOND } from '../kit/clock.ts';
import { ApiError, type Fault, invalid, OperatorError } from '../kit/errors.ts';
import { idBoundAt } from '../kit/ids.ts';
import {
  countAgain,
  findEndpoint,
  findForReplay,
  listAttempts,
  lockOwnForReplay,
  queueAgain,
  queueEvent,
  type ReplayedEndpoint,
} from './deliveriesSql.ts';
import { type EndpointAct, noSuchEndpoint } from './endpoints.ts';

/** From `since` (inclusive) to `until` (exclusive). */
interface Window {
  since: Date;
  until: Date;
}

/** Which events of a window are queued: of these types (none: every type), and whether those that arrived are too. */
interface ReplayedEvents extends Window {
  eventTypes: readonly string[];
  delivered: boolean;
}

/** How far a replay has come. */
export interface ReplayProgress {
  /** The last event that was looked at; null: none yet. */
  after: string | null;
  scanned: number;
  queued: number;
}

export const REPLAY_START: ReplayProgress = { after: null, scanned: 0, queued: 0 };

/** Events per transaction: it locks the endpoint, so it stays short. */
const EVENTS_PER_TRANSACTION = 5_000;

/**
 * One step of a replay: queues the next events, in order of occurrence, in a transaction that holds the endpoint's row; or
 * with `now` null only counts them. Each delivery has the whole retry schedule ahead.
 */
async function replayStep(
  db: Queryable,
  now: Date | null,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  { since, until, eventTypes, delivered }: ReplayedEvents,
  { after, scanned, queued }: ReplayProgress,
): Promise<{ progress: ReplayProgress; done: boolean }> {
  const range = [
    businessId,
    endpointId,
    eventTypes,
    delivered,
    since,
    until,
    after ?? idBoundAt(since),
    idBoundAt(until),
    EVENTS_PER_TRANSACTION,
  ] as const;
  const [row] =
    now === null
      ? await countAgain(db, ...range)
      : // Slightly in the past, so that all are due at once, a microsecond apart.
        await queueAgain(db, ...range, earlier(now, SECOND), scanned, now);
  const step = row ?? { scanned: 0, last: null, queued: 0 };
  return {
    progress: { after: step.last ?? after, scanned: scanned + step.scanned, queued: queued + step.queued },
    done: step.scanned < EVENTS_PER_TRANSACTION,
  };
}

/** For the operator: queues the events of a time window that an endpoint missed. Returns the number of deliveries. */
export async function replayWindow(
  pool: Pool,
  clock: Clock,
  endpointId: string,
  window: Window,
): Promise<number> {
  for (let progress = REPLAY_START; ; ) {
    const step = await transaction(pool, async (tx) => {
      const { businessId, eventTypes } = await enabledEndpoint(tx, endpointId);
      const now = clock.now();
      if (progress === REPLAY_START) {
        const detail = { endpoint_id: endpointId, ...window };
        await recordAudit(tx, now, { businessId, actor: OPERATOR, action: 'endpoint.replayed', detail });
      }
      const events = { ...window, eventTypes, delivered: false };
      return replayStep(tx, now, { businessId, endpointId }, events, progress);
    });
    progress = step.progress;
    if (step.done) return progress.queued;
  }
}

/** Which events a merchant asks for. */
export interface ReplayWish extends Window {
  /** Null: the endpoint's own types. */
  types: readonly string[] | null;
  only: 'undelivered' | 'all';
}

/** A merchant's request. */
type ReplayRequest = EndpointAct & ReplayWish;

/**
 * One transaction of a merchant's replay. `undelivered` begins with the endpoint's creation: earlier events were
 * never meant for it.
 */
export async function replayForMerchant(
  tx: Queryable,
  now: Date,
  request: ReplayRequest,
  progress: ReplayProgress,
): Promise<{ progress: ReplayProgress; done: boolean }> {
  const { businessId, endpointId, since, until, types, only } = request;
  const [endpoint] = await lockOwnForReplay(tx, businessId, endpointId);
  const events = eventsFor(endpoint, request);
  if (progress.after === null) {
    await recordAudit(tx, now, {
      businessId,
      actor: actorOf(request),
      action: 'endpoint.replayed',
      detail: { endpoint_id: endpointId, since, until, types, only },
    });
  }
  return replayStep(tx, now, { businessId, endpointId }, events, progress);
}

/** A count looks at no more events than this, which takes about a second. */
const EVENTS_COUNTED_MAX = 200_000;

/** How many events a replay would queue now; `isWhole`: the whole window was looked at, else there may be more. */
export async function countForMerchant(
  db: Queryable,
  { businessId, endpointId }: { businessId: string; endpointId: string },
  wish: ReplayWish,
): Promise<{ count: number; isWhole: boolean }> {
  const [endpoint] = await findForReplay(db, businessId, endpointId);
  const events = eventsFor(endpoint, wish);
  for (let progress = REPLAY_START; ; ) {
    const step = await replayStep(db, null, { businessId, endpointId }, events, progress);
    progress = step.progress;
    if (step.done || progress.scanned >= EVENTS_COUNTED_MAX)
      return { count: progress.queued, isWhole: step.done };
  }
}

/** What a wish is for this endpoint; refused where it cannot be replayed to. */
function eventsFor(endpoint: ReplayedEndpoint | undefined, wish: ReplayWish): ReplayedEvents {
  if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
  const { since, until, types, only } = wish;
  const eventTypes = typesWithin(endpoint, types);
  if (endpoint.disabled) throw new ApiError('webhook.endpoint_disabled');
  const delivered = only === 'all';
  const from = delivered || endpoint.createdAt < since ? since : endpoint.createdAt;
  return { since: from, until, eventTypes, delivered };
}

function typesWithin({ eventTypes: taken }: ReplayedEndpoint, types: readonly string[] | null) {
  if (types === null) return taken;
  const faults = types.flatMap((type, index): Fault[] =>
    taken.length === 0 || taken.includes(type) ? [] : [notTaken(type, index)],
  );
  if (faults.length > 0) throw invalid(...faults);
  return types;
}

const notTaken = (type: string, index: number): Fault => ({
  type: 'value_error',
  loc: ['body', 'types', index],
  msg: 'Value error, the endpoint does not take this type',
  input: type,
});

/** For the operator: sends one event to an endpoint now, even if it was delivered before. */
export async function replayEvent(
  pool: Pool,
  clock: Clock,
  endpointId: string,
  eventId: string,
): Promise<void> {
  await transaction(pool, async (tx) => {
    const { businessId } = await enabledEndpoint(tx, endpointId);
    if (!(await queueOne(tx, clock.now(), { businessId, endpointId, eventId }, OPERATOR)))
      throw new OperatorError(`The business of this endpoint has no event with the id "${eventId}".`);
  });
}

/**
 * The same for the endpoint of a business. False: there was another attempt since the caller saw `attemptsSeen`, so the same
 * wish may have been fulfilled already. Null: there is no such event.
 */
export const replayOwnEvent = (
  pool: Pool,
  clock: Clock,
  act: EndpointAct & { eventId: string; attemptsSeen: number },
): Promise<boolean | null> =>
  transaction(pool, async (tx) => {
    const { businessId, endpointId, eventId, attemptsSeen } = act;
    const [endpoint] = await lockOwnForReplay(tx, businessId, endpointId);
    if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
    if (endpoint.disabled) throw new ApiError('webhook.endpoint_disabled');
    const attempts = await listAttempts(tx, businessId, endpointId, eventId);
    if (attempts.length !== attemptsSeen) return false;
    return (await queueOne(tx, clock.now(), act, actorOf(act))) ? true : null;
  });

/** False: there is no such event. */
async function queueOne(
  tx: Queryable,
  now: Date,
  { businessId, endpointId, eventId }: { businessId: string; endpointId: string; eventId: string },
  actor: string,
): Promise<boolean> {
  const [queued] = await queueEvent(tx, businessId, endpointId, eventId, now);
  if (!queued) return false;
  const detail = { endpoint_id: endpointId, event_id: eventId };
  await recordAudit(tx, now, { businessId, actor, action: 'endpoint.replayed', detail });
  return true;
}

async function enabledEndpoint(tx: Queryable, endpointId: string) {
  const [owner] = await findEndpoint(tx, endpointId);
  const [endpoint] = owner ? await lockOwnForReplay(tx, owner.businessId, endpointId) : [];
  if (!endpoint) throw noSuchEndpoint(endpointId);
  if (endpoint.disabled) {
    throw new OperatorError(`The endpoint "${endpointId}" is disabled: enable it first.`);
  }
  return endpoint;
}
