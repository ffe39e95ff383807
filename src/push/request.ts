import type { Channel } from '../contract/channels.ts';
import type { Phone } from '../kit/phoneNumber.ts';

/** One push of a list: whose it is, the idempotency key that makes it safe to repeat, and what it asks. */
export interface PushItem {
  businessId: string;
  /** The API key it was asked with, which must still count. */
  keyId: string;
  key: string;
  /** Hash of the request as sent: the same key with another one is refused. */
  fingerprint: string;
  request: PushRequest;
  bytes: number;
}

/** A push as the rules see it: validated, normalised, numbers parsed. */
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
