import { createHmac } from 'node:crypto';
import { sha256 } from '../../kit/ids.ts';
import { isObject, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { parseJsonExactly } from './exactIds.ts';
import type { CallDescription, Proof, RawCall, StoreKind } from './kind.ts';
import { orderFactsFrom, orderIdOf } from './woocommerceOrder.ts';
import { TRACKING_ADDED } from './woocommerceTracking.ts';
import { decodeEntities, encodeEntities } from './wordpressEntities.ts';

/** WooCommerce. What its source says, and where that differs from its documentation: docs/connections/woocommerce.md. */
export const woocommerce: StoreKind = {
  name: 'woocommerce',
  title: 'WooCommerce',
  needs: { secret: 'made', store: 'optional', credentials: 'consumer_key' },
  keptHeaders: [],
  statuses: {
    pending: null,
    processing: 'confirmed',
    'on-hold': null,
    completed: 'shipped',
    cancelled: 'cancelled',
    refunded: 'refunded',
    failed: null,
    [TRACKING_ADDED]: 'shipped',
  },
  tellsEachShipment: false,
  verify,
  describe,
  read: ({ topic, body }, options) => {
    if (topic === PING) return { kind: 'nothing', reason: 'ping', order: null };
    if (!isOrderTopic(topic)) return { kind: 'nothing', reason: 'other_topic', order: null };
    if (topic === DELETED) return { kind: 'nothing', reason: 'deleted', order: null };
    return orderFactsFrom(parseJsonExactly(body.toString('utf8')), options);
  },
};

/** What a call is that names no topic, and what an order is stored as that we have read ourselves. */
export const ORDER_UPDATED = 'order.updated';
const DELETED = 'order.deleted';
const PING = 'ping';

/** Other resources have ids of their own, which may be those of orders. */
const isOrderTopic = (topic: string): boolean => topic.startsWith('order.');

const PING_BODY = /^webhook_id=\d{1,20}$/;
const PING_BYTES_MAX = 40;

const isPing = (body: Buffer): boolean =>
  body.length <= PING_BYTES_MAX && PING_BODY.test(body.toString('latin1').trim());

function verify(call: RawCall, { secrets }: Proof): 'genuine' | 'ping' | 'refused' {
  const signature = call.header('x-wc-webhook-signature');
  if (signature === undefined) return isPing(call.body) ? 'ping' : 'refused';
  const given = signature.trim();
  const matches = secrets
    .flatMap(formsOf)
    .map((secret) =>
      constantTimeEqual(given, createHmac('sha256', secret).update(call.body).digest('base64')),
    );
  return matches.includes(true) ? 'genuine' : 'refused';
}

/** The store keeps a secret with some characters escaped, and signs with it unescaped; older ones signed with what they keep. */
const formsOf = (secret: string): string[] =>
  secret === '' ? [] : [...new Set([secret, decodeEntities(secret), encodeEntities(secret)])];

const TOPIC_MAX = 100;

function describe({ header, body }: RawCall): CallDescription {
  if (header('x-wc-webhook-signature') === undefined && isPing(body))
    return { topic: PING, key: `${PING}:${body.toString('latin1').trim()}`, storeOrder: null };
  const topic = (header('x-wc-webhook-topic')?.trim() || ORDER_UPDATED).slice(0, TOPIC_MAX);
  const content = parseJsonExactly(body.toString('utf8'));
  const storeOrder = isOrderTopic(topic) ? orderIdOf(content) : null;
  return { topic, key: callKey(topic, storeOrder, content, body), storeOrder };
}

/**
 * Two orders that change in one second have one delivery id, so it says nothing. A save that changes nothing sends the same content
 * again; the topic of an order says nothing either, because bodies are built when they are sent.
 */
function callKey(topic: string, storeOrder: string | null, content: unknown, body: Buffer): string {
  if (storeOrder === null || !isObject(content))
    return `${isOrderTopic(topic) ? 'order' : 'other'}::${hex(body)}`;
  const modified = (textAt(content, 'date_modified_gmt') ?? '').slice(0, MODIFIED_MAX);
  // Links depend on how the order was asked for, so that what we read ourselves would differ.
  const { _links, ...order } = content;
  return `order:${storeOrder}:${modified}:${hex(Buffer.from(JSON.stringify(order)))}`;
}

const MODIFIED_MAX = 30;

const hex = (content: Buffer): string => sha256(content).toString('hex');
