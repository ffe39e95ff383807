import { createHash } from 'node:crypto';
import { at, isObject, parseJsonText, textAt } from '../../kit/json.ts';
import type { OrderFacts } from '../facts.ts';
import type { CallReading, StoreKind } from './kind.ts';
import { orderFrom, orderIn, shipmentsFrom } from './saleorOrder.ts';
import { verifySaleor } from './saleorSignature.ts';

export { SUBSCRIPTION_QUERY } from './saleorQuery.ts';

/** https://docs.saleor.io/developer/extending/webhooks/overview */
export const saleor: StoreKind = {
  name: 'saleor',
  title: 'Saleor',
  needs: { secret: 'optional', store: 'required', credentials: 'none' },
  keptHeaders: [],
  statuses: {
    ORDER_CONFIRMED: 'confirmed',
    FULFILLMENT_CREATED: 'shipped',
    FULFILLMENT_APPROVED: 'shipped',
    ORDER_CANCELLED: 'cancelled',
    ORDER_FULLY_REFUNDED: 'refunded',
  },
  tellsEachShipment: true,

  verify: verifySaleor,

  describe(call) {
    const event = eventIn(call.body);
    const topic = topicOf(event) ?? eventWord(call.header('saleor-event'));
    const hash = createHash('sha256').update(call.body).digest('base64url');
    // Saleor repeats a call with the same bytes, and the time of the event is among them.
    return { topic, key: `${topic} ${hash}`, storeOrder: orderIdOf(event) };
  },

  read({ topic, body }, { consentField }): CallReading<OrderFacts> {
    const event = eventIn(body);
    if (event === undefined) return { kind: 'not_understood', reason: 'not_json' };
    // Without a query Saleor sends a list of its own.
    if (!isObject(event)) return { kind: 'not_understood', reason: 'no_query' };
    const storeOrder = orderIdOf(event);
    if (storeOrder === null)
      return TELLS.test(topic)
        ? { kind: 'not_understood', reason: 'no_order_id' }
        : { kind: 'nothing', reason: 'other_topic', order: null };

    const order = orderFrom(event, topic, consentField);
    if (order === null) return { kind: 'not_understood', reason: 'no_order_number' };
    const shipments = shipmentsFrom(event, topic);
    return { kind: 'facts', facts: { storeOrder, order, shipments, events: [], refunds: [] } };
  },
};

/** The events whose payload has an order. */
const TELLS = /^(?:ORDER|FULFILLMENT)_/;

/** Saleor sends the content of `event`. */
function eventIn(body: Buffer): unknown {
  const json = parseJsonText(body.toString('utf8'));
  const event = at(json, 'event');
  return isObject(event) ? event : json;
}

const ID = /^[\x21-\x7e]{1,200}$/;

function orderIdOf(event: unknown): string | null {
  const id = textAt(orderIn(event), 'id');
  return id !== null && ID.test(id) ? id : null;
}

/** The body's own word first, because the signature does not cover the header. `OrderConfirmed` is ORDER_CONFIRMED. */
function topicOf(event: unknown): string | null {
  const type = textAt(event, '__typename');
  if (type === null || !/^[A-Z][A-Za-z]{0,59}$/.test(type)) return null;
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

function eventWord(header: string | undefined): string {
  const word = header?.trim().toUpperCase() ?? '';
  return /^[A-Z_]{1,60}$/.test(word) ? word : 'unknown';
}
