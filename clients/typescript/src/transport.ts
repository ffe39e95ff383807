import { randomKey } from './crypto.ts';
import {
  ConnectionError,
  type ErrorFacts,
  errorOfAnswer,
  TimeoutError,
  UnexpectedAnswerError,
  type WaypostError,
} from './errors.ts';
import { sendableKey } from './keys.ts';
import type { WaypostResponse } from './response.ts';
import {
  type FailedAttempt,
  mayRetry,
  parseRetryAfter,
  type RepeatRule,
  retryDelayMs,
  waitBeforeRetryMs,
} from './retry.ts';
import { jsonText } from './times.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What the client asks `fetch` for. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  signal: AbortSignal;
}

/** What the client reads of an answer. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Choices for one call. */
export interface CallOptions {
  /** Ends the call: no further attempt is made, and the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** For how long the call is tried in all, in milliseconds. */
  deadlineMs?: number | undefined;
  /** For how long one attempt waits for its answer, in milliseconds. */
  attemptTimeoutMs?: number | undefined;
  /** How often a failed attempt is repeated at most, within the deadline. 0: never. */
  maxRetries?: number | undefined;
}

/** Choices for one write. */
export interface WriteOptions extends CallOptions {
  /**
   * Makes the call safe to repeat for 24 hours. Derive it from what happened in your shop (`order-1001-shipped`), so
   * that a program that starts again repeats it too. A random one if none is given.
   */
  idempotencyKey?: string | undefined;
}

/** A request that is about to be repeated. It names no person. */
export interface RetryNotice {
  /** The method that was called, such as `messages.push`. */
  operation: string;
  /** The number of the attempt that failed, from 1. */
  attempt: number;
  /** How it failed. */
  error: WaypostError;
  /** How long until the next one. */
  delayMs: number;
}

/** Where calls go, and for how long they are tried. */
export interface TransportSettings {
  baseUrl: string;
  fetch: Fetch;
  deadlineMs: number;
  attemptTimeoutMs: number;
  maxRetries: number;
  onRetry: (notice: RetryNotice) => void;
  time: Time;
}

/** The passing of time, which a test can replace. */
export interface Time {
  /** Milliseconds that only grow. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export interface HttpRequest {
  operation: string;
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  repeat: RepeatRule;
  /** Whether it changes something: it then gets an idempotency key. */
  write: boolean;
  /** Whether a 404 after an attempt without an answer means that this attempt deleted it. */
  deletes?: boolean;
  options: WriteOptions;
}

/** Sends a request until it is answered, refused, or out of time. Its data is the parsed answer. */
export type Send = <Answer>(request: HttpRequest) => Promise<WaypostResponse<Answer>>;

export function createSend(settings: TransportSettings): Send {
  const { time, baseUrl, fetch } = settings;
  return async (request) => {
    const { operation, options } = request;
    const { signal, deadlineMs = settings.deadlineMs, maxRetries = settings.maxRetries } = options;
    const attemptTimeoutMs = options.attemptTimeoutMs ?? settings.attemptTimeoutMs;
    const idempotencyKey = request.write
      ? sendableKey('idempotencyKey', options.idempotencyKey ?? (await randomKey()))
      : null;
    const url = baseUrl + request.path;
    const init = initOf(request, idempotencyKey);
    const endsAt = time.now() + deadlineMs;
    let uncertain = false;
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      const timeoutMs = Math.max(1, Math.min(attemptTimeoutMs, endsAt - time.now()));
      const answer = await attemptOnce(
        (during) => fetch(url, { ...init, signal: during }),
        signal,
        timeoutMs,
      );
      const judged = judge(answer, url, { operation, attempts: attempt, idempotencyKey });
      if (judged.ok) return responseOf(judged.answer);
      const { failed, error } = judged;
      if (request.deletes && uncertain && answer.kind === 'answer' && answer.status === 404)
        return responseOf({ ...answer, text: '' });
      uncertain ||= failed.kind === 'no_answer' || failed.status >= 500;
      const isLast = attempt > maxRetries || error instanceof UnexpectedAnswerError;
      if (isLast || !mayRetry(failed, request.repeat)) throw error;
      const retryAfterMs = failed.kind === 'answered' ? failed.retryAfterMs : null;
      const delay = retryDelayMs(attempt, retryAfterMs, time.random());
      const delayMs = waitBeforeRetryMs(delay, endsAt - time.now(), deadlineMs);
      if (delayMs === null) throw error;
      settings.onRetry({ operation, attempt, error, delayMs });
      await time.sleep(delayMs, signal);
    }
  };
}

