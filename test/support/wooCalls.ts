import { createHmac } from 'node:crypto';

/* What a WooCommerce store sends, in our own values. */

export const wooSignature = (secret: string, body: Buffer | string): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** As a store signs each call. Two orders that change in one second have the same delivery id. */
export const wooHeaders = (topic: string, signature: string): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'WooCommerce/9.1.2 Hookshot (WordPress/6.6)',
  'x-wc-webhook-source': 'https://shop.example/',
  'x-wc-webhook-topic': topic,
  'x-wc-webhook-resource': 'order',
  'x-wc-webhook-event': topic.replace('order.', ''),
  'x-wc-webhook-signature': signature,
  'x-wc-webhook-id': '12',
  'x-wc-webhook-delivery-id': 'd0c0ffee',
});

export interface WooBilling {
  email?: string;
  first_name?: string;
  phone?: string;
  country?: string;
}

export interface WooChange {
  id?: number;
  billing?: WooBilling;
  meta?: Record<string, unknown>;
  [field: string]: unknown;
}

/** An order that is paid; `at` writes the moment so many minutes ago as the store does. */
export function wooOrder(
  at: (minutesAgo: number) => string,
  { id = 4711, billing = {}, meta = {}, ...change }: WooChange = {},
) {
  return {
    id,
    number: String(id),
    status: 'processing',
    currency: 'EUR',
    total: '41.50',
    date_created: at(4 * 60),
    date_created_gmt: at(10),
    date_modified: at(4 * 60),
    date_modified_gmt: at(9),
    date_paid_gmt: at(9),
    date_completed_gmt: null,
    billing: { first_name: 'Ann', last_name: 'Berg', email: 'ann@example.com', phone: '', ...billing },
    line_items: [
      { id: 1, name: 'Red mug', quantity: 2 },
      { id: 2, name: 'Tea', quantity: 1 },
    ],
    meta_data: Object.entries(meta).map(([key, value], place) => ({ id: place + 1, key, value })),
    ...change,
  };
}

/** The metadata of an order with these parcels. */
export const tracked = (...items: Record<string, unknown>[]) => ({
  _wc_shipment_tracking_items: items.map((item, place) => ({
    tracking_provider: '',
    custom_tracking_provider: 'Omniva',
    custom_tracking_link: 'https://omniva.example/t?n=CC100',
    tracking_number: 'CC100',
    date_shipped: '',
    tracking_id: `t${place}`,
    ...item,
  })),
});
