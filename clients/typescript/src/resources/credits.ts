import type { Call } from '../call.ts';
import type { Credits as CreditBalance } from '../generated/api.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions } from '../transport.ts';

/** Prepaid credits. */
export class CreditsResource {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The balance. */
  get(options?: CallOptions): WaypostPromise<CreditBalance> {
    return this.#call('getCredits', { operation: 'credits.get', options });
  }
}
