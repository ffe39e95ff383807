const request = {
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning. Track it: https://carrier.example/1001',
  reference: '#1001',
  order_status: 'shipped',
};

const result = {
  id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  kind: 'one_off',
  status: 'active',
  created: true,
  scheduled_for: null,
  nudged: true,
  email: { sending: true, skipped_reason: null },
  sms: null,
  sms_units: 0,
  whatsapp: null,
  whatsapp_opt_in: null,
  reference: '#1001',
  order_status: 'shipped',
  created_at: '2026-08-20T09:15:00.000Z',
  updated_at: '2026-08-20T09:15:00.000Z',
};

/** What the reference shows; the tests send the requests and compare the shape of the answers. */
export const pushExamples = {
  single: { request, response: result },
  batch: {
    request: { items: [request, { recipient_email: 'not an address', subject: 'Hello', body: 'Hi' }] },
    response: {
      items: [
        { index: 0, ok: true, result, error_code: null, detail: null },
        {
          index: 1,
          ok: false,
          result: null,
          error_code: 'common.validation_failed',
          detail: 'recipient_email: value is not a valid email address',
        },
      ],
      succeeded: 1,
      failed: 1,
    },
  },
};
