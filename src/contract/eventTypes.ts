import { EVENT_WAIT_MAX_SECONDS } from '../config/limits.ts';
import { paidChannels } from './channels.ts';
import { orderWords } from './orders.ts';
import { emailReasons, paidErrorCodes } from './reasons.ts';
import {
  Anything,
  Bool,
  Component,
  Formatted,
  Int,
  KnownWord,
  List,
  Nullable,
  OneOf,
  Optional,
  Shape,
  Text,
  Timestamp,
  type ValueOf,
} from './schema.ts';

/** Every event type with its data (interface 6.3). Only the endpoint test sends `ping`. */
export const eventTypes = [
  'message.delivered',
  'message.opened',
  'message.bounced',
  'message.failed',
  'message.complained',
  'message.not_sent',
  'sms.delivered',
  'sms.failed',
  'sms.rejected',
  'whatsapp.delivered',
  'whatsapp.failed',
  'whatsapp.rejected',
  'whatsapp.read',
  'whatsapp.inbound_message',
  'credits.low_balance',
  'plan.past_due',
  'plan.lapsed',
  'plan.allowance_exceeded',
  'order.updated',
  'ping',
] as const;

export type EventType = (typeof eventTypes)[number];

/** An endpoint gets these only if it names them, so that one that was made before they existed does not. */
export const ONLY_BY_NAME: readonly string[] = ['order.updated'];

/** What an endpoint takes that names no types. The test of an endpoint sends a ping, whatever it takes. */
export const typesByDefault: readonly EventType[] = eventTypes.filter(
  (type) => type !== 'ping' && !ONLY_BY_NAME.includes(type),
);

/** Null once the person was erased. */
const Personal = Nullable(Text(), 'Null once the recipient was erased.');

const MessageData = Component('MessageEventData', {
  message_id: Text(),
  recipient_email: Personal,
  subject: Personal,
  reference: Nullable(Text()),
  channel: OneOf(['email']),
  reason: Optional(KnownWord(emailReasons, 'Only where the email failed or was not sent.')),
});

const PaidData = Component('PaidEventData', {
  message_id: Text(),
  recipient_email: Personal,
  recipient_phone: Nullable(Text(), 'Masked.'),
  country_code: Nullable(Text()),
  credits_charged: Int(),
  channel: OneOf(paidChannels),
  error_code: Nullable(KnownWord(paidErrorCodes)),
});

const InboundData = Component('InboundEventData', {
  message_id: Nullable(Text(), 'The message that it answers, if that is known.'),
  recipient_email: Personal,
  recipient_phone: Nullable(Text(), 'Masked.'),
  body: Personal,
  received_at: Timestamp(),
});

const LowBalanceData = Component('LowBalanceEventData', { balance: Int(), threshold: Int() });
const PastDueData = Component('PastDueEventData', { period_end: Nullable(Timestamp()) });
const LapsedData = Component('LapsedEventData', { lapsed_at: Timestamp() });
const AllowanceData = Component('AllowanceEventData', {
  allowance: Int(),
  used: Int(),
  period_end: Nullable(Timestamp()),
});
const OrderData = Component('OrderEventData', {
  reference: Personal,
  status: Nullable(KnownWord(orderWords), 'An order status or a tracking status.'),
  status_at: Nullable(Timestamp()),
  tracking_number: Nullable(
    Text(),
    'Of the tracking event; null after a push, and once the recipient was erased.',
  ),
  recipient_email: Personal,
});
const PingData = Component('PingEventData', { endpoint_id: Text() });

