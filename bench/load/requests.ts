import { createHmac, randomBytes } from 'node:crypto';
import { DAY, MINUTE } from '../../src/kit/clock.ts';

/** The repeated request of a load. Plain data, since it is sent to the generator's process. */
export type LoadRequest =
  /** Of these shops in turn. */
  | { kind: 'push'; path: string; apiKeys: string[]; recipients: number }
  /** Each about an order of its own. */
  | { kind: 'order_push'; apiKey: string; recipients: number; shipment: boolean }
  | { kind: 'tracking'; apiKey: string; recipients: number }
  /** Each about an order of its own, signed as WooCommerce signs. */
  | { kind: 'store_call'; path: string; secret: string; recipients: number }
  | { kind: 'batch'; apiKey: string; recipients: number; items: number }
  | { kind: 'replay'; apiKey: string; recipients: number; keys: number }
  /** Whole requests, in turn. */
  | { kind: 'written'; requests: string[] };

/** The content of every push of the benchmark: about 300 bytes, like a typical order update. */
export const SAMPLE_PUSH = {
  subject: 'Your order #10001 is on its way',
  body: 'Good news: it left our warehouse this morning and should be with you by Thursday. Follow it at https://example.com/orders/10001.',
  reference: '#10001',
  order_status: 'shipped',
} as const;

export const PUSH_PATH = '/api/v1/messages';
export const ORDERS_PATH = '/api/v1/orders';

export const recipientEmail = (number: number): string => `person${number}@example.com`;

/** Returns a function that gives the bytes of the next request. */
export function requestWriter(load: LoadRequest): () => string {
  switch (load.kind) {
    case 'push': {
      const nextKey = roundRobin(load.apiKeys);
      return () => post(load.path, nextKey(), pushBody(load.recipients));
    }
    case 'order_push':
      return () => post(PUSH_PATH, load.apiKey, orderPushBody(load));
    case 'tracking': {
      const next = trackingEvents();
      return () => {
        const { order, ...event } = next();
        const recipient_email = recipientEmail(order % load.recipients);
        const path = `${ORDERS_PATH}/${orderReference(order)}/tracking`;
        return post(path, load.apiKey, JSON.stringify({ ...event, recipient_email }));
      };
    }
    case 'store_call':
      return () => storeCall(load);
    case 'batch': {
      const items = () => Array.from({ length: load.items }, () => pushBody(load.recipients)).join(',');
      return () => post(`${PUSH_PATH}/batch`, load.apiKey, `{"items":[${items()}]}`);
    }
    case 'replay': {
      const push = () => post(PUSH_PATH, load.apiKey, pushBody(load.recipients));
      return roundRobin(Array.from({ length: load.keys }, push));
    }
    case 'written':
      return roundRobin(load.requests);
  }
}

function roundRobin(texts: readonly string[]): () => string {
  let at = 0;
  return () => {
    at = (at + 1) % texts.length;
    return texts[at] ?? '';
  };
}

let keys = 0;
const RUN = randomBytes(6).toString('hex');
const REST = JSON.stringify(SAMPLE_PUSH).slice(1);

const pushBody = (recipients: number): string =>
  `{"recipient_email":"${recipientEmail(Math.floor(Math.random() * recipients))}",${REST}`;

let orders = 0;
const orderReference = (number: number): string => `${RUN}-${process.pid}-${number}`;

function orderPushBody({ recipients, shipment }: { recipients: number; shipment: boolean }): string {
  orders += 1;
  return JSON.stringify({
    ...SAMPLE_PUSH,
    recipient_email: recipientEmail(Math.floor(Math.random() * recipients)),
    reference: orderReference(orders),
    ...(shipment && { shipment: { tracking_number: `CC${orders}EE`, ...SAMPLE_SHIPMENT } }),
  });
}

const SAMPLE_SHIPMENT = {
  carrier: 'Omniva',
  tracking_url: 'https://www.omniva.ee/track/CC123456789EE',
  expected_on: '2030-08-22',
} as const;

/** What a parcel meets on its way; two of these make a message by default. */
const WAY = [
  'label_created',
  'picked_up',
  'in_transit',
  'in_transit',
  'out_for_delivery',
  'delivered',
] as const;
/** As many are on their way at once, so that two events of one seldom meet. */
const PARCELS_AT_ONCE = 1_000;

function trackingEvents() {
  let number = 0;
  const began = Date.now() - DAY;
  return () => {
    const step = Math.floor(number / PARCELS_AT_ONCE) % WAY.length;
    const round = Math.floor(number / (PARCELS_AT_ONCE * WAY.length));
    const order = round * PARCELS_AT_ONCE + (number % PARCELS_AT_ONCE);
    number += 1;
    const at = new Date(began + step * MINUTE).toISOString();
    return { order, tracking_number: `CC${order}EE`, status: WAY[step], at };
  };
}

/** With a new key. The sample is ASCII, so its characters are its bytes. */
function post(path: string, apiKey: string, body: string): string {
  keys += 1;
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\n` +
    `idempotency-key: ${RUN}-${process.pid}-${keys}\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  );
}

/** The path and secret of a connection, for which stores call us. */
type CalledConnection = Omit<Extract<LoadRequest, { kind: 'store_call' }>, 'kind'>;

function storeCall({ path, secret, recipients }: CalledConnection): string {
  orders += 1;
  const now = new Date().toISOString().slice(0, 19);
  const body = JSON.stringify({
    ...SAMPLE_STORE_ORDER,
    // Processes of the benchmark that call the same store name other orders.
    id: process.pid * 1_000_000 + orders,
    number: String(process.pid * 1_000_000 + orders),
    date_created_gmt: now,
    date_paid_gmt: now,
    date_modified_gmt: now,
    billing: {
      ...SAMPLE_ADDRESS,
      email: recipientEmail(Math.floor(Math.random() * recipients)),
      phone: '+372 5555 0134',
    },
  });
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-wc-webhook-topic: order.updated\r\n` +
    `x-wc-webhook-signature: ${signature}\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  );
}

const SAMPLE_ADDRESS = {
  first_name: 'Ann',
  last_name: 'Example',
  address_1: '1 Example Street',
  city: 'Tallinn',
  postcode: '10111',
  country: 'EE',
} as const;

/** About 2 KB, like a typical order of WooCommerce with three lines. */
const SAMPLE_STORE_ORDER = {
  status: 'processing',
  currency: 'EUR',
  prices_include_tax: true,
  total: '62.40',
  customer_id: 0,
  payment_method: 'card',
  payment_method_title: 'Card',
  shipping: SAMPLE_ADDRESS,
  meta_data: [{ id: 1, key: 'wpml_language', value: 'en' }],
  line_items: ['Red mug', 'Blue mug', 'Tea towel'].map((name, index) => ({
    id: index + 1,
    name,
    product_id: 100 + index,
    variation_id: 0,
    quantity: 1 + index,
    subtotal: '20.80',
    total: '20.80',
    taxes: [{ id: 1, total: '3.75', subtotal: '3.75' }],
    meta_data: [],
    sku: `SKU-${index}`,
    price: 20.8,
  })),
  shipping_lines: [{ id: 9, method_title: 'Parcel machine', method_id: 'flat_rate', total: '2.90' }],
  refunds: [],
};

/** `header` says who asks. */
export const getRequest = (path: string, header: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n\r\n`;
