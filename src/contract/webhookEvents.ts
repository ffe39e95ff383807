import { type EventType, eventTypes } from './eventTypes.ts';
import { Int, Nullable, OneOf, Optional, Shape, Text, Timestamp } from './schema.ts';

/** What each event means to a receiver. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'message.delivered': 'A mailbox provider accepted the email.',
  'message.opened': 'The recipient followed a link and the inbox loaded.',
  'message.bounced': 'The address rejected the email.',
  'message.failed':
    'The email was attempted and will not arrive. `reason` is `esp_refused`, `retries_exhausted` or `outcome_unknown`.',
  'message.complained': 'The recipient marked the email as spam.',
  'message.not_sent': 'No email was attempted; `reason` says why.',
  'sms.delivered': 'The text arrived.',
  'sms.failed': 'The text did not arrive; `error_code` says why.',
  'sms.rejected': 'The text was refused, and its credit refunded.',
  'whatsapp.delivered': 'The WhatsApp message arrived.',
  'whatsapp.failed': 'The WhatsApp message did not arrive; `error_code` says why.',
  'whatsapp.rejected': 'The WhatsApp message was refused, and its credit refunded.',
  'whatsapp.read': 'The recipient opened the WhatsApp message.',
  'whatsapp.inbound_message': 'The recipient replied on WhatsApp.',
  'credits.low_balance': 'The balance fell below your threshold.',
  'plan.past_due': 'A payment failed; the paid period has not ended yet.',
  'plan.lapsed': 'The plan ended and email sending has stopped.',
  'plan.allowance_exceeded': 'The included email allowance is used up.',
  ping: 'Sent only by the test of an endpoint.',
};

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
    channel: OneOf(['sms', 'whatsapp']),
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

/** Each type with its meaning and the body of its delivery. */
export const webhookEvents = eventTypes.map((type) => ({
  type,
  meaning: EVENT_MEANINGS[type],
  body: Shape({
    id: Text({ description: 'The same in every attempt and in the feed of events.' }),
    type: OneOf([type]),
    occurred_at: Timestamp(),
    data: EVENT_DATA[type],
  }),
}));
