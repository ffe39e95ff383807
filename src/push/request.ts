import type { Channel } from '../businesses/channels.ts';
import type { Phone } from '../kit/phoneNumber.ts';
import type { OptInResult } from '../recipients/recipient.ts';

/** One push of a group. */
export interface PushItem {
  businessId: string;
  /** The caller's API key; it is checked again in the transaction, since it may be revoked meanwhile. */
  keyId: string;
  /** The idempotency key. */
  key: string;
  /** Hash of the request as sent: the same key with another fingerprint is refused. */
  fingerprint: string;
  request: PushRequest;
  bytes: number;
}

/** A push after validation, with normalised texts and parsed numbers. */
export interface PushRequest {
  recipientEmail: string;
  subject: string;
  body: string;
  phone: Phone | null;
  channels: readonly Channel[] | null;
  whatsappOptIn: { source: string } | null;
  smsIfWhatsappFails: boolean;
  reference: string | null;
  orderStatus: string | null;
  kind: MessageKind;
  notify: boolean | null;
  sendAt: Date | null;
  escalateMinutes: number | null;
  obsoletes: readonly string[];
}

export type MessageKind = 'one_off' | 'updateable';
export type MessageStatus = 'active' | 'obsolete' | 'retracted';

/** The answer to a push, in the interface's own names (2.2, 2.3). Every field is always there. */
export interface PushResult {
  id: string;
  recipient_email: string | null;
  subject: string;
  kind: MessageKind;
  status: MessageStatus;
  created: boolean;
  scheduled_for: string | null;
  nudged: boolean;
  email: EmailBlock | null;
  sms: SmsBlock | null;
  sms_units: number;
  whatsapp: WhatsappBlock | null;
  whatsapp_opt_in: OptInResult | null;
  reference: string | null;
  order_status: string | null;
  created_at: string;
  updated_at: string;
}

export interface EmailBlock {
  sending: boolean;
  skipped_reason: string | null;
}

export interface SmsBlock {
  queued: boolean;
  credits: number;
  skipped_reason: string | null;
  escalates_at: string | null;
}

export interface WhatsappBlock extends SmsBlock {
  sms_fallback: boolean;
}
