import type { Dispatcher } from 'undici';
import { WEBHOOK_TIMEOUT_MS } from '../config/limits.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { failureSentence, refusalSentence } from './failureSentence.ts';
import { answerTimeout } from './failures.ts';
import { RESPONSE_KEPT_BYTES, type ResponseHeaders, responseText } from './responseText.ts';

/** A response body within these limits is read, which keeps the connection alive; a larger one is cut. */
export const MAX_BODY_LEFT_BYTES = 16 * 1024;
export const MAX_BODY_LEFT_MS = 1 * SECOND;

/**
 * For the part of the body that is kept, once the status has decided. It nearly always comes with the status. The next delivery waits
 * for the end of this one, so one that arrived waits for hardly anything.
 */
const BODY_WAIT_MS = { delivered: 25, failed: 500 } as const;

const USER_AGENT = 'Waypost-Webhooks/1';

interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** For DNS, connection, TLS, request and the response's headers together. */
  timeoutMs?: number;
}

export interface WebhookAnswer {
  /** A 2xx arrived in time. */
  delivered: boolean;
  statusCode: number | null;
  /** A short sentence for the merchant; null when delivered. */
  error: string | null;
  /** Until the status. */
  durationMs: number;
  /** What the endpoint said (responseText.ts); null: nothing beside a status of success. It decides nothing. */
  response: string | null;
}

/** One POST: never retries, follows a redirect, or throws. The status alone decides. */
export function postWebhook(client: Dispatcher, call: WebhookCall): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    const exchange = new Exchange(call.timeoutMs ?? WEBHOOK_TIMEOUT_MS, resolve);
    try {
      const { origin, pathname, search } = new URL(call.url);
      const path = pathname + search;
      const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...call.headers };
      client.dispatch({ origin, path, method: 'POST', headers, body: call.body }, exchange);
    } catch (error) {
      exchange.fail(error);
    }
  });
}

/** Uses `dispatch`, because `request` adds a body stream and an abort signal, which cost as much as the call itself. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #onEnd: (answer: WebhookAnswer) => void;
  readonly #startedAt = monotonicMs();
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  /** What the status decided. */
  #answer: WebhookAnswer | null = null;
  #headers: ResponseHeaders = {};
  #kept: Uint8Array[] = [];
  #ended = false;
  #cutOff = false;
  #bytes = 0;

  constructor(timeoutMs: number, onEnd: (answer: WebhookAnswer) => void) {
    this.#onEnd = onEnd;
    // The client's timeouts start only after it has a connection; this one covers the whole call.
    this.#timer = setTimeout(() => {
      this.#decide(null, answerTimeout(timeoutMs / SECOND));
      this.#end();
      this.#cut();
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cutOff) this.#cut();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: ResponseHeaders,
  ): void {
    // Interim responses, such as early hints, come before the final one.
    if (statusCode < 200 || this.#answer !== null) return;
    clearTimeout(this.#timer);
    const error = refusalSentence(statusCode);
    this.#decide(statusCode, error);
    this.#headers = headers;
    const { 'content-length': length } = headers;
    if (length === '0') {
      this.#end();
      return;
    }
    this.#timer = setTimeout(
      () => {
        this.#end();
        const isLarge = Number(length ?? 0) > MAX_BODY_LEFT_BYTES;
        this.#timer = setTimeout(() => this.#cut(), isLarge ? 0 : MAX_BODY_LEFT_MS);
        this.#timer.unref();
      },
      error === null ? BODY_WAIT_MS.delivered : BODY_WAIT_MS.failed,
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const missing = RESPONSE_KEPT_BYTES - this.#bytes;
    if (!this.#ended && missing > 0) this.#kept.push(chunk.subarray(0, missing));
    this.#bytes += chunk.length;
    if (chunk.length >= missing) this.#end();
    if (this.#bytes > MAX_BODY_LEFT_BYTES) this.#cut();
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    clearTimeout(this.#timer);
    this.#decide(null, failureSentence(error));
    this.#end();
  }

  /** Only the first outcome counts: a body that breaks off after its status changes nothing. */
  #decide(statusCode: number | null, error: string | null): void {
    const durationMs = Math.round(monotonicMs() - this.#startedAt);
    this.#answer ??= { delivered: error === null, statusCode, error, durationMs, response: null };
  }

  #end(): void {
    if (this.#ended || this.#answer === null) return;
    this.#ended = true;
    const body = Buffer.concat(this.#kept);
    this.#kept = [];
    const { delivered, statusCode } = this.#answer;
    const saysNothing = statusCode === null || (delivered && body.length === 0);
    const response = saysNothing ? null : responseText({ headers: this.#headers, body });
    this.#onEnd({ ...this.#answer, response });
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#cutOff = true;
    this.#controller?.abort(new Error('the rest of the response is discarded'));
  }
}
