import {
  REFERENCE_MAX,
  TRACKING_AHEAD_MAX_MS,
  TRACKING_DESCRIPTION_MAX,
  TRACKING_LOCATION_MAX,
} from '../config/limits.ts';
import { messageStatuses, pageParams } from './messages.ts';
import { ORDER_STATUSES } from './orderStatuses.ts';
import {
  Bool,
  Component,
  DateTime,
  Email,
  KnownWord,
  List,
  Nullable,
  Omittable,
  OneOf,
  Optional,
  RecentDateTime,
  Reference,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';
import { trackingNumber } from './shipments.ts';

/** What carriers report, in the order in which it usually happens. */
export const trackingStatuses = [
  'label_created',
  'picked_up',
  'in_transit',
  'out_for_delivery',
  'delivery_attempted',
  'available_for_pickup',
  'delivered',
  'delayed',
  'exception',
  'returned',
] as const;
export type TrackingStatus = (typeof trackingStatuses)[number];

/** Every word that an order's status can be: those of messages and those of tracking events. */
export const orderWords = [
  ...ORDER_STATUSES,
  'label_created',
  'picked_up',
  'available_for_pickup',
  'exception',
  'returned',
] as const;
export type OrderWord = (typeof orderWords)[number];

/** Null: none, or one of another version. */
export const knownWord = (text: string | null): OrderWord | null =>
  orderWords.find((word) => word === text) ?? null;

const reference = Reference({ max: REFERENCE_MAX, description: 'Your own order number, percent-encoded.' });

export const OrderParams = Shape({ reference });
export const ShipmentParams = Shape({ reference, tracking_number: trackingNumber });

export const OrderListQuery = Shape({
  status: Optional(OneOf(orderWords, 'Only orders whose status this is.')),
  recipient_email: Optional(Email('Only orders of this person.')),
  updated_after: Optional(DateTime('Only orders that changed later than this.')),
  ...pageParams,
});

const word = Nullable(
  KnownWord(orderWords),
  'The latest word as it came: an order status or a tracking status. Null: none yet.',
);

export const ShipmentView = Component('Shipment', {
  tracking_number: Text(),
  carrier: Nullable(Text()),
  tracking_url: Nullable(Text()),
  expected_on: Nullable(Text()),
  expected_until: Nullable(Text()),
  status: Nullable(OneOf(trackingStatuses), 'Of its latest event. Null: no event yet.'),
  status_at: Nullable(Timestamp()),
  events: List(
    Component('TrackingEvent', {
      at: Timestamp(),
      status: OneOf(trackingStatuses),
      description: Nullable(Text()),
      location: Nullable(Text()),
    }),
    'Oldest first.',
  ),
});
export type ShipmentView = ValueOf<typeof ShipmentView>;

export const OrderView = Component('Order', {
  reference: Text(),
  status: word,
  status_at: Nullable(Timestamp()),
  recipients: List(Text(), 'Addresses, in the order in which they were first named.'),
  shipments: List(ShipmentView, 'In the order in which they were first named.'),
  messages: List(
    Component('OrderMessage', {
      id: Text(),
      subject: Text(),
      status: OneOf(messageStatuses),
      order_status: Nullable(KnownWord(ORDER_STATUSES)),
      created_at: Timestamp(),
    }),
    'The newest 100, newest first.',
  ),
});
export type OrderView = ValueOf<typeof OrderView>;

export const ListedOrder = Component('ListedOrder', {
  reference: Text(),
  status: word,
  status_at: Nullable(Timestamp()),
  updated_at: Timestamp(),
});
export type ListedOrder = ValueOf<typeof ListedOrder>;

export const OrderList = Component('OrderList', {
  items: List(ListedOrder, 'Newest change first.'),
  next_cursor: Nullable(Text()),
});

export const TrackingBody = Component('TrackingEventReport', {
  tracking_number: trackingNumber,
  status: OneOf(trackingStatuses),
  at: RecentDateTime({
    within: TRACKING_AHEAD_MAX_MS,
    description: 'When it happened; at most a day ahead.',
  }),
  description: Omittable(Text({ max: TRACKING_DESCRIPTION_MAX }), 'In the carrier’s words.'),
  location: Omittable(Text({ max: TRACKING_LOCATION_MAX })),
  recipient_email: Omittable(Email(), 'Needed only if nothing names the order’s recipient yet.'),
});
export type TrackingBody = ValueOf<typeof TrackingBody>;

export const TrackingResult = Component('TrackingResult', {
  status: OneOf(trackingStatuses),
  is_first: Bool('The first stored event of this status of this shipment.'),
  nudged: Bool('It made a message that nudges.'),
  message_id: Nullable(Text(), 'The message that it made.'),
});
export type TrackingResult = ValueOf<typeof TrackingResult>;
