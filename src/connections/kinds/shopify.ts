import { createHash, createHmac } from 'node:crypto';
import { listAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import type { OrderFacts } from '../facts.ts';
import { parseJsonExactly } from './exactIds.ts';
import type {
  CallDescription,
  CallReading,
  Proof,
  RawCall,
  ReadOptions,
  StoredCall,
  StoreKind,
} from './kind.ts';
import { idAt, momentAt, ownId } from './shopifyFields.ts';
import { type CallTimes, carrierEventOf, fulfillmentOf } from './shopifyFulfillment.ts';
import { orderStateOf, refundOf } from './shopifyOrder.ts';

/** The store's Events, which will take the place of webhooks, drop the `X-`. */
const SIGNATURES = ['x-shopify-hmac-sha256', 'shopify-hmac-sha256'];
const TOPICS = ['x-shopify-topic', 'shopify-topic'];
/** Not the event id: all deliveries of one action share it, across topics. */
const CALL_IDS = ['x-shopify-webhook-id', 'shopify-webhook-id'];
const TRIGGERED_AT = ['x-shopify-triggered-at', 'shopify-triggered-at'];
const IS_TEST = 'x-shopify-test';

export const shopify: StoreKind = {
  name: 'shopify',
  title: 'Shopify',
  needs: { secret: 'entered', store: 'optional', credentials: 'none' },
  keptHeaders: [...TRIGGERED_AT, IS_TEST],
  statuses: { created: 'confirmed', fulfilled: 'shipped', cancelled: 'cancelled', refunded: 'refunded' },
  tellsEachShipment: true,
  verify: (call, proof) => (isSigned(call, proof) ? 'genuine' : 'refused'),
  describe,
  read,
};

function isSigned(call: RawCall, { secrets }: Proof): boolean {
  const given = SIGNATURES.flatMap((name) => call.header(name) ?? []);
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(call.body).digest('base64');
    return given.some((signature) => constantTimeEqual(signature, expected));
  });
}

const TOPIC_MAX = 60;
const CALL_ID = /^[\x21-\x7e]{1,100}$/;

function describe(call: RawCall): CallDescription {
  const topic = (firstHeader(call, TOPICS) ?? 'unknown').slice(0, TOPIC_MAX);
  const id = firstHeader(call, CALL_IDS) ?? '';
  const hash = () => createHash('sha256').update(call.body).digest('hex');
  return {
    topic,
    key: CALL_ID.test(id) ? id : `${topic} ${hash()}`,
    storeOrder: READERS.get(topic)?.orderIn(parseBody(call)) ?? null,
  };
}

const firstHeader = (call: RawCall, names: readonly string[]): string | undefined =>
  names.map((name) => call.header(name)).find((value) => value !== undefined);

const parseBody = ({ body }: Pick<RawCall, 'body'>): unknown => parseJsonExactly(body.toString('utf8'));

interface Context extends CallTimes, ReadOptions {
  storeOrder: string;
}

interface Reader {
  orderIn(body: unknown): string | null;
  read(body: unknown, context: Context): CallReading<OrderFacts>;
}

function read(call: StoredCall, options: ReadOptions): CallReading<OrderFacts> {
  if (call.topic === 'orders/delete') return nothing('deleted');
  const reader = READERS.get(call.topic);
  if (reader === undefined) return nothing('other_topic');
  const body = parseBody(call);
  if (body === undefined) return { kind: 'not_understood', reason: 'not_json' };
  const storeOrder = reader.orderIn(body);
  if (storeOrder === null) return { kind: 'not_understood', reason: 'no_order_id' };
  // The store's own example, sent by the button beside the webhook: its order is none.
  if (call.headers[IS_TEST] === 'true') return nothing('test_order');
  const sentAt = momentAt(TRIGGERED_AT.map((name) => call.headers[name]).find((text) => text !== undefined));
  return reader.read(body, { ...options, storeOrder, sentAt, receivedAt: call.receivedAt });
}

const nothing = (reason: string): CallReading<OrderFacts> => ({ kind: 'nothing', reason, order: null });

const facts = (storeOrder: string, known: Partial<OrderFacts>): CallReading<OrderFacts> => ({
  kind: 'facts',
  facts: { storeOrder, order: null, shipments: [], events: [], refunds: [], ...known },
});

const orders: Reader = {
  orderIn: ownId,
  read(body, context) {
    const fulfillments = listAt(body, 'fulfillments').flatMap((one) => fulfillmentOf(one, context) ?? []);
    return facts(context.storeOrder, {
      order: orderStateOf(body, context),
      shipments: fulfillments.map(({ shipment }) => shipment),
      events: fulfillments.flatMap(({ events }) => events),
      refunds: listAt(body, 'refunds').flatMap((one) => refundOf(one) ?? []),
    });
  },
};

const ofOrder = (body: unknown): string | null => idAt(body, 'order_id');

const fulfillments: Reader = {
  orderIn: ofOrder,
  read(body, context) {
    if (ownId(body) === null) return { kind: 'not_understood', reason: 'no_fulfillment_id' };
    const fulfillment = fulfillmentOf(body, context);
    if (fulfillment === null) return nothing('status_not_told');
    return facts(context.storeOrder, { shipments: [fulfillment.shipment], events: fulfillment.events });
  },
};

const fulfillmentEvents: Reader = {
  orderIn: ofOrder,
  read(body, context) {
    const shipmentId = idAt(body, 'fulfillment_id');
    if (shipmentId === null) return { kind: 'not_understood', reason: 'no_fulfillment_id' };
    const event = carrierEventOf(body, shipmentId, context);
    return event === null ? nothing('status_not_told') : facts(context.storeOrder, { events: [event] });
  },
};

const refunds: Reader = {
  orderIn: ofOrder,
  read(body, context) {
    if (ownId(body) === null) return { kind: 'not_understood', reason: 'no_refund_id' };
    const refund = refundOf(body);
    return refund === null ? nothing('status_not_told') : facts(context.storeOrder, { refunds: [refund] });
  },
};

const READERS: ReadonlyMap<string, Reader> = new Map([
  ['orders/create', orders],
  ['orders/updated', orders],
  ['orders/paid', orders],
  ['orders/partially_fulfilled', orders],
  ['orders/fulfilled', orders],
  ['orders/cancelled', orders],
  ['fulfillments/create', fulfillments],
  ['fulfillments/update', fulfillments],
  ['fulfillment_events/create', fulfillmentEvents],
  ['refunds/create', refunds],
]);
