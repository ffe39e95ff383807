import {
  BATCH_MAX,
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
import { errorCodes } from '../kit/errors.ts';
import { channels, consentStatuses } from './channels.ts';
import { messageKinds, messageStatuses } from './messages.ts';
import { ORDER_STATUSES } from './orderStatuses.ts';
import { emailSkips, optInSkips, paidSkips } from './reasons.ts';
import {
  Agreeing,
  Anything,
  Bool,
  Component,
  Email,
  FutureDateTime,
  Int,
  KnownWord,
  LanguageTag,
  List,
  Nullable,
  Omittable,
  OneOf,
  Optional,
  Reference,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
  WithDefault,
} from './schema.ts';
import { PushedShipment } from './shipments.ts';

const Push = Component('Push', {
  recipient_email: Email('Who the update is for. Trimmed and lower-cased when stored.'),
  subject: Text({ max: SUBJECT_MAX, blank: false, description: 'Updateable messages are matched on it.' }),
  body: Text({ max: BODY_MAX, blank: false, description: 'Plain text; links in it become clickable.' }),
  recipient_phone: Omittable(
    Text(),
    'Mobile number for the paid channels, E.164. Kept for this recipient and reused.',
  ),
  channels: Omittable(
    List(OneOf(channels)),
    'Asks for SMS or WhatsApp, and leaves out what it does not name. It never switches a channel on.',
  ),
  whatsapp_opt_in: Omittable(
    Shape({ source: Text({ max: OPT_IN_SOURCE_MAX, blank: false, description: 'Where they agreed.' }) }),
    'Records that the recipient agreed to WhatsApp messages.',
  ),
  sms_if_whatsapp_fails: WithDefault(Bool('Text the recipient if WhatsApp proves undeliverable.'), false),
  reference: Omittable(Reference({ max: REFERENCE_MAX }), 'Your own order number.'),
  order_status: Omittable(
    Text(),
    'confirmed, shipped, in_transit, out_for_delivery, delivery_attempted, ready_for_pickup, delivered, cancelled, refunded or delayed; any other counts as no status.',
  ),
  shipment: Omittable(
    PushedShipment,
    'A parcel of this order. The same tracking number again replaces its other fields; another number is another parcel. Needs `reference`.',
  ),
  kind: WithDefault(OneOf(messageKinds, 'updateable: matched on subject.'), 'one_off'),
  notify: Omittable(Bool(), 'true nudges on an in-place update too; false never nudges.'),
  send_at: Omittable(FutureDateTime({ within: SEND_AT_MAX_MS }), 'Holds the nudge until then.'),
  escalate_if_unread_after_minutes: Omittable(
    Int({ min: ESCALATE_MIN_MINUTES, max: ESCALATE_MAX_MINUTES }),
    'Send the paid channel only if the message is still unread after this many minutes.',
  ),
  language: Omittable(
    LanguageTag({ max: LANGUAGE_TAG_MAX }),
    'The recipient’s language, a BCP 47 tag such as et or pt-BR. Kept for this recipient and reused. It chooses our words, never yours.',
  ),
  obsoletes: WithDefault(
    List(Text({ max: PUBLIC_ID_MAX }), {
      max: OBSOLETES_MAX,
      description: 'Your earlier messages to grey out.',
    }),
    [],
  ),
});

export const PushBody = Agreeing(Push, ({ shipment, reference }) =>
  shipment != null && reference == null
    ? [
        {
          field: 'shipment',
          other: 'reference',
          type: 'missing_reference',
          msg: 'A shipment belongs to an order: reference is required with it',
        },
      ]
    : [],
);

export type PushBody = ValueOf<typeof PushBody>;

const SmsBlock = {
  queued: Bool(),
  credits: Int('Credits set aside; 0 when not queued.'),
  skipped_reason: Nullable(KnownWord(paidSkips)),
  escalates_at: Nullable(Timestamp()),
};

export const EmailOutcome = Component('EmailOutcome', {
  sending: Bool(),
  skipped_reason: Nullable(KnownWord(emailSkips)),
});
export type EmailOutcome = ValueOf<typeof EmailOutcome>;
export const SmsOutcome = Component('SmsOutcome', SmsBlock);
export type SmsOutcome = ValueOf<typeof SmsOutcome>;
export const WhatsappOutcome = Component('WhatsappOutcome', { ...SmsBlock, sms_fallback: Bool() });
export type WhatsappOutcome = ValueOf<typeof WhatsappOutcome>;
const OptInOutcome = Component('WhatsappOptInOutcome', {
  recorded: Bool(),
  status: OneOf(consentStatuses),
  skipped_reason: Nullable(KnownWord(optInSkips)),
});

/** What a push, and the preview of one, answer alike. */
const outcomes = {
  email: Nullable(EmailOutcome),
  sms: Nullable(SmsOutcome),
  sms_units: Int(),
  whatsapp: Nullable(WhatsappOutcome),
  whatsapp_opt_in: Nullable(OptInOutcome),
  reference: Nullable(Text()),
  order_status: Nullable(KnownWord(ORDER_STATUSES)),
};

export const PushResult = Component('PushResult', {
  id: Text('The message’s public id.'),
  recipient_email: Nullable(Text()),
  subject: Text(),
  kind: OneOf(messageKinds),
  status: OneOf(messageStatuses),
  created: Bool('true: a new message; false: updated in place.'),
  scheduled_for: Nullable(Timestamp()),
  nudged: Bool(),
  ...outcomes,
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type PushResult = ValueOf<typeof PushResult>;

/** When a nudge would go: at once, at `send_at`, if the message is still unread, or if WhatsApp fails. */
const nudgeTimes = ['now', 'scheduled', 'if_unread', 'if_whatsapp_fails'] as const;

export const PreviewedNudge = Component('PreviewedNudge', {
  channel: OneOf(channels),
  when: OneOf(nudgeTimes),
  at: Nullable(
    Timestamp(),
    'The time of a scheduled nudge, or the deadline of one that goes if unread; otherwise null.',
  ),
  waits_until: Optional({ ...Timestamp(), description: 'Only where it would wait: when quiet hours end.' }),
  credits: Int('What it would cost.'),
  subject: Nullable(Text(), 'Of an email; otherwise null.'),
  text: Text(
    'Exactly what the person would read, with `{link}` where the link goes, and `{unsubscribe}` in an email.',
  ),
  template: Nullable(Text(), 'The name of the WhatsApp template; otherwise null.'),
});
export type PreviewedNudge = ValueOf<typeof PreviewedNudge>;

export const PushPreview = Component('PushPreview', {
  created: Bool('true: a new message; false: an update in place.'),
  nudged: Bool(),
  scheduled_for: Nullable(Timestamp()),
  ...outcomes,
  updates: Nullable(Text(), 'The message that would be updated in place, or null.'),
  obsoletes: List(Text(), 'The ids that would be marked obsolete, of those named.'),
  nudges: List(
    PreviewedNudge,
    'Every nudge this push could lead to: certain ones first, then conditional ones.',
  ),
  balance_after: Int('The credits left once everything that is not conditional has been charged.'),
  language: Text('The language of the nudges.'),
});
export type PushPreview = ValueOf<typeof PushPreview>;

const size = { min: 1, max: BATCH_MAX } as const;

/** Each item is validated on its own, so that a bad one fails alone. */
export const BatchBody = Shape({ items: List(Anything(), size) });

/** For the OpenAPI document, which describes the items. */
export const DescribedBatch = Component('Batch', { items: List(PushBody, size) });

const BatchItemResult = Component('BatchItemResult', {
  index: Int('Position in the request.'),
  ok: Bool(),
  result: Nullable(PushResult),
  error_code: Nullable(KnownWord(errorCodes)),
  detail: Nullable(Text()),
});

export const BatchResult = Component('BatchResult', {
  items: List(BatchItemResult),
  succeeded: Int(),
  failed: Int(),
});
