import { createHmac } from 'node:crypto';
import type { TrackingStatus } from '../../contract/orders.ts';
import { MINUTE, SECOND } from '../../kit/clock.ts';
import { at, listAt, textAt } from '../../kit/json.ts';
import type { Proof, RawCall, TrackingKind } from './kind.ts';
import {
  type Checkpoint,
  describeCall,
  type History,
  jsonOf,
  placeOf,
  provedBy,
  readHistory,
} from './trackingHistory.ts';

/** https://docs.goshippo.com/docs/tracking/webhooks */
export const shippo: TrackingKind = {
  name: 'shippo',
  title: 'Shippo',
  needs: { secret: 'made', store: 'none', credentials: 'api_key' },
  keptHeaders: [],

  // Shippo signs for accounts that asked for it. A call with a signature is proved by that alone.
  verify(call, proof) {
    const signature = call.header('shippo-auth-signature');
    const proved = signature === undefined ? hasToken(call, proof) : isSigned(call, proof, signature);
    return proved ? 'genuine' : 'refused';
  },

  describe: ({ body }) => describeCall(textAt(jsonOf(body), 'event'), null, body),

  read: (call) => readHistory(call, historyOf),
};

/** Shippo takes shorter addresses only. */
const ADDRESS_BELOW = 200;

/** The address that is entered at Shippo; null: Shippo would refuse it as too long. */
export function addressWithToken(address: string, secret: string): string | null {
  const whole = `${address}?token=${encodeURIComponent(secret)}`;
  return whole.length < ADDRESS_BELOW ? whole : null;
}

function hasToken({ query }: RawCall, { secrets }: Proof): boolean {
  const tokens = query.getAll('token');
  return tokens.length === 1 && provedBy(secrets, tokens[0], (secret) => secret);
}

const SIGNATURE = /^t=(\d{1,12}),\s*v1=([0-9a-f]{64})$/i;
const TOLERANCE_MS = 5 * MINUTE;

function isSigned({ body }: RawCall, { secrets, now }: Proof, signature: string): boolean {
  const [, time, digest] = SIGNATURE.exec(signature.trim()) ?? [];
  if (time === undefined || Math.abs(now.getTime() - Number(time) * SECOND) > TOLERANCE_MS) return false;
  return provedBy(secrets, digest?.toLowerCase(), (secret) =>
    createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex'),
  );
}

/** Its statuses, and the substatuses that say more. `UNKNOWN` tells nothing. */
const STATUSES = new Map<string | null, TrackingStatus>([
  ['PRE_TRANSIT', 'label_created'],
  ['TRANSIT', 'in_transit'],
  ['DELIVERED', 'delivered'],
  ['RETURNED', 'returned'],
  ['FAILURE', 'exception'],
]);
const TRANSIT_SUBSTATUSES = new Map<string | null, TrackingStatus>([
  ['package_accepted', 'picked_up'],
  ['out_for_delivery', 'out_for_delivery'],
  ['delivery_attempted', 'delivery_attempted'],
  ['notice_left', 'delivery_attempted'],
  ['pickup_available', 'available_for_pickup'],
  ['delayed', 'delayed'],
]);

function historyOf(json: unknown): History | string {
  if (textAt(json, 'event') !== 'track_updated') return 'other_event';
  if (at(json, 'test') === true) return 'test_event';
  return {
    trackingNumber: textAt(json, 'data', 'tracking_number'),
    checkpoints: withNewest(
      listAt(json, 'data', 'tracking_history').map(checkpointOf),
      checkpointOf(at(json, 'data', 'tracking_status')),
    ),
  };
}

/** The newest step stands beside the history, too, and should be in it. */
const withNewest = (history: Checkpoint[], newest: Checkpoint): Checkpoint[] =>
  newest.time === null || history.some(({ time, status }) => time === newest.time && status === newest.status)
    ? history
    : [...history, newest];

const checkpointOf = (entry: unknown): Checkpoint => ({
  status: statusOf(textAt(entry, 'status'), textAt(entry, 'substatus', 'code')),
  time: textAt(entry, 'status_date'),
  description: textAt(entry, 'status_details'),
  location: placeOf(
    textAt(entry, 'location', 'city'),
    textAt(entry, 'location', 'state'),
    textAt(entry, 'location', 'country'),
  ),
});

const statusOf = (status: string | null, substatus: string | null): TrackingStatus | null =>
  (status === 'TRANSIT' ? TRANSIT_SUBSTATUSES.get(substatus) : undefined) ?? STATUSES.get(status) ?? null;
