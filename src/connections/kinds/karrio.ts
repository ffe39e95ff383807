import type { TrackingStatus } from '../../contract/orders.ts';
import { listAt, textAt } from '../../kit/json.ts';
import type { TrackingKind } from './kind.ts';
import {
  type Checkpoint,
  describeCall,
  type History,
  jsonOf,
  provedBy,
  readHistory,
  withParcelStatus,
} from './trackingHistory.ts';

/** https://docs.karrio.io/product/webhooks */
export const karrio: TrackingKind = {
  name: 'karrio',
  title: 'karrio',
  // Often a server of the shop's own.
  needs: { secret: 'entered', store: 'optional', credentials: 'api_key' },
  keptHeaders: [],

  // It signs nothing. The header that is named after an id carries the webhook's secret.
  verify: (call, { secrets }) =>
    provedBy(secrets, call.header('x-event-id'), (secret) => secret) ? 'genuine' : 'refused',

  describe: ({ body }) => describeCall(textAt(jsonOf(body), 'event'), null, body),

  read: (call) => readHistory(call, historyOf),
};

/** Its statuses. Those that are not here tell nothing: `unknown`, `cancelled`. */
const STATUSES = new Map<string | null, TrackingStatus>([
  ['pending', 'label_created'],
  ['picked_up', 'picked_up'],
  ['in_transit', 'in_transit'],
  ['on_hold', 'delayed'],
  ['delivery_delayed', 'delayed'],
  ['out_for_delivery', 'out_for_delivery'],
  ['ready_for_pickup', 'available_for_pickup'],
  ['delivery_failed', 'exception'],
  ['delivered', 'delivered'],
  ['return_to_sender', 'returned'],
]);

function historyOf(json: unknown): History | string {
  if (textAt(json, 'event')?.startsWith('tracker_') !== true) return 'other_event';
  return { trackingNumber: textAt(json, 'data', 'tracking_number'), checkpoints: checkpointsOf(json) };
}

/** Older versions name only the parcel's status. */
const checkpointsOf = (json: unknown): Checkpoint[] =>
  withParcelStatus(
    listAt(json, 'data', 'events').map((event) => ({
      status: STATUSES.get(textAt(event, 'status')) ?? null,
      saysStatus: textAt(event, 'status') !== null,
      time: timeOf(event),
      description: textAt(event, 'description'),
      location: textAt(event, 'location'),
    })),
    STATUSES.get(textAt(json, 'data', 'status')) ?? null,
  );

const CLOCK = /^(\d?\d):(\d\d)(:\d\d)?\s*([AP]M)?$/i;

/** Such as `2026-03-05` and `04:20 PM`, which may also be `16:20 PM`; newer versions have a timestamp, too. */
function timeOf(event: unknown): string | null {
  const timestamp = textAt(event, 'timestamp');
  if (timestamp !== null && timestamp !== '') return timestamp;
  const day = textAt(event, 'date');
  const [clock, hour, minute, second = '', half] = CLOCK.exec(textAt(event, 'time')?.trim() ?? '') ?? [];
  if (day === null || clock === undefined) return day;
  const hours =
    half === undefined || Number(hour) > 12
      ? Number(hour)
      : (Number(hour) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0);
  return `${day}T${String(hours).padStart(2, '0')}:${minute}${second}`;
}
