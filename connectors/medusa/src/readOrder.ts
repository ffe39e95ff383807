import { textAt } from '../../../src/kit/json.ts';
import type { StoreEvent } from './storeEvents.ts';
import { ORDER_FIELDS } from './storeOrder.ts';

/** Medusa's `query`. */
export interface Query {
  graph(of: { entity: string; fields: string[]; filters?: object }): Promise<{ data: unknown[] }>;
}

export interface FoundOrder {
  record: unknown;
  fulfilmentId: string | null;
}

/** How the order is found from what an event names: by a field of that. */
const LEADS_BY: Partial<Record<StoreEvent, { entity: string; field: readonly string[] }>> = {
  'shipment.created': { entity: 'fulfillment', field: ['order', 'id'] },
  'delivery.created': { entity: 'fulfillment', field: ['order', 'id'] },
  'payment.refunded': { entity: 'payment', field: ['payment_collection', 'order', 'id'] },
};

/** The order that an event is about, as it is now; null: there is none. */
export async function readOrder(query: Query, event: StoreEvent, data: unknown): Promise<FoundOrder | null> {
  const id = textAt(data, 'id');
  const lead = LEADS_BY[event];
  const orderId = id === null || lead === undefined ? id : await follow(query, lead, id);
  if (orderId === null) return null;
  // Through a fulfilment the quantities of the items are lost, so the order is always read by itself.
  const found = await query.graph({ entity: 'order', fields: ORDER_FIELDS, filters: { id: orderId } });
  const [record] = found.data;
  return record === undefined ? null : { record, fulfilmentId: lead?.entity === 'fulfillment' ? id : null };
}

async function follow(
  query: Query,
  { entity, field }: { entity: string; field: readonly string[] },
  id: string,
): Promise<string | null> {
  const { data } = await query.graph({ entity, fields: ['id', field.join('.')], filters: { id } });
  return textAt(data[0], ...field);
}

/** The name of the shop as Medusa knows it; empty if it has none. */
export async function readShopName(query: Query): Promise<string> {
  const { data } = await query.graph({ entity: 'store', fields: ['name'] });
  return textAt(data[0], 'name') ?? '';
}
