import { createHmac } from 'node:crypto';

/*
 * What a store sends, with our own values. Bodies are texts, because their ids pass 2^53: `{{…}}` in a body is a number of
 * that many digits.
 */

export const SECRET = 'a-secret-of-the-store';
export const ORDER_ID = '7203685477580811234';
export const FULFILLMENT_ID = '6203685477580815678';
export const REFUND_ID = '5203685477580810001';

type Fields = Readonly<Record<string, unknown>>;

export const orderBody = (changed: Fields = {}): string =>
  textOf({
    id: `{{${ORDER_ID}}}`,
    admin_graphql_api_id: `gid://shopify/Order/${ORDER_ID}`,
    name: '#1001',
    order_number: 1001,
    email: 'mari@example.com',
    contact_email: 'contact@example.com',
    phone: '+372 5555 0134',
    test: false,
    created_at: '2026-03-02T10:00:05+02:00',
    processed_at: '2026-03-02T10:00:00+02:00',
    updated_at: '2026-03-02T10:00:07+02:00',
    cancelled_at: null,
    financial_status: 'paid',
    fulfillment_status: null,
    currency: 'EUR',
    presentment_currency: 'EUR',
    total_price: '41.50',
    customer_locale: 'et-EE',
    order_status_url: 'https://shop.example/61/orders/0a1b/authenticate?key=c2d3',
    note_attributes: [{ name: 'Text me', value: 'Yes' }],
    customer: {
      first_name: 'Mari',
      email: 'customer@example.com',
      sms_marketing_consent: { state: 'subscribed' },
    },
    billing_address: { first_name: 'Jaan', phone: '55550135', country_code: 'LV' },
    shipping_address: { first_name: 'Liis', phone: '55550136', country_code: 'EE' },
    line_items: [
      { id: 11, name: 'Kettle - Blue', title: 'Kettle', quantity: 1 },
      { id: 12, name: 'Tea', title: 'Tea', quantity: 3 },
    ],
    fulfillments: [],
    refunds: [],
    ...changed,
  });

export const fulfillmentFields = (changed: Fields = {}): Fields => ({
  id: `{{${FULFILLMENT_ID}}}`,
  admin_graphql_api_id: `gid://shopify/Fulfillment/${FULFILLMENT_ID}`,
  order_id: `{{${ORDER_ID}}}`,
  name: '#1001.1',
  status: 'success',
  created_at: '2026-03-03T09:00:00+02:00',
  updated_at: '2026-03-03T09:30:00+02:00',
  tracking_company: 'Omniva',
  shipment_status: null,
  tracking_number: 'CC100',
  tracking_numbers: ['CC100'],
  tracking_url: 'https://track.example/CC100',
  tracking_urls: ['https://track.example/CC100'],
  email: 'mari@example.com',
  ...changed,
});

export const fulfillmentBody = (changed: Fields = {}): string => textOf(fulfillmentFields(changed));

export const fulfillmentEventBody = (changed: Fields = {}): string =>
  textOf({
    id: '{{4203685477580819999}}',
    fulfillment_id: `{{${FULFILLMENT_ID}}}`,
    order_id: `{{${ORDER_ID}}}`,
    status: 'out_for_delivery',
    message: 'With the courier',
    happened_at: '2026-03-04T07:15:00+02:00',
    created_at: '2026-03-04T07:16:00+02:00',
    city: 'Tartu',
    country: 'EE',
    ...changed,
  });

export const refundFields = (changed: Fields = {}): Fields => ({
  id: `{{${REFUND_ID}}}`,
  admin_graphql_api_id: `gid://shopify/Refund/${REFUND_ID}`,
  order_id: `{{${ORDER_ID}}}`,
  created_at: '2026-03-05T12:00:00+02:00',
  processed_at: '2026-03-05T12:00:00+02:00',
  transactions: [{ kind: 'refund', status: 'success', amount: '10.25', currency: 'EUR' }],
  ...changed,
});

export const refundBody = (changed: Fields = {}): string => textOf(refundFields(changed));

export const signatureOf = (body: string | Buffer, secret = SECRET): string =>
  createHmac('sha256', secret).update(body).digest('base64');

/** The headers of a genuine call, as the store writes them. */
export const shopifyHeaders = (topic: string, body: string | Buffer, webhookId: string) => ({
  'content-type': 'application/json',
  'x-shopify-topic': topic,
  'x-shopify-hmac-sha256': signatureOf(body),
  'x-shopify-webhook-id': webhookId,
  'x-shopify-event-id': 'one-for-all-deliveries-of-an-action',
  'x-shopify-triggered-at': '2026-03-02T08:00:08.123456789Z',
  'x-shopify-shop-domain': 'acme.example',
});

const textOf = (fields: Fields): string => JSON.stringify(fields).replace(/"\{\{(\d+)\}\}"/g, '$1');
