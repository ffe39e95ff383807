import { createHmac } from 'node:crypto';
import type { TrackingStatus } from '../../contract/orders.ts';
import { at, listAt, textAt } from '../../kit/json.ts';
import type { TrackingKind } from './kind.ts';
import {
  type Checkpoint,
  describeCall,
  type History,
  jsonOf,
  placeOf,
  provedBy,
  readHistory,
  withParcelStatus,
} from './trackingHistory.ts';

/** https://www.aftership.com/docs/tracking/webhook/webhook-specifications */
export const aftership: TrackingKind = {
  name: 'aftership',
  title: 'AfterShip',
  needs: { secret: 'entered', store: 'none', credentials: 'api_key' },
  keptHeaders: [],

  verify(call, { secrets }) {
    const sign = (secret: string) => createHmac('sha256', secret).update(call.body).digest('base64');
    return provedBy(secrets, call.header('aftership-hmac-sha256'), sign) ? 'genuine' : 'refused';
  },

  describe({ body }) {
    const json = jsonOf(body);
    return describeCall(textAt(json, 'event'), textAt(json, 'event_id'), body);
  },

  read: (call) => readHistory(call, historyOf),
};

/** Its tags, and the subtags that say more. Those that are not here tell nothing: `Pending`, `Expired`. */
const TAGS = new Map<string | null, TrackingStatus>([
  ['InfoReceived', 'label_created'],
  ['InTransit', 'in_transit'],
  ['OutForDelivery', 'out_for_delivery'],
  ['AttemptFail', 'delivery_attempted'],
  ['AvailableForPickup', 'available_for_pickup'],
  ['Delivered', 'delivered'],
  ['Exception', 'exception'],
]);
const SUBTAGS = new Map<string | null, TrackingStatus>([
  ['InTransit_002', 'picked_up'],
  ['Exception_011', 'returned'],
]);

const historyOf = (json: unknown): History => ({
  trackingNumber: textAt(json, 'msg', 'tracking_number'),
  checkpoints: withParcelStatus(
    listAt(json, 'msg', 'checkpoints').map(checkpointOf),
    statusOf(at(json, 'msg')),
  ),
});

const statusOf = (tagged: unknown): TrackingStatus | null =>
  SUBTAGS.get(textAt(tagged, 'subtag')) ?? TAGS.get(textAt(tagged, 'tag')) ?? null;

const checkpointOf = (checkpoint: unknown): Checkpoint & { saysStatus: boolean } => ({
  status: statusOf(checkpoint),
  saysStatus: textAt(checkpoint, 'tag') !== null,
  time: textAt(checkpoint, 'checkpoint_time'),
  description: textAt(checkpoint, 'message'),
  location:
    textAt(checkpoint, 'location') ||
    placeOf(
      textAt(checkpoint, 'city'),
      textAt(checkpoint, 'state'),
      textAt(checkpoint, 'country_name') ?? textAt(checkpoint, 'country_region_name'),
    ),
});
