import { paidChannels } from './channels.ts';
import { Int, Nullable, OneOf, Optional, Shape, Text, Timestamp, type ValueOf } from './schema.ts';

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
const Personal = Nullable(Text(), { description: 'Null once the recipient was erased.' });

const MessageData = Shape(
  {
    message_id: Text(),
    recipient_email: Personal,
    subject: Personal,
    reference: Nullable(Text()),
    channel: OneOf(['email']),
    reason: Optional(Text({ description: 'Only where the email failed or was not sent.' })),
  },
  { title: 'MessageEventData' },
);

const PaidData = Shape(
  {
    message_id: Text(),
    recipient_email: Personal,
    recipient_phone: Nullable(Text(), { description: 'Masked.' }),
    country_code: Nullable(Text()),
    credits_charged: Int(),
    channel: OneOf(paidChannels),
    error_code: Nullable(Text()),
  },
  { title: 'PaidEventData' },
);

const InboundData = Shape(
  {
    message_id: Nullable(Text(), { description: 'The message that it answers, if that is known.' }),
    recipient_email: Personal,
    recipient_phone: Nullable(Text(), { description: 'Masked.' }),
    body: Personal,
    received_at: Timestamp(),
  },
  { title: 'InboundEventData' },
);

const LowBalanceData = Shape({ balance: Int(), threshold: Int() }, { title: 'LowBalanceEventData' });
const PastDueData = Shape({ period_end: Nullable(Timestamp()) }, { title: 'PastDueEventData' });
const LapsedData = Shape({ lapsed_at: Timestamp() }, { title: 'LapsedEventData' });
const AllowanceData = Shape(
  { allowance: Int(), used: Int(), period_end: Nullable(Timestamp()) },
  { title: 'AllowanceEventData' },
);
const PingData = Shape({ endpoint_id: Text() }, { title: 'PingEventData' });

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
