import { PAGE_DEFAULT, PAGE_MAX } from '../config/limits.ts';
import type { ListedOrder, OrderView, ShipmentView } from '../contract/orders.ts';
import type { Queryable } from '../db/statement.ts';
import { later } from '../kit/clock.ts';
import { AFTER_EVERY_ID, idBoundAt } from '../kit/ids.ts';
import { pageCursors } from '../kit/pageCursor.ts';
import { catchUp, type ProjectorDeps } from './projector.ts';
import {
  findOrder,
  type ListedOrderRow,
  messagesOfOrder,
  ORDERS_OF_PERSON_MAX,
  pageOfOrders,
  pageOfPerson,
  pageOfStatus,
  recipientsOfOrder,
  type ShipmentRow,
  shipmentsOfOrder,
} from './readsSql.ts';

export const orderCursors = pageCursors('order list');

/** What to list; null: everything. */
export interface OrderFilters {
  status: string | null;
  /** Normalised. */
  recipientEmail: string | null;
  /** Exclusive. */
  updatedAfter: Date | null;
}

export interface OrdersRequest extends OrderFilters {
  /** Any integer, clamped; null: the default. */
  limit: number | null;
  /** The change that `orderCursors` read; null: start at the newest. */
  before: string | null;
}

/** A page of a business's orders, newest change first, with what was written before. */
export async function listOrders(deps: ProjectorDeps, businessId: string, query: OrdersRequest) {
  await catchUp(deps, businessId);
  return readOrderPage(deps.pool, businessId, query);
}

/** A page by the index of the narrowest filter. Changes begin with their time, so `updatedAfter` is a range of each. */
export async function readOrderPage(
  db: Queryable,
  businessId: string,
  { limit, before, status, recipientEmail, updatedAfter }: OrdersRequest,
): Promise<{ items: ListedOrder[]; next_cursor: string | null }> {
  const size = Math.min(Math.max(limit ?? PAGE_DEFAULT, 1), PAGE_MAX);
  const from = updatedAfter === null ? '' : idBoundAt(later(updatedAfter, 1));
  const range = [businessId, from, before ?? AFTER_EVERY_ID] as const;
  // One extra row shows whether there is a next page.
  const rows = await (recipientEmail !== null
    ? pageOfPerson(db, ...range, recipientEmail, ORDERS_OF_PERSON_MAX, size + 1, status)
    : status !== null
      ? pageOfStatus(db, ...range, status, size + 1)
      : pageOfOrders(db, ...range, size + 1));
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: shown.map(listed),
    next_cursor: rows.length > size && last ? orderCursors.at(last.change_id) : null,
  };
}

/** An order with all that is known of it, with what was written before; null: nothing names it. */
export async function viewOrder(deps: ProjectorDeps, businessId: string, reference: string) {
  await catchUp(deps, businessId);
  return loadOrder(deps.pool, businessId, reference);
}

export async function loadOrder(
  db: Queryable,
  businessId: string,
  reference: string,
): Promise<OrderView | null> {
  const of = [businessId, reference] as const;
  const [order] = await findOrder(db, ...of);
  if (!order) return null;
  const recipients = await recipientsOfOrder(db, ...of);
  const shipments = await shipmentsOfOrder(db, ...of, null);
  const messages = await messagesOfOrder(db, ...of);
  return {
    reference,
    status: order.status,
    status_at: order.status_at?.toISOString() ?? null,
    recipients: recipients.map(({ email }) => email),
    shipments: shipments.map(shipmentView),
    messages: messages.map(({ created_at, ...message }) => ({
      ...message,
      created_at: created_at.toISOString(),
    })),
  };
}

export async function viewShipment(
  db: Queryable,
  businessId: string,
  reference: string,
  trackingNumber: string,
): Promise<ShipmentView | null> {
  const [shipment] = await shipmentsOfOrder(db, businessId, reference, trackingNumber);
  return shipment ? shipmentView(shipment) : null;
}

const listed = ({ reference, status, status_at, updated_at }: ListedOrderRow): ListedOrder => ({
  reference,
  status,
  status_at: status_at?.toISOString() ?? null,
  updated_at: updated_at.toISOString(),
});

const shipmentView = ({ status_at, events, ...shipment }: ShipmentRow): ShipmentView => ({
  ...shipment,
  status_at: status_at?.toISOString() ?? null,
  events: events.map(({ at, ...event }) => ({ at: new Date(at).toISOString(), ...event })),
});
