import { createHmac } from 'node:crypto';
import type { TrackingStatus } from '../../contract/orders.ts';
import { listAt, textAt } from '../../kit/json.ts';
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

/** https://docs.easypost.com/guides/webhooks-guide */
export const easypost: TrackingKind = {
  name: 'easypost',
  title: 'EasyPost',
  needs: { secret: 'made', store: 'none', credentials: 'api_key' },
  keptHeaders: [],

  verify(call, { secrets }) {
    const sign = (secret: string) =>
      `hmac-sha256-hex=${createHmac('sha256', secret.normalize('NFKD')).update(call.body).digest('hex')}`;
    return provedBy(secrets, call.header('x-hmac-signature'), sign) ? 'genuine' : 'refused';
  },

  describe({ body }) {
    const json = jsonOf(body);
    return describeCall(textAt(json, 'description'), textAt(json, 'id'), body);
  },

  read: (call) => readHistory(call, historyOf),
};

/** Its statuses. Those that are not here tell nothing: `unknown`, `cancelled`, `error`. */
const STATUSES = new Map<string | null, TrackingStatus>([
  ['pre_transit', 'label_created'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['available_for_pickup', 'available_for_pickup'],
  ['delivered', 'delivered'],
  ['return_to_sender', 'returned'],
  ['failure', 'exception'],
]);

function historyOf(json: unknown): History | string {
  if (textAt(json, 'description')?.startsWith('tracker.') !== true) return 'other_event';
  return {
    trackingNumber: textAt(json, 'result', 'tracking_code'),
    checkpoints: withParcelStatus(
      listAt(json, 'result', 'tracking_details').map(checkpointOf),
      STATUSES.get(textAt(json, 'result', 'status')) ?? null,
    ),
  };
}

const checkpointOf = (detail: unknown): Checkpoint & { saysStatus: boolean } => ({
  status: STATUSES.get(textAt(detail, 'status')) ?? null,
  saysStatus: textAt(detail, 'status') !== null,
  time: textAt(detail, 'datetime'),
  description: textAt(detail, 'message'),
  location: placeOf(
    textAt(detail, 'tracking_location', 'city'),
    textAt(detail, 'tracking_location', 'state'),
    textAt(detail, 'tracking_location', 'country'),
  ),
});
