import { pluginOptions } from './options.ts';

/** An order as `query.graph` answers it, changed as the test says. */
export const orderRecord = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'order_01',
  display_id: 1001,
  email: 'mari@example.com',
  locale: null,
  no_notification: null,
  metadata: null,
  customer: { first_name: null, phone: null },
  shipping_address: { first_name: 'Mari', phone: '5555 0134', country_code: 'ee' },
  items: [{ product_title: 'Scarf', title: 'M', quantity: 2 }],
  fulfillments: [
    {
      id: 'ful_01',
      provider_id: 'manual_manual',
      labels: [{ tracking_number: 'CC123456789EE', tracking_url: '#' }],
    },
  ],
  payment_collections: [{ payments: [{ captures: [{ amount: 45 }], refunds: [] }] }],
  ...change,
});

export const optionsWith = (change: Record<string, unknown> = {}) =>
  pluginOptions({ apiKey: 'way_live_x', baseUrl: 'https://updates.example.com', ...change });
