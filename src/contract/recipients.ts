import { channels, consentStatuses } from './channels.ts';
import {
  Anything,
  Bool,
  Component,
  Email,
  Int,
  List,
  Nullable,
  OneOf,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';

export const RecipientParams = Shape({ email: Email('The recipient’s address.') });

export const PhoneBody = Component('Phone', {
  phone: Text({ description: 'The mobile number, E.164 preferred.', examples: ['+37255550134'] }),
});

export const SmsView = Component('RecipientSms', {
  recipient_email: Text(),
  phone: Nullable(Text(), 'Masked: country code and last four digits.'),
  sms_status: OneOf(consentStatuses),
  sms_status_at: Nullable(Timestamp()),
  sms_consent_at: Nullable(Timestamp(), 'When a number was first accepted. Never changes.'),
  sms_consent_source: Nullable(OneOf(['push', 'api', 'admin'])),
});
export type SmsView = ValueOf<typeof SmsView>;

export const CreditsView = Component('Credits', {
  balance: Int('Message credits not yet spent.'),
  low_balance: Bool(),
  threshold: Int(),
});
export type CreditsView = ValueOf<typeof CreditsView>;

export const WhatsappErasureReceipt = Component('WhatsappErasureReceipt', {
  replies_deleted: Int(),
  webhook_payloads_scrubbed: Int(
    'Queued whatsapp.inbound_message deliveries that will arrive without the person and the text.',
  ),
  auto_reply_windows_dropped: Int(
    'Numbers that were kept so that the automatic acknowledgement would not repeat.',
  ),
  consent_withdrawn: Bool('false: it was stopped or withdrawn before this call.'),
  replies_a_forward_email_may_have_carried: Int(
    'Erased replies that a forward email may already have carried; a sent mail cannot be recalled.',
  ),
  forward_setting: OneOf(['full', 'link_only', 'off'], 'How the business forwards replies by email.'),
  /** Of the first erasure, whether through this call or another. */
  first_erased_at: Timestamp(),
});
export type WhatsappErasureReceipt = ValueOf<typeof WhatsappErasureReceipt>;

export const ErasureReport = Component('ErasureReport', {
  messages_deleted: Int(),
  message_events_deleted: Int('Recorded events of those messages.'),
  channel_sends_deleted: Int('SMS and WhatsApp send records.'),
  message_links_deleted: Int('Links into the inbox.'),
  whatsapp_replies_deleted: Int(),
  webhook_payloads_scrubbed: Int('Queued webhook deliveries that will arrive without the person.'),
  queued_jobs_cancelled: Int('Sends that were still queued, on any channel.'),
  idempotency_records_deleted: Int('Stored responses about the person.'),
  audit_entries_pseudonymised: Int(),
  subscription_deleted: Bool('Whether there was a recipient: number, consent and unsubscribe state.'),
  stops_kept: Int('SMS and WhatsApp opt-outs that stay in force for the number.'),
  suppressions_kept: Int('Bounces, complaints and an unsubscribe that stay in force for the address.'),
  auto_reply_windows_dropped: Int(),
  replies_a_forward_email_may_have_carried: Int(),
});
export type ErasureReport = ValueOf<typeof ErasureReport>;

const channelStanding = (channel: string) =>
  Component(`Recipient${channel}Standing`, {
    status: OneOf(consentStatuses),
    at: Nullable(Timestamp(), 'When the status last changed.'),
    source: Nullable(Text(), 'Who changed it; null if nobody has.'),
  });

export const RecipientView = Component('Recipient', {
  recipient_email: Text(),
  language: Nullable(Text(), 'The BCP 47 tag that a push gave last; null: they get the business’s language.'),
  first_seen_at: Timestamp(),
  messages: Int('Messages that you have pushed to them.'),
  phone: Nullable(Text(), 'Masked: country code and last four digits.'),
  sms: channelStanding('Sms'),
  whatsapp: channelStanding('Whatsapp'),
  email: Component('RecipientEmailStanding', {
    unsubscribed: Bool('They unsubscribed: nothing is sent to them.'),
    suppressed: Bool('Email to the address is stopped for another reason.'),
    reason: Nullable(OneOf(['hard_bounce', 'complaint', 'unsubscribed', 'operator'])),
    at: Nullable(Timestamp()),
  }),
  consents: List(
    Component('ConsentEntry', {
      at: Timestamp(),
      channel: OneOf(channels),
      action: OneOf(['granted', 'stopped', 'started', 'cleared', 'withdrawn', 'unsubscribed']),
      source: Text(
        '`push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that you named with an opt-in.',
      ),
    }),
    'Every change of consent, oldest first.',
  ),
});
export type RecipientView = ValueOf<typeof RecipientView>;

const rows = (description: string) => List(Anything(), { description });

export const RecipientExport = Component('RecipientExport', {
  exported_at: Timestamp(),
  email: Text(),
  recipient: Anything('Number, consent and unsubscribe state; null after an erasure.'),
  messages: rows('Oldest first, each with its sends, their attempts and its history.'),
  orders: rows('Orders that name them, each with its shipments and their events.'),
  connection_calls: rows('What connected stores sent about their orders.'),
  connection_orders: rows('What is known of their orders from connected stores.'),
  webhook_events: rows('Events about them.'),
  service_mail: rows('Mails that announce no message, such as a new link.'),
  consent_log: rows('Every change of consent.'),
  whatsapp_replies: rows('What they wrote on WhatsApp.'),
  links: rows('Links into the inbox, without what would open it.'),
  inbox_sessions: rows('Browsers that are signed in, without what would sign in.'),
  stored_responses: rows('Answers kept for idempotency.'),
  audit_entries: rows('What was done about them.'),
  sandbox_messages: rows('What the sandbox captured.'),
  suppressions: rows('Why email to the address is stopped.'),
  stops: rows('Opt-outs of the number.'),
  messaged_numbers: rows('When the number was last messaged.'),
  auto_reply_window_until: Nullable(Timestamp()),
  not_on_whatsapp_until: Nullable(Timestamp()),
});
