import { queryString } from '../call.ts';
import { WaypostPromise } from '../response.ts';
import type { CallOptions, Send } from '../transport.ts';

/** Something that the sandbox would have sent. */
export interface CapturedMessage {
  id: string;
  channel: 'email' | 'sms' | 'whatsapp';
  to: string;
  business_id: string;
  message_id: string | null;
  subject: string | null;
  /** What the person reads. */
  text: string;
  html: string | null;
  headers: Record<string, string> | null;
  template: unknown;
  /** Names it in `report`. */
  provider_id: string | null;
  at: string;
  outcome: string;
}

/** Which captured messages. */
export interface OutboxFilter {
  channel?: 'email' | 'sms' | 'whatsapp' | undefined;
  /** An address or a number. */
  to?: string | undefined;
  /** The message that it is about. */
  message_id?: string | undefined;
}

/** What a person sends from their phone. */
export interface InboundMessage {
  /** Their number. */
  from: string;
  /** What they write: `STOP`, `START`, anything. */
  body: string;
  /** Whom they write to. Needed where several businesses have messaged the number. */
  business_id?: string | null | undefined;
}

/** A business for a test alone. */
export interface NewBusiness {
  name?: string | undefined;
  /** By default none. */
  credits?: number | undefined;
}

/** What a provider says about a message that it took. */
export interface ProviderReport {
  provider_id: string;
  status: 'delivered' | 'bounced' | 'complained' | 'failed' | 'rejected' | 'read';
  error_code?: string | null | undefined;
}

/** How far to move the clock; the parts are added. */
export interface ClockStep {
  seconds?: number | undefined;
  minutes?: number | undefined;
  hours?: number | undefined;
  days?: number | undefined;
}

/**
 * For tests of your shop against a service with sandbox providers: see what a customer got, answer as the customer,
 * report as a provider, and move the service's clock. Calls that change something are repeated only if they certainly had no effect.
 */
export class Sandbox {
  readonly #send: Send;
  readonly #headers: Record<string, string>;
  readonly #deadlineMs: number;

  constructor(send: Send, sandboxKey: string | undefined, deadlineMs: number) {
    this.#send = send;
    this.#headers = sandboxKey === undefined ? {} : { authorization: `Bearer ${sandboxKey}` };
    this.#deadlineMs = deadlineMs;
  }

  /** What was sent, newest first. */
  outbox(filter: OutboxFilter = {}, options?: CallOptions): WaypostPromise<CapturedMessage[]> {
    const path = `/sandbox/outbox.json${queryString(filter)}`;
    const answer = this.#read<{ items: CapturedMessage[] }>('sandbox.outbox', path, options);
    return WaypostPromise.of(answer, ({ items }) => items);
  }

  /** A new business with a key of its own, so that tests do not meet: make a client with `api_key`. */
  createBusiness(
    business: NewBusiness = {},
    options?: CallOptions,
  ): WaypostPromise<{ business_id: string; api_key: string }> {
    return this.#change('sandbox.createBusiness', '/sandbox/businesses', business, options);
  }

  /** The person opens the message. */
  open(messageId: string, options?: CallOptions): WaypostPromise<{ opened: boolean }> {
    return this.#change('sandbox.open', '/sandbox/open', { message_id: messageId }, options);
  }

  /** Resolves once nothing is due or under way any more, at the present time. */
  settle(options?: CallOptions): WaypostPromise<{ now: string }> {
    return this.#change('sandbox.settle', '/sandbox/clock', { advance_seconds: 0 }, options);
  }

  /** The service's time, and how far it was moved. */
  clock(options?: CallOptions): WaypostPromise<{ now: string; offset_seconds: number }> {
    return this.#read('sandbox.clock', '/sandbox/clock', options);
  }

  /** Moves the clock of the whole service forward. Resolves once everything that became due was done. */
  advance(step: ClockStep, options?: CallOptions): WaypostPromise<{ now: string }> {
    const { seconds = 0, minutes = 0, hours = 0, days = 0 } = step;
    const advance_seconds = seconds + 60 * (minutes + 60 * (hours + 24 * days));
    return this.#change('sandbox.advance', '/sandbox/clock', { advance_seconds }, options);
  }

  /** Moves the clock forward to a time (RFC 3339, or a Date). */
  advanceTo(to: string | Date, options?: CallOptions): WaypostPromise<{ now: string }> {
    return this.#change('sandbox.advanceTo', '/sandbox/clock', { to }, options);
  }

  /** The person texts. */
  inboundSms(message: InboundMessage, options?: CallOptions): WaypostPromise<{ received: boolean }> {
    return this.#change('sandbox.inboundSms', '/sandbox/sms/inbound', message, options);
  }

  /** The person replies on WhatsApp. */
  inboundWhatsapp(message: InboundMessage, options?: CallOptions): WaypostPromise<{ received: boolean }> {
    return this.#change('sandbox.inboundWhatsapp', '/sandbox/whatsapp/inbound', message, options);
  }

  /** A provider reports. `known` is false if it never took such a message. */
  report(report: ProviderReport, options?: CallOptions): WaypostPromise<ProviderReport & { known: boolean }> {
    return this.#change('sandbox.report', '/sandbox/reports', report, options);
  }

  #read<Answer>(operation: string, path: string, options: CallOptions = {}): WaypostPromise<Answer> {
    const headers = this.#headers;
    const repeat = 'always';
    return new WaypostPromise(
      this.#send({ operation, method: 'GET', path, headers, repeat, write: false, options }),
    );
  }

  #change<Answer>(
    operation: string,
    path: string,
    body: object,
    options: CallOptions = {},
  ): WaypostPromise<Answer> {
    return new WaypostPromise(
      this.#send({
        operation,
        method: 'POST',
        path,
        headers: this.#headers,
        body,
        repeat: 'if_untouched',
        write: false,
        // A clock that moves far has much to do before it answers.
        options: { attemptTimeoutMs: options.deadlineMs ?? this.#deadlineMs, ...options },
      }),
    );
  }
}
