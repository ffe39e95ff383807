import type { OrderStatus } from '../contract/orderStatuses.ts';
import type { TrackingStatus } from '../contract/orders.ts';
import { milestoneStatus } from './trackingStatus.ts';

/** Where an order can be: what carriers report has the status of the message that it makes, if it makes one. */
export type Step = OrderStatus | 'returned';

export interface Progress {
  status: Step;
  /** Empty when the only status so far is a delay. */
  steps: { status: Step; reached: boolean }[];
}

/** The step that a tracking event tells of. */
export const stepOf = (status: TrackingStatus): Step => milestoneStatus(status) ?? 'returned';

/** The usual route of a parcel. A status implies those before it. */
const BY_PARCEL: readonly Step[] = ['confirmed', 'shipped', 'in_transit', 'out_for_delivery', 'delivered'];
/** What the person collects may have travelled to where it waits. */
const BEFORE_PICKUP: readonly Step[] = ['shipped', 'in_transit'];
/** The other final statuses. */
const ENDS: readonly Step[] = ['cancelled', 'returned', 'refunded'];

/** The order's progress from its statuses, newest first; null when there are none. */
export function progressOf(statuses: readonly Step[]): Progress | null {
  const [status] = statuses;
  if (status === undefined) return null;
  const route = routeOf(statuses);
  if (ENDS.includes(status)) {
    const passed = route.slice(0, furthest(route, statuses) + 1);
    const ended = ENDS.filter((end) => end === status || statuses.includes(end));
    return { status, steps: [...passed, ...ended].map((step) => ({ status: step, reached: true })) };
  }
  const at = route.includes(status) ? route.indexOf(status) : furthest(route, statuses);
  if (at < 0) return { status, steps: [] };
  return { status, steps: route.map((step, index) => ({ status: step, reached: index <= at })) };
}

function routeOf(statuses: readonly Step[]): readonly Step[] {
  if (!statuses.includes('ready_for_pickup')) return BY_PARCEL;
  const travelled = BEFORE_PICKUP.filter((step) => statuses.includes(step));
  return ['confirmed', ...travelled, 'ready_for_pickup', 'delivered'];
}

/** A delay leaves the order at the furthest step so far; an attempt to deliver it was its way out for delivery. */
const furthest = (route: readonly Step[], statuses: readonly Step[]): number =>
  Math.max(
    -1,
    ...statuses.map((status) => route.indexOf(status === 'delivery_attempted' ? 'out_for_delivery' : status)),
  );
