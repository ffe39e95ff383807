import { REFERENCE_MAX } from '../config/limits.ts';
import {
  Bool,
  DateTime,
  Email,
  Formatted,
  Int,
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

export const MessageParams = Shape({ public_id: Text({ description: 'The message’s public id.' }) });

export const messageKinds = ['one_off', 'updateable'] as const;
export const messageStatuses = ['active', 'obsolete', 'retracted'] as const;

/** The parameters of every list that comes in pages. */
export const pageParams = {
  limit: Optional(
    Int({ description: 'How many at most: 1 to 100, by default 50. Other values are clamped.' }),
  ),
  cursor: Optional(Formatted('cursor', { description: '`next_cursor` of the previous page.' })),
};

export const ListQueryParams = Shape({
  recipient_email: Optional(Email({ description: 'Only messages to this recipient.' })),
  reference: Optional(
    Reference({ max: REFERENCE_MAX, description: 'Only messages with exactly this reference.' }),
  ),
  status: Optional(OneOf(messageStatuses, { description: 'Only messages with this status now.' })),
  created_after: Optional(DateTime({ description: 'Only messages created later than this.' })),
  created_before: Optional(DateTime({ description: 'Only messages created earlier than this.' })),
  ...pageParams,
});

export const PaidDelivery = Shape(
  {
    status: OneOf(['queued', 'delivered', 'read', 'failed', 'rejected', 'skipped']),
    skipped_reason: Nullable(Text()),
    error_code: Nullable(Text()),
    credits_charged: Int(),
    submitted_at: Nullable(Timestamp()),
    last_status_at: Nullable(Timestamp()),
  },
  { title: 'PaidDelivery' },
);
export type PaidDelivery = ValueOf<typeof PaidDelivery>;

export const DeliveryReason = Shape({ reason: Text(), at: Timestamp() }, { title: 'Reason' });
export type DeliveryReason = ValueOf<typeof DeliveryReason>;

export const Delivery = Shape(
  {
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
    not_sent: Nullable(DeliveryReason, { description: 'No email was attempted, and why.' }),
    failed: Nullable(DeliveryReason, { description: 'The email was attempted and will never be delivered.' }),
  },
  { title: 'Delivery' },
);
export type Delivery = ValueOf<typeof Delivery>;

const listed = {
  id: Text(),
  recipient_email: Text(),
  subject: Text(),
  kind: OneOf(messageKinds),
  status: OneOf(messageStatuses),
  reference: Nullable(Text()),
  order_status: Nullable(Text()),
  scheduled_for: Nullable(Timestamp()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  delivery: Delivery,
};

export const ListedMessage = Shape(listed, { title: 'ListedMessage' });
export type ListedMessage = ValueOf<typeof ListedMessage>;
export const ViewedMessage = Shape({ ...listed, body: Text() }, { title: 'Message' });
export type ViewedMessage = ValueOf<typeof ViewedMessage>;
export const MessageList = Shape(
  { items: List(ListedMessage), next_cursor: Nullable(Text()) },
  { title: 'MessageList' },
);
export type MessageList = ValueOf<typeof MessageList>;

export const RetractResult = Shape(
  {
    id: Text(),
    status: OneOf(messageStatuses),
    retracted: Bool({ description: 'false on a second retraction.' }),
    sends_cancelled: Int({ description: 'Queued, scheduled and held sends that were cancelled.' }),
    already_notified: Bool({ description: 'A provider already accepted a nudge, or may have.' }),
  },
  { title: 'RetractResult' },
);
export type RetractResult = ValueOf<typeof RetractResult>;
