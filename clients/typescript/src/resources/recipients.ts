import type { Call } from '../call.ts';
import type {
  ErasureReport,
  Recipient,
  RecipientExport,
  RecipientSms,
  WhatsappErasureReceipt,
} from '../generated/api.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions, WriteOptions } from '../transport.ts';

/** The people whom you messaged, by their address. */
export class Recipients {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Language, number, consent and stops of a recipient. */
  get(email: string, options?: CallOptions): WaypostPromise<Recipient> {
    return this.#call('getRecipient', { operation: 'recipients.get', path: { email }, options });
  }

  /** Everything that is held about a person, for their right of access. */
  export(email: string, options?: CallOptions): WaypostPromise<RecipientExport> {
    return this.#call('exportRecipient', { operation: 'recipients.export', path: { email }, options });
  }

  /** The number and whether it can be texted. */
  sms(email: string, options?: CallOptions): WaypostPromise<RecipientSms> {
    return this.#call('getRecipientSms', { operation: 'recipients.sms', path: { email }, options });
  }

  /** Sets the number. Setting the same one twice is the same as once, so the call is repeated like a read. */
  setPhone(email: string, phone: string, options?: CallOptions): WaypostPromise<RecipientSms> {
    const body = { phone };
    return this.#call('setRecipientPhone', {
      operation: 'recipients.setPhone',
      path: { email },
      body,
      options,
    });
  }

  /** Clears the number. Stops are kept. */
  clearPhone(email: string, options?: CallOptions): WaypostPromise<RecipientSms> {
    return this.#call('clearRecipientPhone', {
      operation: 'recipients.clearPhone',
      path: { email },
      options,
    });
  }

  /** Erases what a person wrote on WhatsApp, and their consent to it. It cannot be undone. */
  eraseWhatsapp(email: string, options?: WriteOptions): WaypostPromise<WhatsappErasureReceipt> {
    const operation = 'recipients.eraseWhatsapp';
    return this.#call('eraseWhatsappHistory', { operation, path: { email }, options });
  }

  /** Erases everything about a person. It cannot be undone. */
  erase(email: string, options?: WriteOptions): WaypostPromise<ErasureReport> {
    return this.#call('eraseRecipient', { operation: 'recipients.erase', path: { email }, options });
  }
}
