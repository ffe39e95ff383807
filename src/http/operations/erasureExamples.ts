/** What the reference shows. */
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
