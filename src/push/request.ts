import type { Channel } from '../contract/channels.ts';
import type { Phone } from '../kit/phoneNumber.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import type { ShipmentFacts } from '../orders/shipment.ts';

/** One push of a group. */
export interface PushItem {
  businessId: string;
  /** The caller's API key; it is checked again in the transaction, since it may be revoked meanwhile. Null: the push is our own. */
  keyId: string | null;
  /** Who pushes where it is no API key, as `actor`s are written. */
  by?: string;
  /** The idempotency key. */
  key: string;
  /** Hash of the request as sent: the same key with another fingerprint is refused. */
  fingerprint: string;
  request: PushRequest;
  bytes: number;
  /** The request's span. */
  span?: TraceSpan | null;
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
  /** A parcel of the order `reference`. */
  shipment: ShipmentFacts | null;
  /** The tracking event that makes this push, and its shipment; null: a push by hand. */
  milestone: { at: Date; trackingNumber: string } | null;
  /** A well-formed tag; null leaves the recipient's language as it is. */
  language: string | null;
}

export type MessageKind = 'one_off' | 'updateable';
export type MessageStatus = 'active' | 'obsolete' | 'retracted';
