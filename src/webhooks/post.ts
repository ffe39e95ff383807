import type { Dispatcher } from 'undici';
import { WEBHOOK_TIMEOUT_MS } from '../config/limits.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { failureSentence, refusalSentence } from './failureSentence.ts';
import { answerTimeout } from './failures.ts';

/** A response body within these limits is read and discarded, which keeps the connection alive; a larger one is cut. */
export const MAX_BODY_LEFT_BYTES = 16 * 1024;
export const MAX_BODY_LEFT_MS = 1 * SECOND;

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
  durationMs: number;
}

/** One POST: never retries, follows a redirect, reads the response's body, or throws. */
export function postWebhook(client: Dispatcher, call: WebhookCall): Promise<WebhookAnswer> {
  return new Promise((resolve) => {
    const startedAt = monotonicMs();
    const exchange = new Exchange(call.timeoutMs ?? WEBHOOK_TIMEOUT_MS, (statusCode, error) =>
      resolve({
        delivered: error === null,
        statusCode,
        error,
        durationMs: Math.round(monotonicMs() - startedAt),
      }),
    );
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
  readonly #onEnd: (statusCode: number | null, error: string | null) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #answered = false;
  #cutOff = false;
  #bytesLeft = MAX_BODY_LEFT_BYTES;

  constructor(timeoutMs: number, onEnd: (statusCode: number | null, error: string | null) => void) {
    this.#onEnd = onEnd;
    // The client's timeouts start only after it has a connection; this one covers the whole call.
    this.#timer = setTimeout(() => {
      this.#end(null, answerTimeout(timeoutMs / SECOND));
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
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Interim responses, such as early hints, come before the final one.
    if (statusCode < 200 || this.#answered) return;
    this.#end(statusCode, refusalSentence(statusCode));
    const { 'content-length': length } = headers;
    if (Number(length ?? 0) > MAX_BODY_LEFT_BYTES) {
      this.#cut();
    } else if (length !== '0') {
      this.#timer = setTimeout(() => this.#cut(), MAX_BODY_LEFT_MS);
      this.#timer.unref();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) this.#cut();
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    this.#end(null, failureSentence(error));
  }

  /** Only the first outcome counts: a body that breaks off after its status changes nothing. */
  #end(statusCode: number | null, error: string | null): void {
    clearTimeout(this.#timer);
    if (this.#answered) return;
    this.#answered = true;
    this.#onEnd(statusCode, error);
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#cutOff = true;
    this.#controller?.abort(new Error('the rest of the response is discarded'));
  }
}
