/**
 * What carries a message out of the house. A provider makes one call, sorts the answer, and knows no database:
 * whether to call, and what an answer means for the send, is decided elsewhere.
 */
export interface Provider<Message extends Outbound> {
  readonly name: string;
  /** Calls under way at once in one process. */
  readonly maxConcurrent: number;
  /** After this long without an answer the outcome is unknown. */
  readonly timeoutMs: number;
  /** One call, without retries of its own. It gives up when the signal fires. */
  send(message: Message, signal: AbortSignal): Promise<ProviderResponse>;
  /** Whether its sends had better wait in the queue for now. Absent: never. */
  isPaused?(): boolean;
}

export interface Providers {
  email: Provider<OutboundEmail>;
  sms: Provider<OutboundText>;
  whatsapp: Provider<OutboundWhatsapp>;
}

/** How the call went. Whatever is not certainly one of the others is `unknown`, and is never sent again. */
export type ProviderResponse =
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
  /** A sentence for whoever runs Waypost, where the refusal points at something of theirs; names nobody. */
  alarm?: string;
}

/**
 * Surely not taken, like all that follows until whoever runs Waypost puts something right: a credential, the standing of
 * the account, the right to send from this sender. The send waits; nothing is lost, and no attempt is counted.
 */
export interface NotSetUp {
  outcome: 'not_set_up';
  concerns: 'account' | 'sender';
  errorCode: string;
  /** What to put right. Names variables and settings, never a person. */
  sentence: string;
}

/**
 * `busy` and `over_limits` may pass and are tried again; the others are final. `address` proves an email address
 * undeliverable for good; `not_on_whatsapp` says the number cannot be reached there; `stopped` that the person told the
 * carrier or the platform to let nothing more of ours through; `capped` that the platform wants this person left alone
 * for now; `template` that the template cannot be sent.
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

export interface Outbound {
  /** Ours, unguessable, the same on every attempt: comes back in reports, also when the answer was lost. */
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
}

export interface OutboundEmail extends Outbound {
  channel: 'email';
  fromName: string;
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
  /** Null: free text, which the platform takes only within a day of the person's own message. */
  template: { name: string; language: string; parameters: string[] } | null;
}

export type AnyOutbound = OutboundEmail | OutboundText | OutboundWhatsapp;

/** Where providers report, below PUBLIC_URL: one address each, to be entered with them. */
export const CALLBACK_PATHS = {
  twilio: '/callbacks/twilio',
  meta: '/callbacks/meta',
  ses: '/callbacks/ses',
  postmark: '/callbacks/postmark',
  resend: '/callbacks/resend',
} as const;

export type CallbackProvider = keyof typeof CALLBACK_PATHS;
