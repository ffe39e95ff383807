import type { TraceSpan } from '../kit/tracing.ts';

/**
 * Sends messages on one channel. A provider makes one call and classifies the response; it uses no database. The
 * outbox decides whether to call and what a response means for the send.
 */
export interface Provider<Message extends Outbound> {
  readonly name: string;
  /** The most calls in flight in one process. */
  readonly maxConcurrent: number;
  /** After this long without a response the outcome is unknown. */
  readonly timeoutMs: number;
  /** One call without retries. It aborts when the signal fires. `span`: of the attempt that the call is part of. */
  send(message: Message, signal: AbortSignal, span?: TraceSpan | null): Promise<ProviderResponse>;
  /** Whether its sends should wait in the queue for now. Absent: never. */
  isPaused?(): boolean;
}

export interface Providers {
  email: Provider<OutboundEmail>;
  sms: Provider<OutboundText>;
  whatsapp: Provider<OutboundWhatsapp>;
}

/** One provider was asked, and what it said. */
export interface ProviderCall {
  provider: string;
  because: WhyChosen;
  answer: ProviderAnswer;
  startedAt: Date;
  endedAt: Date;
}

/**
 * Why a provider was asked: it stands first in the order, a route names it, traffic was moved to it, or the one before took nothing.
 */
export type WhyChosen = 'order' | 'route' | 'traffic' | 'next';

/** `calls`: of the providers that were asked one after another; absent where there is only one. */
export type ProviderResponse = ProviderAnswer & { calls?: readonly ProviderCall[] };

/** The result of a call. Anything that is not surely one of the others is `unknown`, and is never sent again. */
export type ProviderAnswer =
  | { outcome: 'accepted'; providerId: string }
  | Refused
  /** It surely never reached the provider: no name, no connection, no TLS. */
  | { outcome: 'not_taken'; errorCode: string }
  | NotSetUp
  | { outcome: 'unknown'; errorCode: string; providerId?: string };

export interface Refused {
  outcome: 'refused';
  because: Refusal;
  errorCode: string;
  providerId?: string;
  /** For a temporary refusal: the provider asks for at least this pause. */
  retryAfterMs?: number;
  /** A sentence for the operator, if the refusal points at their configuration; it names no person. */
  alarm?: string;
}

/**
 * Surely not accepted, and neither is any later message until the operator fixes something: a credential, the
 * account, or the right to send from this sender. The send waits, and no attempt is counted.
 */
export interface NotSetUp {
  outcome: 'not_set_up';
  concerns: 'account' | 'sender';
  errorCode: string;
  /** What to fix. It names variables and settings, never a person. */
  sentence: string;
}

/**
 * `busy` and `over_limits` are temporary and retried; the others are final. `address`: the email address is
 * permanently undeliverable; `not_on_whatsapp`: the number cannot be reached there; `stopped`: the person told
 * the carrier or the platform to block us; `capped`: the platform limits messages to this person for now;
 * `template`: the template cannot be sent.
 */
export type Refusal =
  | 'busy'
  | 'over_limits'
  | 'message'
  | 'address'
  | 'not_on_whatsapp'
  | 'stopped'
  | 'capped'
  | 'template';

export const mayPass = (refusal: Refusal): boolean => refusal === 'busy' || refusal === 'over_limits';

/** The tag or metadata key under which email APIs return our reference in callbacks. */
export const REFERENCE_TAG = 'waypost_reference';

export interface Outbound {
  /**
   * Our unguessable reference, the same on every attempt. Callbacks return it, so a send is found even if the
   * response was lost.
   */
  reference: string;
  /** Counts from 1. */
  attempt: number;
  businessId: string;
  sendId: string;
  messageId: string | null;
  recipientId: string;
  to: string;
  /** The business's own sender; null: the shared one. */
  from: string | null;
  /** Its own senders with single providers of several, by their names: each comes before `from`. */
  fromAt?: Readonly<Record<string, string>>;
}

/** Whose signature a mail bears. */
export interface DkimSigner {
  domain: string;
  selector: string;
  /** PEM. */
  privateKey: string;
}

export interface OutboundEmail extends Outbound {
  channel: 'email';
  fromName: string;
  /** What it is signed with instead of the shared key, by a provider that signs here; null or absent: that one. */
  dkim?: DkimSigner | null;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

export interface OutboundText extends Outbound {
  channel: 'sms';
  text: string;
}

export interface OutboundWhatsapp extends Outbound {
  channel: 'whatsapp';
  /** What the person reads. */
  text: string;
  /** Null: free text, which the platform accepts only within a day of the person's own message. */
  template: { name: string; language: string; parameters: string[] } | null;
}

export type AnyOutbound = OutboundEmail | OutboundText | OutboundWhatsapp;
