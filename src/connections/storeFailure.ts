import { retryAfterMs } from '../kit/retryAfter.ts';

/** Why a store could not be read, as a sentence that the shop reads. */
export class StoreFailure extends Error {
  /** The store asks for at least this pause. */
  readonly retryAfterMs: number;

  constructor(sentence: string, retryAfterMs = 0) {
    super(sentence);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Of a status that is not 200. What else the store says is its own, and may be a whole page. */
export function storeRefusal(status: number, retryAfter: string | string[] | undefined): StoreFailure {
  return new StoreFailure(refusalSentence(status), retryAfterMs(retryAfter));
}

function refusalSentence(status: number): string {
  if (status === 401 || status === 403)
    return `The store refused our key (${status}): enter a key that may read, from WooCommerce → Settings → Advanced → REST API.`;
  if (status === 404)
    return 'The store has no WooCommerce API at its address (404): check the address, and that Settings → Permalinks is not “Plain”.';
  if (status >= 300 && status < 400)
    return `The store’s address leads elsewhere (${status}), which we do not follow: enter the address that a browser ends at.`;
  if (status === 400)
    return 'The store did not understand what we asked (400): bring WooCommerce up to date.';
  if (status === 429) return 'The store asked us to come back later (429).';
  return status >= 500 ? `The store failed to answer (${status}).` : `The store answered ${status}.`;
}
