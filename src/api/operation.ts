import type { Caller } from '../businesses/keys.ts';
import { REQUEST_BODY_MAX } from '../config/limits.ts';
import type { KeyAccess } from '../contract/keys.ts';
import type { ObjectSchema, Schema, ValueOf } from '../contract/schema.ts';
import type { Pool } from '../db/pool.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type ErrorCode } from '../kit/errors.ts';
import type { Hasher } from '../kit/seal.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import type { Formats } from './validation/strings.ts';

/**
 * One API operation as data: the router, the validation and the OpenAPI document are all built from it, so they
 * cannot disagree. `handle` gets the validated request, calls one function and returns the reply.
 */
interface Operation<Path extends ObjectSchema, Query extends ObjectSchema, Body extends Schema> {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in OpenAPI: `/api/v1/messages/{public_id}`. */
  path: string;
  tag: string;
  summary: string;
  /** The keys that may call it besides those with full access; by default none. */
  access?: readonly Exclude<KeyAccess, 'full'>[];
  description: string;
  params?: Path;
  query?: Query;
  body?: Body;
  /** The body in the OpenAPI document, if its parts are validated one by one later. */
  describedBody?: Schema;
  /** Parsers for the operation's own string formats, in the query and in the body. */
  formats?: Formats;
  /** Whether a missing body means an empty object. */
  bodyOptional?: boolean;
  /** A field of the body whose texts are validated item by item, so that a bad item fails alone. */
  uncheckedField?: string;
  bodyLimit?: number;
  /** The operation's first statement also checks the caller's key, which saves a query. */
  asksForKey?: boolean;
  /** It can take long, so the key is checked again before the answer. */
  isLong?: boolean;
  /** The most concurrent calls of one business while others call too. Alone it is not limited; by default a few. */
  concurrencyWhenShared?: number;
  /** The most calls of one business that start per second while others call too; the rest wait. */
  perSecondWhenShared?: number;
  /** The longest Idempotency-Key; set exactly where the header is required. */
  idempotencyKeyMax?: number;
  success: { status: 200 | 201 | 202 | 204; shape: Schema | null; description: string };
  /** Those that not every operation has. */
  errors?: readonly ErrorCode[];
  examples?: { request?: unknown; response?: unknown };
  handle(call: Call<ValueOf<Path>, ValueOf<Query>, ValueOf<Body>>): Promise<Reply | LaterReply>;
}

/** What the operations work with. */
export interface OperationDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  /** Sends were queued. */
  onSends: () => void;
  /** Webhook deliveries were queued. */
  onEvents: () => void;
}

export interface Call<Path, Query, Body> {
  caller: Caller;
  /** The request's; null where traces are off. */
  span: TraceSpan | null;
  params: Path;
  query: Query;
  body: Body;
  /** The body as sent, including unknown fields. */
  raw: unknown;
  bytes: number;
  /** Empty if the operation has none. */
  idempotencyKey: string;
  /** Whether the caller hung up: a long read can stop. */
  isGone(): boolean;
}

/** `body` is already JSON text, because replays must be identical to the byte. */
export interface Reply {
  status: number;
  body: string | null;
  replayed?: boolean;
}

/** A reply that the caller waits for. Meanwhile the call counts towards no limit of its business. */
export interface LaterReply {
  later(gone: AbortSignal): Promise<Reply>;
}

type Defaulted = 'access' | 'bodyLimit' | 'errors' | 'examples';
type Untyped = Operation<ObjectSchema, ObjectSchema, Schema>;
export type AnyOperation = Untyped & Required<Pick<Untyped, Defaulted>>;

/** Checks the types within one operation, then drops them, so that all operations fit in one list. */
export const operation = <
  Path extends ObjectSchema = ObjectSchema,
  Query extends ObjectSchema = ObjectSchema,
  Body extends Schema = Schema,
>(
  definition: Operation<Path, Query, Body>,
): AnyOperation => ({ access: [], bodyLimit: REQUEST_BODY_MAX, errors: [], examples: {}, ...definition });

/** Whether a key with this access may call the operation. */
export const isPermitted = ({ access }: Pick<AnyOperation, 'access'>, key: KeyAccess): boolean =>
  key === 'full' || access.includes(key);

/** The value; where there is none, throws this error. */
export function found<T>(value: T | null, code: ErrorCode): T {
  if (value === null) throw new ApiError(code);
  return value;
}

export const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) });
export const noContent: Reply = { status: 204, body: null };
