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
export async function postWebhook(client: Dispatcher, call: WebhookCall): Promise<WebhookAnswer> {
  const startedAt = monotonicMs();
  const timeoutMs = call.timeoutMs ?? WEBHOOK_TIMEOUT_MS;
  const answer = (statusCode: number | null, error: string | null): WebhookAnswer => ({
    delivered: error === null,
    statusCode,
    error,
    durationMs: Math.round(monotonicMs() - startedAt),
  });

  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // Raced rather than left to the signal: undici heeds that only once there is a connection.
  const timedOut = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), timeoutMs);
  });
  try {
    const response = await Promise.race([request(client, call, abort.signal), timedOut]);
    if (response === null) {
      abort.abort();
      return answer(null, `timed out after ${timeoutMs / SECOND} s`);
    }
    letGo(response.body, abort);
    return answer(response.statusCode, refusalSentence(response.statusCode));
  } catch (error) {
    return answer(null, failureSentence(error));
  } finally {
    clearTimeout(timer);
  }
}

async function request(client: Dispatcher, call: WebhookCall, signal: AbortSignal) {
  const { origin, pathname, search } = new URL(call.url);
  return client.request({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT, ...call.headers },
    body: call.body,
    signal,
  });
}

/** Discards the body in the background. Most are empty or tiny; a huge or endless one costs its connection. */
function letGo(body: Dispatcher.ResponseData['body'], abort: AbortController): void {
  const timer = setTimeout(() => abort.abort(), MAX_BODY_LEFT_MS);
  timer.unref();
  body.once('close', () => clearTimeout(timer));
  body.dump({ limit: MAX_BODY_LEFT_BYTES }).catch(() => {});
}
