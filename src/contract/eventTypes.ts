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

interface MessageEventData {
  message_id: string;
  recipient_email: string;
  subject: string;
  reference: string | null;
  channel: 'email';
  reason?: string;
}

export interface PaidEventData {
  message_id: string;
  recipient_email: string;
  recipient_phone: string | null;
  country_code: string | null;
  credits_charged: number;
  channel: 'sms' | 'whatsapp';
  error_code: string | null;
}

interface InboundEventData {
  message_id: string | null;
  recipient_email: string;
  recipient_phone: string | null;
  body: string;
  received_at: string;
}

type Of<Type extends EventType, Data> = { type: Type; data: Data };

export type EventContent =
  | Of<
      | 'message.delivered'
      | 'message.opened'
      | 'message.bounced'
      | 'message.failed'
      | 'message.complained'
      | 'message.not_sent',
      MessageEventData
    >
  | Of<
      | 'sms.delivered'
      | 'sms.failed'
      | 'sms.rejected'
      | 'whatsapp.delivered'
      | 'whatsapp.failed'
      | 'whatsapp.rejected'
      | 'whatsapp.read',
      PaidEventData
    >
  | Of<'whatsapp.inbound_message', InboundEventData>
  | Of<'credits.low_balance', { balance: number; threshold: number }>
  | Of<'plan.past_due', { period_end: string | null }>
  | Of<'plan.lapsed', { lapsed_at: string }>
  | Of<'plan.allowance_exceeded', { allowance: number; used: number; period_end: string | null }>
  | Of<'ping', { endpoint_id: string }>;
