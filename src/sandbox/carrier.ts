import { listKeys } from '../businesses/keysSql.ts';
import { readSettings } from '../businesses/sql.ts';
import type { TrackingResult, TrackingStatus } from '../contract/orders.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { randomToken, sha256 } from '../kit/ids.ts';
import { shipmentsOfOrder } from '../orders/readsSql.ts';
import type { Tracking } from '../tracking/tracking.ts';

/** What a carrier reports of a shipment (`POST /sandbox/tracking`). */
export interface CarrierReport {
  businessId: string;
  reference: string;
  trackingNumber: string;
  status: TrackingStatus;
}

/** The message that tells an event, or why none does. */
type Followed = { messageId: string } | { untold: 'not_first' | 'not_chosen' | 'told_by_hand' };

interface CarrierDeps {
  pool: Pool;
  clock: Clock;
  tracking: Tracking;
}

/**
 * Reports that something happened now, with a key of the business, as its own program would. Null: the order has no such shipment.
 */
export async function carrierReports(
  { pool, clock, tracking }: CarrierDeps,
  { businessId, reference, trackingNumber, status }: CarrierReport,
): Promise<{ result: TrackingResult; followed: Followed } | null> {
  const [shipment] = await shipmentsOfOrder(pool, businessId, reference, trackingNumber);
  if (!shipment) return null;
  const now = clock.now();
  const key = `sandbox-${randomToken()}`;
  const { body } = await tracking.report({
    businessId,
    keyId: await reportingKey(pool, businessId),
    key,
    fingerprint: sha256(key).toString('hex'),
    bytes: 0,
    reference,
    event: {
      trackingNumber,
      status,
      // A program may report what is still to come; an event before that would be late.
      at: shipment.status_at !== null && shipment.status_at > now ? shipment.status_at : now,
      description: null,
      location: null,
      recipientEmail: null,
      isQuiet: false,
    },
  });
  const result: TrackingResult = JSON.parse(body);
  const [business] = await readSettings(pool, [businessId]);
  return { result, followed: followedBy(result, business?.trackingNudges ?? []) };
}

async function reportingKey(pool: Pool, businessId: string): Promise<string> {
  const key = (await listKeys(pool, businessId)).find(({ access }) => access !== 'read');
  if (key === undefined)
    throw new ApiError('key.not_permitted', 'No API key of this business may report: create one.');
  return key.id;
}

/** The event is never late, since it is dated now. */
function followedBy(
  { status, is_first, message_id }: TrackingResult,
  trackingNudges: readonly TrackingStatus[],
): Followed {
  if (message_id !== null) return { messageId: message_id };
  if (!is_first) return { untold: 'not_first' };
  return { untold: trackingNudges.includes(status) ? 'told_by_hand' : 'not_chosen' };
}
