import type { DeliveryList, DeliveryStatus } from '../contract/endpoints.ts';
import type { Queryable } from '../db/statement.ts';
import { AFTER_EVERY_ID } from '../kit/ids.ts';
import type { EndpointRef } from './claimShares.ts';
import type { ListedDeliveryRow } from './deliveriesSql.ts';
import { deliveryCursors, listEndpointDeliveries, listedDelivery, statesOf } from './deliveryLog.ts';
import {
  deliveriesOfEvents,
  deliveriesOfType,
  endOfEventsScan,
  eventsOfOrder,
  peopleOfOrder,
} from './findDeliveriesSql.ts';

export interface DeliveriesSearch {
  status: DeliveryStatus | null;
  type: string | null;
  /** The reference of an order. */
  order: string | null;
  limit: number;
  /** The event id that a cursor holds; null: start at the newest. */
  before: string | null;
}

export interface FoundDeliveries extends DeliveryList {
  /** The customers of the order have more events than were looked at. */
  isCut: boolean;
}

/** No index has the type of an event, so a page of one type looks at no more than this many events. */
export const EVENTS_SCANNED_MAX = 10_000;
const MESSAGES_OF_ORDER_MAX = 1_000;

/** A page of what was sent to an endpoint, newest event first, of one type of event and about one order where these are named. */
export async function findDeliveries(
  db: Queryable,
  ref: EndpointRef,
  search: DeliveriesSearch,
): Promise<FoundDeliveries> {
  const { type, order } = search;
  if (order !== null) return ofOrder(db, ref, search, order);
  if (type !== null) return ofType(db, ref, search, type);
  return { ...(await listEndpointDeliveries(db, ref, search)), isCut: false };
}

/** One row more than the page shows whether there is a next page. */
function pageOf(rows: readonly ListedDeliveryRow[], limit: number, scannedTo?: string): DeliveryList {
  const items = rows.slice(0, limit).map(listedDelivery);
  const last = rows.length > limit ? items.at(-1)?.event_id : scannedTo;
  return { items, next_cursor: last === undefined ? null : deliveryCursors.at(last) };
}

async function ofType(db: Queryable, ref: EndpointRef, search: DeliveriesSearch, type: string) {
  const { businessId, endpointId } = ref;
  const { status, limit } = search;
  const before = search.before ?? AFTER_EVERY_ID;
  const scan = EVENTS_SCANNED_MAX;
  const states = statesOf(status);
  const rows = await deliveriesOfType(db, businessId, before, endpointId, states, scan, type, limit + 1);
  const [end] = rows.length > limit ? [] : await endOfEventsScan(db, businessId, before, scan - 1);
  return { ...pageOf(rows, limit, end?.event_id), isCut: false };
}

async function ofOrder(db: Queryable, ref: EndpointRef, search: DeliveriesSearch, order: string) {
  const { businessId, endpointId } = ref;
  const { status, type, limit, before } = search;
  const told = await peopleOfOrder(db, businessId, order, MESSAGES_OF_ORDER_MAX);
  const people = [...new Set(told.map(({ recipient_id }) => recipient_id))];
  const messageIds = told.flatMap(({ message_id }) => message_id ?? []);
  const [found] = await eventsOfOrder(db, businessId, people, EVENTS_SCANNED_MAX, messageIds, order);
  const { ids, is_cut: isCut } = found ?? { ids: [], is_cut: false };
  const rows = await deliveriesOfEvents(
    db,
    businessId,
    endpointId,
    ids,
    statesOf(status),
    before ?? AFTER_EVERY_ID,
    type,
    limit + 1,
  );
  return { ...pageOf(rows, limit), isCut };
}
