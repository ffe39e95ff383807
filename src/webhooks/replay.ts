import { actorOf, OPERATOR } from '../businesses/audit.ts';
import { ONLY_BY_NAME } from '../contract/eventTypes.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { answerInSteps, type KeyClaim, type OnceResult } from '../idempotency/idempotency.ts';
import { type Clock, earlier, SECOND } from '../kit/clock.ts';
import { ApiError, type Fault, invalid, OperatorError } from '../kit/errors.ts';
import { idBoundAt, newId } from '../kit/ids.ts';
import type { EndpointRef } from './claimShares.ts';
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
import { auditEndpoint, noSuchEndpoint, type OwnEndpointRequest } from './endpoints.ts';
import { addToReplay } from './replaysSql.ts';

/** From `since` (inclusive) to `until` (exclusive). */
interface Window {
  since: Date;
  until: Date;
}

/** Which events of a window are queued: of these types (none: see `typesByDefault`), and whether those that arrived are too. */
interface ReplayedEvents extends Window {
  eventTypes: readonly string[];
  delivered: boolean;
}

interface ReplayProgress {
  /** Null: not begun. */
  id: string | null;
  /** The last event that was looked at; null: none yet. */
  after: string | null;
  scanned: number;
  queued: number;
}

const REPLAYED = 'endpoint.replayed';
export const REPLAY_START: ReplayProgress = { id: null, after: null, scanned: 0, queued: 0 };

/** Events per transaction: it locks the endpoint, so it stays short. */
const EVENTS_PER_TRANSACTION = 5_000;

/**
 * One step of a replay: queues the next events, in order of occurrence, in a transaction that holds the endpoint's row; or
 * with `now` null only counts them. Each delivery has the whole retry schedule ahead.
 */
async function replayStep(
  db: Queryable,
  now: Date | null,
  { businessId, endpointId }: EndpointRef,
  { since, until, eventTypes, delivered }: ReplayedEvents,
  { id: begun, after, scanned, queued }: ReplayProgress,
) {
  const id = begun ?? newId(now ?? since);
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
        await queueAgain(db, ...range, earlier(now, SECOND), scanned, now, id);
  const step = row ?? { scanned: 0, last: null, queued: 0 };
  if (now !== null && step.queued > 0)
    await addToReplay(db, businessId, endpointId, id, since, until, now, step.queued);
  return {
    progress: {
      id,
      after: step.last ?? after,
      scanned: scanned + step.scanned,
      queued: queued + step.queued,
    },
    done: step.scanned < EVENTS_PER_TRANSACTION,
  };
}

/** For the operator: queues the events of a time window that an endpoint missed. Returns the number of deliveries. */
export async function replayWindow(pool: Pool, clock: Clock, endpointId: string, window: Window) {
  for (let progress = REPLAY_START; ; ) {
    const step = await transaction(pool, async (tx) => {
      const { businessId, eventTypes } = await enabledEndpoint(tx, endpointId);
      const now = clock.now();
      const endpoint = { businessId, endpointId };
      if (progress === REPLAY_START)
        await auditEndpoint(tx, now, endpoint, { actor: OPERATOR, action: REPLAYED, ...window });
      const events = { ...window, eventTypes, delivered: false };
      return replayStep(tx, now, endpoint, events, progress);
    });
    progress = step.progress;
    if (step.done) return progress.queued;
  }
}

export interface ReplayRequest extends Window {
  /** Null: the endpoint's own types. */
  types: readonly string[] | null;
  only: 'undelivered' | 'all';
}

/** One transaction of a replay. `undelivered` begins with the endpoint's creation: earlier events were never meant for it. */
export async function replayForMerchant(
  tx: Queryable,
  now: Date,
  request: OwnEndpointRequest & ReplayRequest,
  progress: ReplayProgress,
) {
  const { since, until, types, only } = request;
  const [endpoint] = await lockOwnForReplay(tx, request.businessId, request.endpointId);
  const events = eventsFor(endpoint, request);
  const entry = { actor: actorOf(request), action: REPLAYED, since, until, types, only };
  if (progress.after === null) await auditEndpoint(tx, now, request, entry);
  return replayStep(tx, now, request, events, progress);
}

/** `until` null: up to now. */
type OpenReplay = OwnEndpointRequest & Omit<ReplayRequest, 'until'> & { until: Date | null };