/** Each type's data, as a receiver may see it, and what the event means to them. */
export const EVENTS = {
  'message.delivered': { data: MessageData, meaning: 'A mailbox provider accepted the email.' },
  'message.opened': { data: MessageData, meaning: 'The recipient followed a link and the inbox loaded.' },
  'message.bounced': { data: MessageData, meaning: 'The address rejected the email.' },
  'message.failed': {
    data: MessageData,
    meaning:
      'The email was attempted and will not arrive. `reason` is `esp_refused`, `retries_exhausted` or `outcome_unknown`.',
  },
  'message.complained': { data: MessageData, meaning: 'The recipient marked the email as spam.' },
  'message.not_sent': { data: MessageData, meaning: 'No email was attempted; `reason` says why.' },
  'sms.delivered': { data: PaidData, meaning: 'The text arrived.' },
  'sms.failed': { data: PaidData, meaning: 'The text did not arrive; `error_code` says why.' },
  'sms.rejected': { data: PaidData, meaning: 'The text was refused, and its credit refunded.' },
  'whatsapp.delivered': { data: PaidData, meaning: 'The WhatsApp message arrived.' },
  'whatsapp.failed': {
    data: PaidData,
    meaning: 'The WhatsApp message did not arrive; `error_code` says why.',
  },
  'whatsapp.rejected': {
    data: PaidData,
    meaning: 'The WhatsApp message was refused, and its credit refunded.',
  },
  'whatsapp.read': { data: PaidData, meaning: 'The recipient opened the WhatsApp message.' },
  'whatsapp.inbound_message': { data: InboundData, meaning: 'The recipient replied on WhatsApp.' },
  'credits.low_balance': { data: LowBalanceData, meaning: 'The balance fell below your threshold.' },
  'plan.past_due': { data: PastDueData, meaning: 'A payment failed; the paid period has not ended yet.' },
  'plan.lapsed': { data: LapsedData, meaning: 'The plan ended and email sending has stopped.' },
  'plan.allowance_exceeded': { data: AllowanceData, meaning: 'The included email allowance is used up.' },
  'order.updated': {
    data: OrderData,
    meaning: 'The status of an order changed. Only an endpoint that names this type gets it.',
  },
  ping: { data: PingData, meaning: 'Sent only by the test of an endpoint.' },
} as const satisfies Record<EventType, unknown>;

/** The body of a delivery. */
export const eventBody = (type: EventType) =>
  Shape({
    id: Text('The same in every attempt and in the feed of events.'),
    type: OneOf([type]),
    occurred_at: Timestamp(),
    data: EVENTS[type].data,
  });

/**
 * What we write: a person who is not erased yet has an address, a subject and a text. Only an order can change without a person, when
 * one is erased.
 */
type Written<Data> = {
  [Name in keyof Data]: Name extends 'recipient_email' | 'subject' | 'body'
    ? 'status_at' extends keyof Data
      ? Data[Name]
      : string
    : Data[Name];
};

export type PaidEventData = Written<ValueOf<typeof PaidData>>;

export type EventContent = {
  [Type in EventType]: { type: Type; data: Written<ValueOf<(typeof EVENTS)[Type]['data']>> };
}[EventType];

export const EventQueryParams = Shape({
  after: Optional(
    Formatted(
      'event-cursor',
      '`next` of the previous page; `latest` for the cursor of now. Omitted: from the oldest event kept.',
    ),
  ),
  types: Optional(Formatted('event-types', 'Only these types, separated by commas. Omitted: every type.')),
  message_id: Optional(Text('Only events about this message.')),
  limit: Optional(Int('How many at most: 1 to 1,000, by default 100. Other values are clamped.')),
  wait: Optional(
    Int({
      min: 0,
      max: EVENT_WAIT_MAX_SECONDS,
      description: 'Seconds for which an empty page is held back until a matching event comes. By default 0.',
    }),
  ),
});

const EventEnvelope = Component('Event', {
  id: Text('The same as in the webhook.'),
  type: KnownWord(eventTypes),
  occurred_at: Timestamp(),
  data: Anything('The same as in the webhook.'),
});

export const EventList = Component('EventPage', {
  items: List(EventEnvelope),
  next: Text('The cursor for the next page. Always given.'),
  has_more: Bool('Whether a matching event follows right now.'),
});
