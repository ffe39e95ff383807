import { REFERENCE_MAX } from '../config/limits.ts';
import { channels } from './channels.ts';
import { ORDER_STATUSES } from './orderStatuses.ts';
import { emailReasons, paidDeliverySkips, paidErrorCodes, timelineReasons } from './reasons.ts';
import {
  Bool,
  Component,
  DateTime,
  Email,
  Formatted,
  Int,
  KnownWord,
  List,
  Nullable,
  OneOf,
  Optional,
  Reference,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';

export const MessageParams = Shape({ public_id: Text('The message’s public id.') });

export const messageKinds = ['one_off', 'updateable'] as const;
export const messageStatuses = ['active', 'obsolete', 'retracted'] as const;

/** The parameters of every list that comes in pages. */
export const pageParams = {
  limit: Optional(Int('How many at most: 1 to 100, by default 50. Other values are clamped.')),
  cursor: Optional(Formatted('cursor', '`next_cursor` of the previous page.')),
};

export const ListQueryParams = Shape({
  recipient_email: Optional(Email('Only messages to this recipient.')),
  reference: Optional(
    Reference({ max: REFERENCE_MAX, description: 'Only messages with exactly this reference.' }),
  ),
  status: Optional(OneOf(messageStatuses, 'Only messages with this status now.')),
  created_after: Optional(DateTime('Only messages created later than this.')),
  created_before: Optional(DateTime('Only messages created earlier than this.')),
  ...pageParams,
});

export const PaidDelivery = Component('PaidDelivery', {
  status: OneOf(['queued', 'delivered', 'read', 'failed', 'rejected', 'skipped']),
  skipped_reason: Nullable(KnownWord(paidDeliverySkips)),
  error_code: Nullable(KnownWord(paidErrorCodes)),
  credits_charged: Int(),
  submitted_at: Nullable(Timestamp()),
  last_status_at: Nullable(Timestamp()),
});
export type PaidDelivery = ValueOf<typeof PaidDelivery>;

export const DeliveryReason = Component('Reason', { reason: KnownWord(emailReasons), at: Timestamp() });
export type DeliveryReason = ValueOf<typeof DeliveryReason>;

export const Delivery = Component('Delivery', {
  delivered: Bool(),
  delivered_at: Nullable(Timestamp()),
  opened: Bool(),
  opened_at: Nullable(Timestamp()),
  bounced: Bool(),
  bounced_at: Nullable(Timestamp()),
  complained: Bool(),
  complained_at: Nullable(Timestamp()),
  sms: Nullable(PaidDelivery),
  whatsapp: Nullable(PaidDelivery),
  not_sent: Nullable(DeliveryReason, 'No email was attempted, and why.'),
  failed: Nullable(DeliveryReason, 'The email was attempted and will never be delivered.'),
});
export type Delivery = ValueOf<typeof Delivery>;

const listed = {
  id: Text(),
  recipient_email: Text(),
  subject: Text(),
  kind: OneOf(messageKinds),
  status: OneOf(messageStatuses),
  reference: Nullable(Text()),
  order_status: Nullable(KnownWord(ORDER_STATUSES)),
  scheduled_for: Nullable(Timestamp()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  delivery: Delivery,
};

export const ListedMessage = Component('ListedMessage', listed);
export type ListedMessage = ValueOf<typeof ListedMessage>;
export const ViewedMessage = Component('Message', { ...listed, body: Text() });
export type ViewedMessage = ValueOf<typeof ViewedMessage>;
export const MessageList = Component('MessageList', {
  items: List(ListedMessage),
  next_cursor: Nullable(Text()),
});
export type MessageList = ValueOf<typeof MessageList>;

export const RetractResult = Component('RetractResult', {
  id: Text(),
  status: OneOf(messageStatuses),
  retracted: Bool('false on a second retraction.'),
  sends_cancelled: Int('Queued, scheduled and held sends that were cancelled.'),
  already_notified: Bool('A provider already accepted a nudge, or may have.'),
});
export type RetractResult = ValueOf<typeof RetractResult>;

export const timelineKinds = [
  'pushed',
  'updated',
  'obsoleted',
  'retracted',
  'opened',
  'planned',
  'skipped',
  'armed',
  'rescheduled',
  'cancelled',
  'submitted',
  'retried',
  'accepted',
  'delivered',
  'read',
  'bounced',
  'complained',
  'failed',
  'rejected',
  'fallback_sent',
  'resent',
  'credits_reserved',
  'credits_charged',
  'credits_refunded',
  'credits_released',
] as const;

export type TimelineKind = (typeof timelineKinds)[number];

export const TimelineItem = Component('TimelineItem', {
  at: Timestamp(),
  kind: OneOf(timelineKinds),
  channel: Nullable(OneOf(channels), 'null: it is about the message.'),
  reason: Nullable(KnownWord(timelineReasons), 'The gate, the cause or the error code, where there is one.'),
  credits: Nullable(Int(), 'For the four `credits_…` kinds.'),
  says: Text('The same as a sentence, in English.'),
});
export type TimelineItem = ValueOf<typeof TimelineItem>;

export const Timeline = Component('Timeline', { items: List(TimelineItem) });
export type Timeline = ValueOf<typeof Timeline>;
