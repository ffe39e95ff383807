const facts = {
  carrier: 'Omniva',
  tracking_url: 'https://www.omniva.ee/track/CC123456789EE',
  expected_on: '2026-08-22',
  expected_until: '2026-08-24',
};

const shipment = {
  tracking_number: 'CC123456789EE',
  ...facts,
  status: null,
  status_at: null,
  events: [],
};

const tracked = {
  ...shipment,
  status: 'in_transit',
  status_at: '2026-08-21T05:40:00.000Z',
  events: [
    {
      at: '2026-08-20T17:05:00.000Z',
      status: 'picked_up',
      description: 'Handed to the carrier',
      location: 'Tartu',
    },
    { at: '2026-08-21T05:40:00.000Z', status: 'in_transit', description: null, location: 'Tallinn' },
  ],
};

const order = { reference: '#1001', status: 'in_transit', status_at: '2026-08-21T05:40:00.000Z' };

export const orderExamples = {
  facts,
  shipment,
  order: {
    ...order,
    recipients: ['ann@example.com'],
    shipments: [tracked],
    messages: [
      {
        id: 'mh0q2z4k00x7c1v9b3n5m8l2',
        subject: 'Your order #1001 has shipped',
        status: 'active',
        order_status: 'shipped',
        created_at: '2026-08-20T09:15:00.000Z',
      },
    ],
  },
  list: { items: [{ ...order, updated_at: '2026-08-21T05:41:12.000Z' }], next_cursor: null },
};
