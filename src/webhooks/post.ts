import type { Dispatcher } from 'undici';
import { WEBHOOK_TIMEOUT_MS } from '../config/limits.ts';
import { monotonicMs, SECOND } from '../kit/clock.ts';
import { failureSentence, refusalSentence } from './failureSentence.ts';

/** An answer's body up to this size and time is let run out, which keeps the connection; beyond, it is cut off. */
export const MAX_BODY_LEFT_BYTES = 16 * 1024;
export const MAX_BODY_LEFT_MS = 1 * SECOND;

const USER_AGENT = 'Waypost-Webhooks/1';

export interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** In all: DNS, connection, TLS, request and the head of the answer. */
  timeoutMs?: number;
}

export interface WebhookAnswer {
  /** A 2xx arrived in time. */
  delivered: boolean;
  statusCode: number | null;
  /** One short sentence the merchant may read, or null when delivered. */
  error: string | null;
  durationMs: number;
}

/** One POST, one attempt: never retries, never follows a redirect, never reads the answer's body, never throws. */
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
      const { origin, path } = targetOf(call.url);
      const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...call.headers };
      client.dispatch({ origin, path, method: 'POST', headers, body: call.body }, exchange);
    } catch (error) {
      exchange.fail(error);
    }
  });
}

/** More addresses than a worker is busy with at a time. */
const TARGETS_KEPT = 10_000;
const targets = new Map<string, { origin: string; path: string }>();

/** An endpoint's address is the same for every delivery to it, and is taken apart once. */
function targetOf(url: string): { origin: string; path: string } {
  const kept = targets.get(url);
  if (kept) return kept;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  if (targets.size >= TARGETS_KEPT) targets.clear();
  targets.set(url, target);
  return target;
}

/** Below `request`, whose stream for the body and whose signal cost as much as the call itself, and neither is needed. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #onEnd: (statusCode: number | null, error: string | null) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #answered = false;
  #cutOff = false;
  #bytesLeft = MAX_BODY_LEFT_BYTES;

  constructor(timeoutMs: number, onEnd: (statusCode: number | null, error: string | null) => void) {
    this.#onEnd = onEnd;
    // Ours rather than the client's: it begins before there is a connection, and ends whatever is going on.
    this.#timer = setTimeout(() => {
      this.#end(null, `timed out after ${timeoutMs / SECOND} s`);
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
    // Interim answers, such as early hints, come before the one that counts.
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

  /** The first ending counts; a body that breaks off after its status changes nothing. */
  #end(statusCode: number | null, error: string | null): void {
    clearTimeout(this.#timer);
    if (this.#answered) return;
    this.#answered = true;
    this.#onEnd(statusCode, error);
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#cutOff = true;
    this.#controller?.abort(new Error('the rest of the answer is not wanted'));
  }
}
