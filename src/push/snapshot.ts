import { type AddressFacts, UNMARKED_ADDRESS, UNMARKED_NUMBER } from '../nudges/facts.ts';
import type { AccountFacts } from '../nudges/gates.ts';
import type { QuietSettings } from '../nudges/quietHours.ts';
import type { SendState } from '../outbox/states.ts';
import type { NumberFacts, Recipient } from '../recipients/recipient.ts';
import type { TemplateReviews } from '../templates/choice.ts';
import type { MessageKind, MessageStatus } from './request.ts';

export interface BusinessState extends QuietSettings {
  id: string;
  name: string;
  account: AccountFacts;
  /** Credits that are not reserved. */
  spendable: number;
  paidPerRecipientHour: number | null;
  /** The language of recipients whose own is not known. */
  language: string;
}

export interface RecipientState extends Recipient {
  unsubscribed: boolean;
  paidLastHour: number;
}

/** An order status that a push by hand said, and when. */
export interface ToldByHand {
  orderStatus: string;
  at: Date;
}

export interface MessageState {
  id: string;
  recipientId: string;
  recipientEmail: string;
  subject: string;
  body: string;
  reference: string | null;
  orderStatus: string | null;
  /** When an update in place last changed the order status; null: at `createdAt`. */
  orderStatusAt: Date | null;
  /** The shipment that the message names. */
  trackingNumber: string | null;
  /** The time of the tracking event that made the message; null: a push by hand. */
  milestoneAt: Date | null;
  /** What pushes by hand said before, as far as it still counts (`TOLD_BY_HAND_MS`). */
  toldByHand: readonly ToldByHand[];
  kind: MessageKind;
  status: MessageStatus;
  scheduledFor: Date | null;
  /** An update in place nudged since the last opening. */
  unreadAgain: boolean;
  createdAt: Date;
  updatedAt: Date;
  waiting: WaitingSend[];
}

export interface WaitingSend {
  id: string;
  channel: 'email' | 'sms' | 'whatsapp';
  state: Extract<SendState, 'held' | 'queued'>;
  /** Credits reserved for it. */
  reserved: number;
  /** Credits spent on it by an attempt that the provider did not accept; the send waits for its retry. */
  charged: number;
  /** The WhatsApp send whose fallback this text is. */
  fallbackOf: string | null;
  /** What it costs if it is sent. */
  credits: number;
  /** It was planned to go only if the message stays unread or WhatsApp fails. */
  armed: boolean;
}

/** Ids and normalised texts contain no NUL, so it separates them unambiguously. */
export const keyOf = (...parts: string[]): string => parts.join('\u0000');

/** The state that the decisions of a group read: loaded once, then updated after each decision. */
export class PushSnapshot {
  readonly businesses = new Map<string, BusinessState>();
  readonly recipients = new Map<string, RecipientState>();
  readonly addresses = new Map<string, AddressFacts>();
  readonly numbers = new Map<string, NumberFacts>();
  readonly messages = new Map<string, MessageState>();
  /** Numbers that moved from one recipient to another within this group. */
  readonly reassignedPhones: { businessId: string; number: string }[] = [];
  readonly prices: ReadonlyMap<string, number>;
  readonly reviews: TemplateReviews;

  constructor(prices: ReadonlyMap<string, number>, reviews: TemplateReviews) {
    this.prices = prices;
    this.reviews = reviews;
  }

  recipient(businessId: string, email: string): RecipientState | null {
    return this.recipients.get(keyOf(businessId, email)) ?? null;
  }

  address(businessId: string, email: string): AddressFacts {
    return this.addresses.get(keyOf(businessId, email)) ?? UNMARKED_ADDRESS;
  }

  number(businessId: string, number: string): NumberFacts {
    return this.numbers.get(keyOf(businessId, number)) ?? { ...UNMARKED_NUMBER, heldBy: null };
  }

  message(businessId: string, id: string): MessageState | null {
    return this.messages.get(keyOf(businessId, id)) ?? null;
  }

  /** The active updateable message that a push with this subject updates. */
  updateable(businessId: string, recipientId: string, subject: string): MessageState | null {
    const id = this.#updateable.get(keyOf(businessId, recipientId, subject));
    const message = id === undefined ? null : this.message(businessId, id);
    return message?.status === 'active' ? message : null;
  }

  keepRecipient(businessId: string, recipient: RecipientState): void {
    const before = this.recipient(businessId, recipient.email);
    if (before?.phone && before.phone.number !== recipient.phone?.number) {
      this.#setHolder(businessId, before.phone.number, null);
      this.#freedNumbers.add(keyOf(businessId, before.phone.number));
    }
    this.recipients.set(keyOf(businessId, recipient.email), recipient);
    if (recipient.phone) {
      const { number } = recipient.phone;
      this.#setHolder(businessId, number, recipient.id);
      if (this.#freedNumbers.delete(keyOf(businessId, number)))
        this.reassignedPhones.push({ businessId, number });
    }
  }

  keepMessage(businessId: string, message: MessageState): void {
    this.messages.set(keyOf(businessId, message.id), message);
    if (message.kind === 'updateable' && message.status === 'active') {
      this.#updateable.set(keyOf(businessId, message.recipientId, message.subject), message.id);
    }
  }

  readonly #updateable = new Map<string, string>();
  readonly #freedNumbers = new Set<string>();

  #setHolder(businessId: string, number: string, heldBy: string | null): void {
    this.numbers.set(keyOf(businessId, number), { ...this.number(businessId, number), heldBy });
  }
}
