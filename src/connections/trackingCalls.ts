import { DAY, HOUR, later, SECOND } from '../kit/clock.ts';
import { parseJsonText, textAt } from '../kit/json.ts';
import type { CallToHandle, HandleDeps } from './calls.ts';
import type { CarrierFacts } from './facts.ts';
import type { TrackingKind } from './kinds/kind.ts';
import { refusalCode } from './refusal.ts';
import { type CallResult, result } from './results.ts';
import { callOfOurs } from './storePush.ts';
import { type FoundShipment, findShipmentByNumber } from './trackingCallsSql.ts';

/** How long a parcel that nobody has named is waited for. */
const WAIT_FOR_SHIPMENT_MS = 7 * DAY;
const LOOK_EVERY_MIN_MS = SECOND;
const LOOK_EVERY_MAX_MS = HOUR;
const LOOK_AFTER_SHARE = 0.1;

/** Handles the call of a tracking service: the events of a parcel's history that are new are reported. */
export async function handleTrackingCall(
  deps: HandleDeps,
  kind: TrackingKind,
  handled: CallToHandle,
): Promise<CallResult> {
  const { call, business } = handled;
  const reading = kind.read(call);
  if (reading.kind === 'not_understood') return result('not_understood', { reason: reading.reason });
  if (reading.kind === 'nothing')
    return result('nothing_to_tell', { reason: reading.reason, orderNumber: reading.order });
  const { facts } = reading;
  const [shipment] = await findShipmentByNumber(deps.pool, business.id, facts.trackingNumber);
  if (!shipment) return waitForShipment(deps, handled);
  if (!business.active)
    return result('refused', { reason: 'business.inactive', orderNumber: shipment.reference });
  return { ...(await reportNew(deps, handled, facts, shipment)), orderNumber: shipment.reference };
}

/** The longer a parcel has been waited for, the less often it is looked for. */
function waitForShipment({ clock }: HandleDeps, { call }: CallToHandle): CallResult {
  const now = clock.now();
  const waitedMs = now.getTime() - call.receivedAt.getTime();
  const pauseMs = Math.min(Math.max(waitedMs * LOOK_AFTER_SHARE, LOOK_EVERY_MIN_MS), LOOK_EVERY_MAX_MS);
  const retryAt = later(now, pauseMs);
  return retryAt > later(call.receivedAt, WAIT_FOR_SHIPMENT_MS)
    ? result('nothing_to_tell', { reason: 'unknown_shipment' })
    : result('nothing_to_tell', { reason: 'waits_for_shipment', retryAt });
}

/** Only the last event can nudge: those before it are history. */
async function reportNew(
  { tracking }: HandleDeps,
  { business, connection, isWatched }: CallToHandle,
  { trackingNumber, events }: CarrierFacts,
  { reference, stored }: FoundShipment,
): Promise<CallResult> {
  const known = new Set(stored ?? []);
  const last = events.at(-1);
  const fresh = events.filter(({ status, at }) => !known.has(eventName(status, at)));
  if (fresh.length === 0) return result('nothing_to_tell', { reason: 'no_change' });
  const reports = fresh.map(async (event) => {
    const { status, at } = event;
    const parts = [reference, trackingNumber, status, at.toISOString()];
    const isQuiet = isWatched || event !== last;
    const { body } = await tracking.report({
      ...callOfOurs(business.id, connection.id, parts),
      reference,
      event: { ...event, trackingNumber, recipientEmail: null, isQuiet },
    });
    return textAt(parseJsonText(body), 'message_id');
  });
  const settled = await Promise.allSettled(reports);
  const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [refusalCode(one.reason)] : []));
  const messageId =
    settled
      .flatMap((one) => (one.status === 'fulfilled' ? [one.value ?? []] : []))
      .flat()
      .at(0) ?? null;
  if (messageId !== null) return result('pushed', { messageId });
  return refusals[0] === undefined
    ? result('nothing_to_tell', { reason: isWatched ? 'watched' : 'event_stored' })
    : result('refused', { reason: refusals[0] });
}

const eventName = (status: string, at: Date): string => `${status} ${at.getTime()}`;
