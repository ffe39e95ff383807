import { Agent, type Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import type { ProviderResponse } from './provider.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** How one request went. `not_sent`: surely no byte of it left; `lost`: some may have. */
export type Exchange =
  | { kind: 'answered'; status: number; headers: AnswerHeaders; body: string; whole: boolean }
  | { kind: 'not_sent'; errorCode: string }
  | { kind: 'lost'; errorCode: string };

/** By lower-case name. */
type AnswerHeaders = Record<string, string | string[] | undefined>;

interface ExchangeLimits {
  signal: AbortSignal;
  /** For DNS, connection, TLS, request and the whole response together. */
  timeoutMs: number;
  maxBytes?: number;
}

/** The limit of one call. After this an unknown outcome is better than a longer wait. */
export const HTTP_CALL_MS = 10 * SECOND;
/** Responses to send calls have a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_ANSWER_HEADER_BYTES = 32 * 1024;
const CONNECT_TIMEOUT_MS = 5 * SECOND;
/**
 * Below the idle timeout of every provider's front end: a request on a connection that just died would have an
 * unknown outcome.
 */
const KEEP_ALIVE_MS = 4 * SECOND;
const KEEP_ALIVE_MAX_MS = 30 * SECOND;
const CONNECTIONS_PER_HOST = 64;
/** The call's own limit comes first; this bounds a caller that forgets it. */
const LAST_RESORT_MS = 60 * SECOND;

/** A pool of kept-alive connections. It follows no redirects, retries nothing, and ignores proxy variables. */
export const createHttpClient = (): Agent =>
  new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    connections: CONNECTIONS_PER_HOST,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    headersTimeout: LAST_RESORT_MS,
    bodyTimeout: LAST_RESORT_MS,
  });

/** One request, one attempt. Never throws. */
export function exchange(
  client: Dispatcher,
  request: HttpRequest,
  limits: ExchangeLimits,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const call = new Call(limits, resolve);
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body = null } = request;
      client.dispatch({ origin, path: pathname + search, method, headers, body }, call);
    } catch (error) {
      call.fail(error);
    }
  });
}

class Call implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.giveUp('aborted');
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;
  #status: number | null = null;
  #headers: AnswerHeaders = {};
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(limits: ExchangeLimits, resolve: (exchange: Exchange) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.giveUp('timeout'), limits.timeoutMs);
    limits.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (limits.signal.aborted) this.giveUp('aborted');
  }

  /**
   * The connection is open, TLS included, and the first byte is about to be sent: from here on the provider may
   * accept it.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) controller.abort(new Error('aborted before the request was sent'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Interim responses come before the final one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#limits.maxBytes ?? MAX_ANSWER_BYTES)) this.giveUp('answer_too_long');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end(this.#answered(true));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#breakOff(codeOf(error));
  }

  giveUp(why: string): void {
    this.#breakOff(why);
    this.#controller?.abort(new Error(why));
  }

  #breakOff(errorCode: string): void {
    if (this.#status !== null) this.#end(this.#answered(false));
    else this.#end({ kind: this.#controller === null ? 'not_sent' : 'lost', errorCode });
  }

  #answered(whole: boolean): Exchange {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    return this.#status === null
      ? { kind: 'lost', errorCode: 'no_status' }
      : { kind: 'answered', status: this.#status, headers: this.#headers, body, whole };
  }

  #end(exchange: Exchange): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#limits.signal.removeEventListener('abort', this.#onAbort);
    this.#resolve(exchange);
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return (typeof code === 'string' ? code : 'connection_failed').toLowerCase();
}

/** The dependencies of an HTTP API's adapter. */
export interface ApiDeps {
  client: Dispatcher;
  /** The limit of one call; shorter in tests. */
  callMs?: number;
}

/** A provider's response with its parsed JSON; `body` is undefined if it broke off or is no JSON. */
export interface ApiAnswer {
  status: number;
  headers: AnswerHeaders;
  body: unknown;
}

/** An adapter's description of its API, for the responses that all APIs share. */
export interface ApiFacts {
  /** As people call it: `Twilio`. */
  called: string;
  /** The prefix of its error codes: `twilio`. */
  prefix: string;
  /** The variables that hold its credentials, for the error message. */
  credentials: string;
}

/**
 * The exchange as a response. `sort` knows the API; if it returns null, the status decides: only a 4xx is a sure
 * refusal; a 5xx, like a lost response, leaves the outcome unknown.
 */
export function answerFrom(
  facts: ApiFacts,
  result: Exchange,
  sort: (answer: ApiAnswer) => ProviderResponse | null,
): ProviderResponse {
  if (result.kind === 'not_sent') return { outcome: 'not_taken', errorCode: result.errorCode };
  if (result.kind === 'lost') return { outcome: 'unknown', errorCode: result.errorCode };
  const { status, headers } = result;
  const sorted = sort({ status, headers, body: result.whole ? parseJsonText(result.body) : undefined });
  return sorted ?? byStatus(facts, status);
}

function byStatus({ called, prefix, credentials }: ApiFacts, status: number): ProviderResponse {
  const errorCode = `${prefix}_http_${status}`;
  if (status === 401 || status === 403) {
    const sentence = `${called} refuses the credentials (${status}): check ${credentials}.`;
    return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
  }
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
    const sentence = `${called} does not answer at this URL (${status}): check ${credentials} and the URL of its API.`;
    return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
  }
  if (status === 429) return { outcome: 'refused', because: 'over_limits', errorCode };
  // 408: the server may have received the whole request.
  if (status < 400 || status >= 500 || status === 408) return { outcome: 'unknown', errorCode };
  return {
    outcome: 'refused',
    because: 'message',
    errorCode,
    alarm: `${called} refuses a message (${status}).`,
  };
}
