import { Agent, type Dispatcher } from 'undici';
import { SECOND } from '../kit/clock.ts';
import { textAt } from '../kit/json.ts';

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
export type AnswerHeaders = Record<string, string | string[] | undefined>;

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
export const exchange = (client: Dispatcher, request: HttpRequest, limits: ExchangeLimits) =>
  new Promise<Exchange>((resolve) => {
    const call = new Call(limits, resolve);
    try {
      const { origin, pathname, search } = new URL(request.url);
      const { method, headers, body = null } = request;
      client.dispatch({ origin, path: pathname + search, method, headers, body }, call);
    } catch (error) {
      call.fail(error);
    }
  });

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
    this.#abort(codeOf(error));
  }

  giveUp(why: string): void {
    this.#abort(why);
    this.#controller?.abort(new Error(why));
  }

  #abort(errorCode: string): void {
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

const codeOf = (error: unknown): string => (textAt(error, 'code') ?? 'connection_failed').toLowerCase();

/** The dependencies of an HTTP API's adapter. */
export interface ApiDeps {
  client: Dispatcher;
  /** The limit of one call; shorter in tests. */
  callMs?: number;
}
