import { paidChannels } from './channels.ts';
import { Component, Int, Nullable, OneOf, Optional, Text, Timestamp, type ValueOf } from './schema.ts';

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
  'ping',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Null once the person was erased. */
const Personal = Nullable(Text(), 'Null once the recipient was erased.');

const MessageData = Component('MessageEventData', {
  message_id: Text(),
  recipient_email: Personal,
  subject: Personal,
  reference: Nullable(Text()),
  channel: OneOf(['email']),
  reason: Optional(Text('Only where the email failed or was not sent.')),
});

const PaidData = Component('PaidEventData', {
  message_id: Text(),
  recipient_email: Personal,
  recipient_phone: Nullable(Text(), 'Masked.'),
  country_code: Nullable(Text()),
  credits_charged: Int(),
  channel: OneOf(paidChannels),
  error_code: Nullable(Text()),
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
const PingData = Component('PingEventData', { endpoint_id: Text() });

/** The data of each type, as a receiver may see it. */
export const EVENT_DATA = {
  'message.delivered': MessageData,
  'message.opened': MessageData,
  'message.bounced': MessageData,
  'message.failed': MessageData,
  'message.complained': MessageData,
  'message.not_sent': MessageData,
  'sms.delivered': PaidData,
  'sms.failed': PaidData,
  'sms.rejected': PaidData,
  'whatsapp.delivered': PaidData,
  'whatsapp.failed': PaidData,
  'whatsapp.rejected': PaidData,
  'whatsapp.read': PaidData,
  'whatsapp.inbound_message': InboundData,
  'credits.low_balance': LowBalanceData,
  'plan.past_due': PastDueData,
  'plan.lapsed': LapsedData,
  'plan.allowance_exceeded': AllowanceData,
  ping: PingData,
} as const satisfies Record<EventType, unknown>;

/** What we write: whoever is not erased yet has an address, a subject and a text. */
type Written<Data> = {
  [Name in keyof Data]: Name extends 'recipient_email' | 'subject' | 'body' ? string : Data[Name];
};

export type PaidEventData = Written<ValueOf<typeof PaidData>>;

export type EventContent = {
  [Type in EventType]: { type: Type; data: Written<ValueOf<(typeof EVENT_DATA)[Type]>> };
}[EventType];
