import type { Call } from '../call.ts';
import type { GetUsageQuery, Usage } from '../generated/api.ts';
import type { WaypostPromise } from '../response.ts';
import type { CallOptions } from '../transport.ts';

/** What was sent, what it cost, and what never had to go. */
export class UsageResource {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** By day or month; by default the last 30 days. */
  get(query: GetUsageQuery = {}, options?: CallOptions): WaypostPromise<Usage> {
    return this.#call('getUsage', { operation: 'usage.get', query, options });
  }
}
