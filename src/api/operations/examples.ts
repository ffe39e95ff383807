/** Shown in the reference. */
export const erasureExamples = {
  receipt: {
    replies_deleted: 2,
    webhook_payloads_scrubbed: 1,
    auto_reply_windows_dropped: 1,
    consent_withdrawn: true,
    replies_a_forward_email_may_have_carried: 0,
    forward_setting: 'off',
    first_erased_at: '2026-08-20T09:15:00.000Z',
  },
  report: {
    messages_deleted: 3,
    message_events_deleted: 5,
    channel_sends_deleted: 2,
    message_links_deleted: 3,
    whatsapp_replies_deleted: 0,
    webhook_payloads_scrubbed: 1,
    queued_jobs_cancelled: 1,
    idempotency_records_deleted: 2,
    audit_entries_pseudonymised: 1,
    subscription_deleted: true,
    stops_kept: 0,
    suppressions_kept: 1,
    auto_reply_windows_dropped: 0,
    replies_a_forward_email_may_have_carried: 0,
  },
};

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

export const eventExamples = {
  page: {
    items: [
      {
        data: {
          channel: 'email',
          message_id: listed.id,
          recipient_email: listed.recipient_email,
          reference: listed.reference,
          subject: listed.subject,
        },
        id: 'mh0q2z8r00k3f7s2d9j4h6g1',
        occurred_at: '2026-08-20T09:15:01.000Z',
        type: 'message.delivered',
      },
    ],
    next: 'R2p0c2XyV1hTqkfYbzEubWgwcTJ6OHIwMGszZjdzMmQ5ajRoNmcx',
    has_more: false,
  },
};

const outcome = { queued: true, credits: 1, skipped_reason: null, escalates_at: null };

const pushed = {
  at: '2026-08-20T09:15:00.000Z',
  kind: 'pushed',
  channel: null,
  reason: null,
  credits: null,
  says: 'The message was pushed.',
};

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
  timeline: {
    items: [
      pushed,
      {
        ...pushed,
        kind: 'armed',
        channel: 'sms',
        says: 'A text was held back, to go only if the message stays unread.',
      },
      { ...pushed, at: '2026-08-20T10:03:00.000Z', kind: 'opened', says: 'The customer opened the message.' },
      {
        ...pushed,
        at: '2026-08-20T10:03:00.000Z',
        kind: 'cancelled',
        channel: 'sms',
        reason: 'opened_first',
        says: 'No SMS: the customer opened the message 12 minutes before its deadline.',
      },
    ],
  },
  resendSms: outcome,
  resendWhatsapp: { ...outcome, sms_fallback: false },
};

const request = {
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning. Track it: https://carrier.example/1001',
  reference: '#1001',
  order_status: 'shipped',
};

const outcomes = {
  email: { sending: true, skipped_reason: null },
  sms: null,
  sms_units: 0,
  whatsapp: null,
  whatsapp_opt_in: null,
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
  ...outcomes,
  created_at: '2026-08-20T09:15:00.000Z',
  updated_at: '2026-08-20T09:15:00.000Z',
};

/** Shown in the reference; the tests send the requests and compare the shape of the responses. */
export const pushExamples = {
  single: { request, response: result },
  preview: {
    request,
    response: {
      created: true,
      nudged: true,
      scheduled_for: null,
      ...outcomes,
      updates: null,
      obsoletes: [],
      nudges: [
        {
          channel: 'email',
          when: 'now',
          at: null,
          credits: 0,
          subject: 'Your order #1001 has shipped',
          text:
            'Acme Books\n\nOrder #1001\n\n✓ Confirmed · ✓ Shipped · In transit · Out for delivery · Delivered\n\n' +
            'It left our warehouse this morning. Track it: […]\n\nRead it in your inbox:\n{link}\n\n' +
            'The link signs you in to your inbox, so please keep it to yourself.\n\n-- \n' +
            'You get this mail because Acme Books has news about an order of yours.\n' +
            'Unsubscribe from all updates by Acme Books:\n{unsubscribe}\n',
          template: null,
        },
      ],
      balance_after: 5,
      language: 'en',
    },
  },
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

const at = '2026-08-20T09:15:00.000Z';

/** Shown in the reference. */
export const recipientExamples = {
  view: {
    recipient_email: 'ann@example.com',
    language: null,
    first_seen_at: at,
    messages: 3,
    phone: '+372 •••• 0134',
    sms: { status: 'active', at, source: 'push' },
    whatsapp: { status: 'active', at, source: 'checkout' },
    email: { unsubscribed: false, suppressed: false, reason: null, at: null },
    consents: [
      { at, channel: 'sms', action: 'granted', source: 'push' },
      { at, channel: 'whatsapp', action: 'granted', source: 'checkout' },
    ],
  },
  exported: {
    exported_at: at,
    email: 'ann@example.com',
    recipient: {
      id: 'mh0q2z4k00c4v8b2n6m0l3k7',
      email: 'ann@example.com',
      phone: '+37255550134',
      created_at: at,
    },
    messages: [
      {
        id: 'mh0q2z4k00x7c1v9b3n5m8l2',
        subject: 'Your order #1001 has shipped',
        body: 'It left our warehouse this morning.',
        created_at: at,
        sends: [],
        history: [],
      },
    ],
    orders: [{ reference: '1001', status: 'shipped', status_at: at, updated_at: at, shipments: [] }],
    connection_calls: [],
    connection_orders: [],
    service_mail: [],
    consent_log: [{ channel: 'sms', action: 'granted', source: 'push', at }],
    whatsapp_replies: [],
    links: [],
    inbox_sessions: [],
    webhook_events: [],
    stored_responses: [],
    audit_entries: [],
    sandbox_messages: [],
    suppressions: [],
    stops: [],
    messaged_numbers: [],
    auto_reply_window_until: null,
    not_on_whatsapp_until: null,
  },
};

const figures = {
  messages: 1204,
  email: { sent: 1190, delivered: 1171, opened: 803, bounced: 12, complained: 1, failed: 2, not_sent: 14 },
  sms: { sent: 214, delivered: 209, failed: 3, rejected: 2, skipped: 41, credits: 212 },
  whatsapp: { sent: 96, delivered: 94, failed: 1, rejected: 1, skipped: 8, read: 71, credits: 95 },
  avoided: { opened_first: 318, whatsapp_sufficed: 90, retracted: 6, credits: 414 },
  median_minutes_to_open: 17.4,
};

export const usageExample = {
  items: [{ period: '2026-08', ...figures }],
  total: { period: null, ...figures },
};