/** A merchant's replay, once per idempotency key, in as many transactions as it takes. The answer says how much was queued. */
export const replayOnce = (
  { pool, clock }: { pool: Pool; clock: Clock },
  claim: KeyClaim,
  { until: end, ...request }: OpenReplay,
) =>
  answerInSteps<OnceResult & { queued: number }>(pool, claim, async (tx, stored) => {
    // A window that ends now ends at the same moment in every step.
    const begun = stored === null ? { ...REPLAY_START, until: end ?? claim.now } : readProgress(stored);
    const { until, ...before } = begun;
    const { progress, done } = await replayForMerchant(tx, clock.now(), { ...request, until }, before);
    if (!done) return { progress: JSON.stringify({ until, ...progress }) };
    const { queued } = progress;
    return { done: { status: 202, body: JSON.stringify({ queued }), recipientId: null, queued } };
  });

function readProgress(stored: string) {
  const { until, ...progress }: ReplayProgress & { until: string } = JSON.parse(stored);
  return { ...progress, until: new Date(until) };
}

/** A count looks at no more events than this, which takes about a second. */
const EVENTS_COUNTED_MAX = 200_000;

/** How many events a replay would queue now; `isWhole`: the whole window was looked at, else there may be more. */
export async function countForMerchant(db: Queryable, ref: EndpointRef, request: ReplayRequest) {
  const [endpoint] = await findForReplay(db, ref.businessId, ref.endpointId);
  const events = eventsFor(endpoint, request);
  for (let progress = REPLAY_START; ; ) {
    const step = await replayStep(db, null, ref, events, progress);
    progress = step.progress;
    if (step.done || progress.scanned >= EVENTS_COUNTED_MAX)
      return { count: progress.queued, isWhole: step.done };
  }
}

/** The events of a request for this endpoint; refused where nothing can be replayed to it. */
function eventsFor(endpoint: ReplayedEndpoint | undefined, request: ReplayRequest): ReplayedEvents {
  if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
  const { since, until, types, only } = request;
  const eventTypes = typesWithin(endpoint, types);
  if (endpoint.disabled) throw new ApiError('webhook.endpoint_disabled');
  const delivered = only === 'all';
  const from = delivered || endpoint.createdAt < since ? since : endpoint.createdAt;
  return { since: from, until, eventTypes, delivered };
}

function typesWithin({ eventTypes: taken }: ReplayedEndpoint, types: readonly string[] | null) {
  if (types === null) return taken;
  const faults = types.flatMap((type, index): Fault[] =>
    taken.includes(type) || (taken.length === 0 && !ONLY_BY_NAME.includes(type))
      ? []
      : [notTaken(type, index)],
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
export async function replayEvent(pool: Pool, clock: Clock, endpointId: string, eventId: string) {
  await transaction(pool, async (tx) => {
    const { businessId } = await enabledEndpoint(tx, endpointId);
    if (!(await queueOne(tx, clock.now(), { businessId, endpointId, eventId }, OPERATOR)))
      throw new OperatorError(`The business of this endpoint has no event with the id "${eventId}".`);
  });
}

/**
 * The same for the endpoint of a business. False: there was another attempt since the caller saw `attemptsSeen`, so the same
 * request may have come before. Null: there is no such event.
 */
export const replayOwnEvent = (
  pool: Pool,
  clock: Clock,
  request: OwnEndpointRequest & { eventId: string; attemptsSeen: number },
): Promise<boolean | null> =>
  transaction(pool, async (tx) => {
    const { businessId, endpointId, eventId, attemptsSeen } = request;
    const [endpoint] = await lockOwnForReplay(tx, businessId, endpointId);
    if (!endpoint) throw new ApiError('webhook.endpoint_not_found');
    if (endpoint.disabled) throw new ApiError('webhook.endpoint_disabled');
    const attempts = await listAttempts(tx, businessId, endpointId, eventId);
    if (attempts.length !== attemptsSeen) return false;
    return (await queueOne(tx, clock.now(), request, actorOf(request))) ? true : null;
  });

/** False: there is no such event. */
async function queueOne(
  tx: Queryable,
  now: Date,
  { eventId, ...ref }: EndpointRef & { eventId: string },
  actor: string,
): Promise<boolean> {
  const [queued] = await queueEvent(tx, ref.businessId, ref.endpointId, eventId, now);
  if (!queued) return false;
  await auditEndpoint(tx, now, ref, { actor, action: REPLAYED, event_id: eventId });
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
