import { channels, consentStatuses } from './channels.ts';
import {
  Anything,
  Bool,
  Component,
  Int,
  List,
  Nullable,
  OneOf,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';

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
  service_mail: rows('Mails that announce no message, such as a new link.'),
  consent_log: rows('Every change of consent.'),
  whatsapp_replies: rows('What they wrote on WhatsApp.'),
  links: rows('Links into the inbox, without what would open it.'),
  inbox_sessions: rows('Browsers that are signed in, without what would sign in.'),
  webhook_events: rows('Events about them.'),
  stored_responses: rows('Answers kept for idempotency.'),
  audit_entries: rows('What was done about them.'),
  sandbox_messages: rows('What the sandbox captured.'),
  suppressions: rows('Why email to the address is stopped.'),
  stops: rows('Opt-outs of the number.'),
  messaged_numbers: rows('When the number was last messaged.'),
  auto_reply_window_until: Nullable(Timestamp()),
  not_on_whatsapp_until: Nullable(Timestamp()),
});
