import type { OrderStatus } from '../contract/orderStatuses.ts';
import { type TrackingStatus, trackingStatuses } from '../contract/orders.ts';

const MILESTONES = {
  label_created: 'shipped',
  picked_up: 'shipped',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivery_attempted: 'delivery_attempted',
  available_for_pickup: 'ready_for_pickup',
  delivered: 'delivered',
  delayed: 'delayed',
  exception: 'delayed',
  returned: null,
} as const satisfies Record<TrackingStatus, OrderStatus | null>;

/** The order status of the message that a tracking event makes; null: this one makes none. */
export const milestoneStatus = (status: TrackingStatus): OrderStatus | null => MILESTONES[status];

/** The tracking statuses that can nudge. */
export const NUDGING_STATUSES = trackingStatuses.filter((status) => milestoneStatus(status) !== null);
