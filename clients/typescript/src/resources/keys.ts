import type { Call } from '../call.ts';
import type { ApiKeyList, CreatedApiKey, CreateKey } from '../generated/api.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions } from '../transport.ts';

/** API keys. */
export class Keys {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Every active key, masked. */
  list(options?: CallOptions): WaypostPromise<ApiKeyList> {
    return this.#call('listKeys', { operation: 'keys.list', options });
  }

  /**
   * Creates a key. Only this answer has the whole of it. The server knows no idempotency key here, so the call is repeated
   * only if it certainly had no effect: after a 429, or if no connection was made. After any other failure, list the keys.
   */
  create(key: CreateKey = {}, options?: CallOptions): WaypostPromise<CreatedApiKey> {
    return this.#call('createKey', { operation: 'keys.create', body: key, options, repeat: 'if_untouched' });
  }

  /** Revokes a key at once, with those that it created. Resolves also if an attempt without an answer had revoked it. */
  revoke(id: string, options?: CallOptions): WaypostPromise<void> {
    const path = { key_id: id };
    return this.#call('revokeKey', { operation: 'keys.revoke', path, options, deletes: true });
  }
}
