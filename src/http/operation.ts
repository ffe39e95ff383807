import type { Static, TObject, TSchema } from 'typebox';
import type { Caller } from '../businesses/keys.ts';
import type { ErrorCode } from '../kit/errors.ts';
import type { Formats } from './validation/strings.ts';

/**
 * One operation of the interface, as data: the router, the validation and the OpenAPI document are all made from
 * it, so they cannot disagree. `handle` is given what was validated, calls one function and says what to answer.
 */
export interface Operation<Path extends TObject, Query extends TObject, Body extends TSchema> {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/api/v1/messages/{public_id}`. */
  path: string;
  tag: string;
  summary: string;
  description: string;
  params?: Path;
  query?: Query;
  body?: Body;
  /** What the document says of a body whose parts are checked one by one later. */
  describedBody?: TSchema;
  /** How texts of its own formats are read, in the query and in the body. */
  formats?: Formats;
  /** Whether a request without a body is one with an empty object. */
  bodyOptional?: boolean;
  /** A field of the body whose texts are checked item by item, so that a bad item fails alone. */
  uncheckedField?: string;
  bodyLimit: number;
  /** Its first statement also asks whether the caller's key still counts: nothing is asked for that alone. */
  asksForKey?: boolean;
  /** How many calls of one business run at once while others call too. Alone it may have any number; without this, a few. */
  atOnceBesideOthers?: number;
  /** How many calls of one business begin in a second while others call too; the rest wait. */
  perSecondBesideOthers?: number;
  /** The longest Idempotency-Key; present exactly where the header is required. */
  idempotencyKeyMax?: number;
  success: { status: 200 | 201 | 204; shape: TSchema | null; description: string };
  errors: readonly ErrorCode[];
  examples: { request?: unknown; response?: unknown };
  handle(call: Call<Static<Path>, Static<Query>, Static<Body>>): Promise<Reply>;
}

export interface Call<Path, Query, Body> {
  caller: Caller;
  params: Path;
  query: Query;
  body: Body;
  /** The body as it was sent, unknown fields included. */
  raw: unknown;
  bytes: number;
  /** Empty where the operation takes none. */
  idempotencyKey: string;
}

/** `body` is JSON text already, since replays must be equal to the byte. */
export interface Reply {
  status: number;
  body: string | null;
  replayed?: boolean;
}

export type AnyOperation = Operation<TObject, TObject, TSchema>;

/** Checks the types within one operation, then forgets them, so that all of them fit in one list. */
export const operation = <
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(
  definition: Operation<Path, Query, Body>,
): AnyOperation => definition;

export const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) });
export const noContent: Reply = { status: 204, body: null };
