import { channels, consentStatuses } from './channels.ts';
import {
  Anything,
  Bool,
  Int,
  List,
  Nullable,
  OneOf,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';

const channelStanding = (channel: string) =>
  Shape(
    {
      status: OneOf(consentStatuses),
      at: Nullable(Timestamp(), { description: 'When the status last changed.' }),
      source: Nullable(Text(), { description: 'Who changed it; null if nobody has.' }),
    },
    { title: `Recipient${channel}Standing` },
  );

export const RecipientView = Shape(
  {
    recipient_email: Text(),
    language: Nullable(Text(), {
      description: 'The BCP 47 tag that a push gave last; null: they get the business’s language.',
    }),
    first_seen_at: Timestamp(),
    messages: Int({ description: 'Messages that you have pushed to them.' }),
    phone: Nullable(Text(), { description: 'Masked: country code and last four digits.' }),
    sms: channelStanding('Sms'),
    whatsapp: channelStanding('Whatsapp'),
    email: Shape(
      {
        unsubscribed: Bool({ description: 'They unsubscribed: nothing is sent to them.' }),
        suppressed: Bool({ description: 'Email to the address is stopped for another reason.' }),
        reason: Nullable(OneOf(['hard_bounce', 'complaint', 'unsubscribed', 'operator'])),
        at: Nullable(Timestamp()),
      },
      { title: 'RecipientEmailStanding' },
    ),
    consents: List(
      Shape(
        {
          at: Timestamp(),
          channel: OneOf(channels),
          action: OneOf(['granted', 'stopped', 'started', 'cleared', 'withdrawn', 'unsubscribed']),
          source: Text({
            description:
              '`push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that you named with an opt-in.',
          }),
        },
        { title: 'ConsentEntry' },
      ),
      { description: 'Every change of consent, oldest first.' },
    ),
  },
  { title: 'Recipient' },
);
export type RecipientView = ValueOf<typeof RecipientView>;

const rows = (description: string) => List(Anything(), { description });

export const RecipientExport = Shape(
  {
    exported_at: Timestamp(),
    email: Text(),
    recipient: Anything({ description: 'Number, consent and unsubscribe state; null after an erasure.' }),
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
  },
  { title: 'RecipientExport' },
);