const initOf = (
  { method, headers, body }: HttpRequest,
  idempotencyKey: string | null,
): Omit<FetchInit, 'signal'> => ({
  method,
  headers: {
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
  },
  ...(body !== undefined && { body: jsonText(body) }),
  // A redirect would turn a POST into a GET; some runtimes know no other way to refuse one.
  redirect: 'manual',
});

type Answered = { kind: 'answer'; status: number; headers: FetchResponse['headers']; text: string };
type Attempt = Answered | { kind: 'timeout'; afterMs: number } | { kind: 'failure'; cause: unknown };

async function attemptOnce(
  fetch: (signal: AbortSignal) => Promise<FetchResponse>,
  signal: AbortSignal | undefined,
  timeoutMs: number,
): Promise<Attempt> {
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, timeoutMs);
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const response = await fetch(controller.signal);
    const text = await response.text();
    return { kind: 'answer', status: response.status, headers: response.headers, text };
  } catch (cause) {
    signal?.throwIfAborted();
    return timedOut ? { kind: 'timeout', afterMs: timeoutMs } : { kind: 'failure', cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

const responseOf = <Data>({ status, headers, text }: Answered): WaypostResponse<Data> => ({
  data: text === '' ? undefined : JSON.parse(text),
  status,
  requestId: headers.get('x-request-id'),
  replayed: headers.get('idempotent-replayed') === 'true',
  headers,
});

type Judged = { ok: true; answer: Answered } | { ok: false; failed: FailedAttempt; error: WaypostError };

function judge(
  attempt: Attempt,
  url: string,
  about: Pick<ErrorFacts, 'operation' | 'attempts' | 'idempotencyKey'>,
): Judged {
  const nothing = { ...about, status: null, requestId: null, detail: null };
  if (attempt.kind === 'timeout') {
    const says = `no answer from ${hostOf(url)} within ${Math.round(attempt.afterMs)} ms`;
    const error = new TimeoutError({ ...nothing, code: 'client.timeout' }, says);
    return { ok: false, failed: { kind: 'no_answer', notSent: false }, error };
  }
  if (attempt.kind === 'failure') {
    const { cause } = attempt;
    const says = `the connection to ${hostOf(url)} failed (${causeCode(cause) ?? 'no answer'})`;
    const facts = { ...nothing, code: 'client.connection_failed', ...(!names(cause, url) && { cause }) };
    const error = new ConnectionError(facts, says);
    return { ok: false, failed: { kind: 'no_answer', notSent: wasNotSent(cause) }, error };
  }
  const { status, headers, text } = attempt;
  const parsed = parseJson(text);
  if (status >= 200 && status < 300 && (parsed !== undefined || text === ''))
    return { ok: true, answer: attempt };
  const { error_code, detail }: { error_code?: unknown; detail?: unknown } = Object(parsed);
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  const code = typeof error_code === 'string' ? error_code : 'client.unexpected_answer';
  const requestId = headers.get('x-request-id');
  const facts: ErrorFacts = { ...about, status, code, requestId, detail: detail ?? null, retryAfterMs };
  const isOurs = code === error_code || status === 429 || status >= 500;
  const error = isOurs ? errorOfAnswer(facts) : new UnexpectedAnswerError(facts, unexpected(status));
  return { ok: false, failed: { kind: 'answered', status, code, retryAfterMs }, error };
}

/** The part of the address that never names a person. */
const hostOf = (url: string): string => url.split('/')[2] ?? '';

/** Whether an error has the address, whose path can name a person: some runtimes put it there. */
function names(error: unknown, url: string, depth = 0): boolean {
  if (typeof error === 'string') return error.includes(url);
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  return Object.values(Object.getOwnPropertyDescriptors(error)).some(({ value }: { value?: unknown }) =>
    names(value, url, depth + 1),
  );
}

const unexpected = (status: number): string =>
  `the answer (${status}) is not one of Waypost's: is baseUrl the address of the service?`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Codes of runtimes for a connection that was never made. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ConnectionRefused|UND_ERR_CONNECT_TIMEOUT)$/;

const wasNotSent = (cause: unknown): boolean => NOT_CONNECTED.test(causeCode(cause) ?? '');

/** `fetch` rejects with a TypeError whose cause, or whose cause's first error, has the code. */
function causeCode(error: unknown, depth = 0): string | null {
  if (typeof error !== 'object' || error === null || depth > 3) return null;
  const { code, cause, errors }: { code?: unknown; cause?: unknown; errors?: unknown } = error;
  if (typeof code === 'string') return code;
  return causeCode(cause ?? (Array.isArray(errors) ? errors[0] : null), depth + 1);
}

/** The longest that a timer can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(ms, LONGEST_TIMER_MS),
      );
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    }),
};
