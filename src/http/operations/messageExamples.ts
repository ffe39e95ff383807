const delivery = {
  delivered: true,
  delivered_at: '2026-08-20T09:15:01.000Z',
  opened: false,
  opened_at: null,
  bounced: false,
  bounced_at: null,
  complained: false,
  complained_at: null,
  sms: null,
  whatsapp: null,
  not_sent: null,
  failed: null,
};

const listed = {
  id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  kind: 'one_off',
  status: 'active',
  reference: '#1001',
  order_status: 'shipped',
  scheduled_for: null,
  created_at: '2026-08-20T09:15:00.000Z',
  updated_at: '2026-08-20T09:15:00.000Z',
  delivery,
};

const outcome = { queued: true, credits: 1, skipped_reason: null, escalates_at: null };

export const messageExamples = {
  list: { items: [listed], next_cursor: null },
  view: { ...listed, body: 'It left our warehouse this morning.' },
  retract: {
    id: listed.id,
    status: 'retracted',
    retracted: true,
    sends_cancelled: 1,
    already_notified: false,
  },
  resendSms: outcome,
  resendWhatsapp: { ...outcome, sms_fallback: false },
};
