import type { ErrorCode } from './generated/api.ts';
import type { Open } from './open.ts';

/** What every error of a call carries. */
export interface ErrorFacts {
  /** The method that was called, such as `messages.push`. */
  operation: string;
  code: WaypostErrorCode;
  status: number | null;
  requestId: string | null;
  /** The server's `detail`: a sentence, or the list of faults of a validation. */
  detail: unknown;
  attempts: number;
  idempotencyKey: string | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

/** A code of the service, or one of the client where the service did not answer one. */
export type WaypostErrorCode = Open<
  ErrorCode | 'client.aborted' | 'client.connection_failed' | 'client.timeout' | 'client.unexpected_answer'
>;

/**
 * A call that did not succeed. Every other error class of a call extends it. Neither the message nor what a logger
 * prints of it holds a secret, an address, a number or a text: those can be in `detail`, which is not enumerable.
 */
export class WaypostError extends Error {
  override readonly name: string = 'WaypostError';
  /** The error code to branch on, such as `message.not_found`; `client.…` where the server did not answer one. */
  readonly code: WaypostErrorCode;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** Names the request in the server's logs; null without an answer. */
  readonly requestId: string | null;
  /** The server's words: a sentence, or the list of faults of a validation. It can repeat what was sent. */
  declare readonly detail: unknown;
  /** How many requests were made. */
  readonly attempts: number;
  /** The key of a write: repeat the call with it, and nothing happens twice. Null for a read. */
  readonly idempotencyKey: string | null;

  constructor(facts: ErrorFacts, says: string) {
    super(`${facts.operation}: ${says}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.attempts = facts.attempts;
    this.idempotencyKey = facts.idempotencyKey;
    Object.defineProperty(this, 'detail', { value: facts.detail, enumerable: false });
  }
}

/** 401: the API key is missing, malformed or revoked. */
export class AuthenticationError extends WaypostError {
  override readonly name = 'AuthenticationError';
}

/** 403: the business is inactive, or the key is not allowed to make this call. */
export class PermissionError extends WaypostError {
  override readonly name = 'PermissionError';
}

/** 404: no such id, or it belongs to another business. */
export class NotFoundError extends WaypostError {
  override readonly name = 'NotFoundError';
}

/** 409: the call contradicts what is stored; `code` says how. */
export class ConflictError extends WaypostError {
  override readonly name: string = 'ConflictError';
}

/** 409: the idempotency key was used with another body. Keys must differ where the calls differ. */
export class IdempotencyKeyReusedError extends ConflictError {
  override readonly name = 'IdempotencyKeyReusedError';
}

/** 409: until the deadline another request with the same key was still running. */
export class RequestInProgressError extends ConflictError {
  override readonly name = 'RequestInProgressError';
}

/** 410: events after the cursor are no longer kept. Follow again without `after`. */
export class CursorExpiredError extends WaypostError {
  override readonly name = 'CursorExpiredError';
}

/** 413: the body is larger than the server takes. */
export class RequestTooLargeError extends WaypostError {
  override readonly name = 'RequestTooLargeError';
}

/** One fault of a request. */
export interface FieldError {
  /** The field, such as `channels[1]`; empty where the whole is at fault. */
  field: string;
  /** Where it stands: `body`, `query`, `path` or `header`. */
  place: string;
  /** What is wrong with it, for a person. */
  message: string;
  /** The kind of fault, such as `missing` or `string_too_long`. */
  type: string;
}

/** 422: a field is at fault; `fields` says which. */
export class ValidationError extends WaypostError {
  override readonly name = 'ValidationError';
  /** Every fault. Empty where the server names no field. */
  readonly fields: readonly FieldError[];

  constructor(facts: ErrorFacts) {
    const fields = fieldErrors(facts.detail);
    const says = fields.map(({ field, place, message }) => `${field || place}: ${message}`).join('; ');
    super(facts, says || sentence(facts));
    this.fields = fields;
  }
}

/** 429: until the deadline there were more calls than the limit allows. */
export class RateLimitError extends WaypostError {
  override readonly name = 'RateLimitError';
  /** How long the server asked to wait; null if it did not say. */
  readonly retryAfterMs: number | null;

  constructor(facts: ErrorFacts) {
    super(facts, sentence(facts));
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/** 5xx until the deadline. The call may have had its effect: repeat it with the same `idempotencyKey`. */
export class ServerError extends WaypostError {
  override readonly name = 'ServerError';
}

/** An answer that is not one of Waypost's: a redirect, a page of a proxy. `baseUrl` is probably wrong. */
export class UnexpectedAnswerError extends WaypostError {
  override readonly name = 'UnexpectedAnswerError';
}

/** Any other 4xx. */
export class RequestError extends WaypostError {
  override readonly name = 'RequestError';
}

/** No answer until the deadline. The call may have had its effect: repeat it with the same `idempotencyKey`. */
export class ConnectionError extends WaypostError {
  override readonly name: string = 'ConnectionError';
}

/** The server took the request and did not answer in time. It may have had its effect, as with every ConnectionError. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** The class that fits an error answer. */
export function errorOfAnswer(facts: ErrorFacts): WaypostError {
  const { code, status } = facts;
  if (status === 422) return new ValidationError(facts);
  if (status === 429) return new RateLimitError(facts);
  return new (classOf(status ?? 0, code))(facts, sentence(facts));
}

function classOf(status: number, code: string): new (facts: ErrorFacts, says: string) => WaypostError {
  if (status >= 500) return ServerError;
  if (code === 'idempotency.key_reused') return IdempotencyKeyReusedError;
  if (code === 'idempotency.request_in_progress') return RequestInProgressError;
  switch (status) {
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionError;
    case 404:
      return NotFoundError;
    case 409:
      return ConflictError;
    case 410:
      return CursorExpiredError;
    case 413:
      return RequestTooLargeError;
    default:
      return RequestError;
  }
}

const sentence = ({ status, code, detail }: ErrorFacts): string =>
  `${status} ${code}${typeof detail === 'string' ? `: ${detail}` : ''}`;

function fieldErrors(detail: unknown): FieldError[] {
  if (!Array.isArray(detail)) return [];
  return detail.map((entry: unknown) => {
    const { type, loc, msg }: { type?: unknown; loc?: unknown; msg?: unknown } = Object(entry);
    const [place = '', ...path]: unknown[] = Array.isArray(loc) ? loc : [];
    return { field: fieldName(path), place: String(place), message: String(msg), type: String(type) };
  });
}

/** `['channels', 1]` is `channels[1]`, `['whatsapp_opt_in', 'source']` is `whatsapp_opt_in.source`. */
const fieldName = (path: readonly unknown[]): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}${name && '.'}${part}`),
    '',
  );
