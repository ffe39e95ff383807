import type { Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { failureSentence } from '../webhooks/failureSentence.ts';

/** Why a store could not be read, as a sentence that the shop reads. */
export class StoreFailure extends Error {
  /** The store asks for at least this pause. */
  readonly retryAfterMs: number;

  constructor(sentence: string, retryAfterMs = 0) {
    super(sentence);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer has more bytes than we take. */
export class AnswerTooLarge extends Error {}

interface StoreRequest {
  url: URL;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** For DNS, connection, TLS and the whole answer together. */
  timeoutMs: number;
  maxBytes: number;
}

const USER_AGENT = 'Waypost-Connections/1';

/** One GET. Follows no redirect, and retries nothing. */
export async function getFromStore(
  client: Dispatcher,
  { url, headers, signal, timeoutMs, maxBytes }: StoreRequest,
): Promise<{ headers: Record<string, string | string[] | undefined>; text: string }> {
  const ended = new AbortController();
  const late = new StoreFailure(`The store did not answer within ${timeoutMs / SECOND} s.`);
  const timer = setTimeout(() => ended.abort(late), timeoutMs);
  try {
    const answer = await client.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...headers },
      signal: AbortSignal.any([signal, ended.signal]),
    });
    // Its own words are the store's, and may be a whole page.
    const refusal = refusalOf(answer.statusCode, answer.headers['retry-after']);
    if (refusal !== null) {
      answer.body.on('error', () => {}).destroy();
      throw refusal;
    }
    return { headers: answer.headers, text: await textOf(answer.body, maxBytes) };
  } catch (error) {
    if (ended.signal.aborted) throw late;
    if (error instanceof StoreFailure || error instanceof AnswerTooLarge) throw error;
    throw new StoreFailure(`The store cannot be read: ${failureSentence(error)}.`);
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new AnswerTooLarge();
    chunks.push(chunk);
  }
  // Removes the mark that some of the store's plugins put before every answer.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function refusalOf(status: number, retryAfter: string | string[] | undefined): StoreFailure | null {
  if (status === 200) return null;
  const asked = typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
  return new StoreFailure(refusalSentence(status), asked * SECOND);
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
