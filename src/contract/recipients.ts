import { consentStatuses } from './channels.ts';
import { Bool, Email, Int, Nullable, OneOf, Shape, Text, Timestamp, type ValueOf } from './schema.ts';

export const RecipientParams = Shape({ email: Email({ description: 'The recipient’s address.' }) });

export const PhoneBody = Shape(
  { phone: Text({ description: 'The mobile number, E.164 preferred.', examples: ['+37255550134'] }) },
  { title: 'Phone' },
);

export const SmsView = Shape(
  {
    recipient_email: Text(),
    phone: Nullable(Text(), { description: 'Masked: country code and last four digits.' }),
    sms_status: OneOf(consentStatuses),
    sms_status_at: Nullable(Timestamp()),
    sms_consent_at: Nullable(Timestamp(), {
      description: 'When a number was first accepted. Never changes.',
    }),
    sms_consent_source: Nullable(OneOf(['push', 'api', 'admin'])),
  },
  { title: 'RecipientSms' },
);
export type SmsView = ValueOf<typeof SmsView>;

export const CreditsView = Shape(
  {
    balance: Int({ description: 'Message credits not yet spent.' }),
    low_balance: Bool(),
    threshold: Int(),
  },
  { title: 'Credits' },
);
export type CreditsView = ValueOf<typeof CreditsView>;

export const WhatsappErasureReceipt = Shape(
  {
    replies_deleted: Int(),
    webhook_payloads_scrubbed: Int({
      description:
        'Queued whatsapp.inbound_message deliveries that will arrive without the person and the text.',
    }),
    auto_reply_windows_dropped: Int({
      description: 'Numbers that were kept so that the automatic acknowledgement would not repeat.',
    }),
    consent_withdrawn: Bool({ description: 'false: it was stopped or withdrawn before this call.' }),
    replies_a_forward_email_may_have_carried: Int({
      description:
        'Erased replies that a forward email may already have carried; a sent mail cannot be recalled.',
    }),
    forward_setting: OneOf(['full', 'link_only', 'off'], {
      description: 'How the business forwards replies by email.',
    }),
    /** Of the first erasure, whether through this call or another. */
    first_erased_at: Timestamp(),
  },
  { title: 'WhatsappErasureReceipt' },
);
export type WhatsappErasureReceipt = ValueOf<typeof WhatsappErasureReceipt>;

export const ErasureReport = Shape(
  {
    messages_deleted: Int(),
    message_events_deleted: Int({ description: 'Recorded events of those messages.' }),
    channel_sends_deleted: Int({ description: 'SMS and WhatsApp send records.' }),
    message_links_deleted: Int({ description: 'Links into the inbox.' }),
    whatsapp_replies_deleted: Int(),
    webhook_payloads_scrubbed: Int({
      description: 'Queued webhook deliveries that will arrive without the person.',
    }),
    queued_jobs_cancelled: Int({ description: 'Sends that were still queued, on any channel.' }),
    idempotency_records_deleted: Int({ description: 'Stored responses about the person.' }),
    audit_entries_pseudonymised: Int(),
    subscription_deleted: Bool({
      description: 'Whether there was a recipient: number, consent and unsubscribe state.',
    }),
    stops_kept: Int({ description: 'SMS and WhatsApp opt-outs that stay in force for the number.' }),
    suppressions_kept: Int({
      description: 'Bounces, complaints and an unsubscribe that stay in force for the address.',
    }),
    auto_reply_windows_dropped: Int(),
    replies_a_forward_email_may_have_carried: Int(),
  },
  { title: 'ErasureReport' },
);
export type ErasureReport = ValueOf<typeof ErasureReport>;
