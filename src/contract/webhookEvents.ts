import { EVENT_DATA, type EventType, eventTypes } from './eventTypes.ts';
import { OneOf, Shape, Text, Timestamp } from './schema.ts';

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

/** Each type with its meaning and the body of its delivery. */
export const webhookEvents = eventTypes.map((type) => ({
  type,
  meaning: EVENT_MEANINGS[type],
  body: Shape({
    id: Text('The same in every attempt and in the feed of events.'),
    type: OneOf([type]),
    occurred_at: Timestamp(),
    data: EVENT_DATA[type],
  }),
}));
