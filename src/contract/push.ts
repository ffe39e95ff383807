import {
  BODY_MAX,
  ESCALATE_MAX_MINUTES,
  ESCALATE_MIN_MINUTES,
  LANGUAGE_TAG_MAX,
  OBSOLETES_MAX,
  OPT_IN_SOURCE_MAX,
  PUBLIC_ID_MAX,
  REFERENCE_MAX,
  SEND_AT_MAX_MS,
  SUBJECT_MAX,
} from '../config/limits.ts';
import { channels, consentStatuses } from './channels.ts';
import { messageKinds, messageStatuses } from './messages.ts';
import {
  Bool,
  Component,
  Email,
  FutureDateTime,
  Int,
  LanguageTag,
  List,
  Nullable,
  OneOf,
  Optional,
  Reference,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
  WithDefault,
} from './schema.ts';

export const PushBody = Component('Push', {
  recipient_email: Email('Who the update is for. Trimmed and lower-cased when stored.'),
  subject: Text({ max: SUBJECT_MAX, blank: false, description: 'Updateable messages are matched on it.' }),
  body: Text({ max: BODY_MAX, blank: false, description: 'Plain text; links in it become clickable.' }),
  recipient_phone: Optional(
    Nullable(Text(), 'Mobile number for the paid channels, E.164. Kept for this recipient and reused.'),
  ),
  channels: Optional(
    Nullable(
      List(OneOf(channels)),
      'Asks for SMS or WhatsApp, and leaves out what it does not name. It never switches a channel on.',
    ),
  ),
  whatsapp_opt_in: Optional(
    Nullable(
      Shape({ source: Text({ max: OPT_IN_SOURCE_MAX, blank: false, description: 'Where they agreed.' }) }),
      'Records that the recipient agreed to WhatsApp messages.',
    ),
  ),
  sms_if_whatsapp_fails: WithDefault(Bool('Text the recipient if WhatsApp proves undeliverable.'), false),
  reference: Optional(Nullable(Reference({ max: REFERENCE_MAX }), 'Your own order number.')),
  order_status: Optional(
    Nullable(
      Text(),
      'confirmed, shipped, ready_for_pickup, delivered, cancelled, refunded or delayed; any other counts as no status.',
    ),
  ),
  kind: WithDefault(OneOf(messageKinds, 'updateable: matched on subject.'), 'one_off'),
  notify: Optional(Nullable(Bool(), 'true nudges on an in-place update too; false never nudges.')),
  send_at: Optional(Nullable(FutureDateTime({ within: SEND_AT_MAX_MS }), 'Holds the nudge until then.')),
  escalate_if_unread_after_minutes: Optional(
    Nullable(
      Int({ min: ESCALATE_MIN_MINUTES, max: ESCALATE_MAX_MINUTES }),
      'Send the paid channel only if the message is still unread after this many minutes.',
    ),
  ),
  language: Optional(
    Nullable(
      LanguageTag({ max: LANGUAGE_TAG_MAX }),
      'The recipient’s language, a BCP 47 tag such as et or pt-BR. Kept for this recipient and reused. It chooses our words, never yours.',
    ),
  ),
  obsoletes: WithDefault(
    List(Text({ max: PUBLIC_ID_MAX }), {
      max: OBSOLETES_MAX,
      description: 'Your earlier messages to grey out.',
    }),
    [],
  ),
});

export type PushBody = ValueOf<typeof PushBody>;

const SmsBlock = {
  queued: Bool(),
  credits: Int('Credits set aside; 0 when not queued.'),
  skipped_reason: Nullable(Text()),
  escalates_at: Nullable(Timestamp()),
};

export const EmailOutcome = Component('EmailOutcome', { sending: Bool(), skipped_reason: Nullable(Text()) });
export type EmailOutcome = ValueOf<typeof EmailOutcome>;
export const SmsOutcome = Component('SmsOutcome', SmsBlock);
export type SmsOutcome = ValueOf<typeof SmsOutcome>;
export const WhatsappOutcome = Component('WhatsappOutcome', { ...SmsBlock, sms_fallback: Bool() });
export type WhatsappOutcome = ValueOf<typeof WhatsappOutcome>;
export const OptInOutcome = Component('WhatsappOptInOutcome', {
  recorded: Bool(),
  status: OneOf(consentStatuses),
  skipped_reason: Nullable(Text()),
});
export type OptInOutcome = ValueOf<typeof OptInOutcome>;

export const PushResult = Component('PushResult', {
  id: Text('The message’s public id.'),
  recipient_email: Nullable(Text()),
  subject: Text(),
  kind: OneOf(messageKinds),
  status: OneOf(messageStatuses),
  created: Bool('true: a new message; false: updated in place.'),
  scheduled_for: Nullable(Timestamp()),
  nudged: Bool(),
  email: Nullable(EmailOutcome),
  sms: Nullable(SmsOutcome),
  sms_units: Int(),
  whatsapp: Nullable(WhatsappOutcome),
  whatsapp_opt_in: Nullable(OptInOutcome),
  reference: Nullable(Text()),
  order_status: Nullable(Text()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type PushResult = ValueOf<typeof PushResult>;
