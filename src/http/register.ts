import { type IncomingHttpHeaders, METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { Caller } from '../businesses/keys.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type ErrorCode } from '../kit/errors.ts';
import type { Admission } from './admission.ts';
import type { Authentication } from './auth.ts';
import { sendFailure } from './failures.ts';
import type { AnyOperation, Reply } from './operation.ts';
import type { RateLimit } from './rateLimit.ts';
import { checkParsed } from './validation/body.ts';
import { type Checked, passed, refusal } from './validation/checked.ts';
import { idempotencyKey } from './validation/headers.ts';
import { parseJson } from './validation/parseJson.ts';
import { Shape } from './validation/schema.ts';
import { parseQuery } from './validation/urlText.ts';
import { compile } from './validation/validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once it is known whose key it is; also for the log line of the request. */
    caller: Caller | null;
    /** Whether it is the operation that asks if that key still counts. */
    keyLeftToOperation: boolean;
  }
}

export interface RegisterDeps {
  admission: Admission;
  authentication: Authentication;
  rateLimit: RateLimit | null;
  clock: Clock;
}

/** Puts the operations on the router, each behind the checks in their order: size, key, rate, media type, validity. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly AnyOperation[],
  deps: RegisterDeps,
): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  for (const operation of operations) registerOperation(app, operation, deps);
  for (const path of new Set(operations.map(({ path }) => path))) {
    refuseOtherMethods(
      app,
      path,
      operations.filter((operation) => operation.path === path).map(({ method }) => method),
    );
  }
}

/** Any method that HTTP knows is told which ones the path takes, before anything else of the request is looked at. */
function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  const allow = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed;
  const refuse = async () => {
    throw new ApiError('common.method_not_allowed', undefined, { allow: allow.join(', ') });
  };
  app.route({
    method: METHODS.filter((method) => !allow.includes(method)),
    url: routerPath(path),
    onRequest: refuse,
    handler: refuse,
  });
}

const KEY_REFUSED: ReadonlySet<ErrorCode> = new Set(['business.invalid_api_key', 'business.inactive']);
const SAID_TO_ANYONE: ReadonlySet<ErrorCode> = new Set([...KEY_REFUSED, 'common.unavailable']);

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function registerOperation(app: FastifyInstance, operation: AnyOperation, deps: RegisterDeps): void {
  const { authentication } = deps;
  const read = reader(operation, deps.clock);

  /** Whatever else is wrong with a request, that its key does not count comes first. */
  const orRefusedKey = async (error: unknown, { headers }: FastifyRequest): Promise<unknown> => {
    if (error instanceof ApiError && SAID_TO_ANYONE.has(error.code)) return error;
    return authentication.authenticate(headers.authorization).then(
      () => error,
      (refusal: unknown) => refusal,
    );
  };

  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    onRequest: async (request, reply) => {
      const announced = announcedBytes(request.headers, operation.bodyLimit);
      if (announced > operation.bodyLimit) throw new ApiError('request.too_large');
      const leave = deps.admission.admit(announced);
      if (leave === null) throw new ApiError('common.unavailable', undefined, { 'retry-after': '1' });
      // Also when the caller has gone before the answer.
      reply.raw.once('close', leave);
      const { authorization } = request.headers;
      const recognised = operation.asksForKey ? authentication.recognise(authorization) : null;
      request.keyLeftToOperation = recognised !== null;
      const caller = recognised ?? (await authentication.authenticate(authorization));
      request.caller = caller;
      if (deps.rateLimit) countCall(deps.rateLimit, caller, reply);
    },
    handler: async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new ApiError('business.invalid_api_key');
      return answer(reply, await operation.handle({ caller, ...read(request) }));
    },
    errorHandler: async (thrown, request, reply) => {
      const error = request.keyLeftToOperation ? await orRefusedKey(thrown, request) : thrown;
      if (!(error instanceof ApiError)) throw error;
      if (KEY_REFUSED.has(error.code)) authentication.forget(request.headers.authorization);
      return sendFailure(reply, error);
    },
  });
}

/** What comes in chunks may be as long as is allowed. */
const announcedBytes = (headers: IncomingHttpHeaders, limit: number): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit;

function countCall(rateLimit: RateLimit, caller: Caller, reply: FastifyReply): void {
  const { allowed, limit, remaining, resetSeconds, retryAfterSeconds } = rateLimit(caller.keyId);
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (!allowed)
    throw new ApiError('common.rate_limited', undefined, { 'retry-after': String(retryAfterSeconds) });
}

function answer(reply: FastifyReply, { status, body, replayed }: Reply): FastifyReply {
  reply.code(status);
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (body === null) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

/** Reads one request of this operation; all that is wrong with it is thrown together. */
function reader(operation: AnyOperation, clock: Clock) {
  const params = compile(operation.params ?? NOTHING);
  const { formats = {} } = operation;
  const query = compile(operation.query ?? NOTHING, { formats, integers: 'text' });
  const body = operation.body ? compile(operation.body, { clock, formats }) : null;
  const keyMax = operation.idempotencyKeyMax;

  return (request: FastifyRequest) => {
    const path = checkParsed(request.params, ['path'], params);
    const search = checkParsed(parseQuery(queryString(request.raw.url ?? '')), ['query'], query);
    const key =
      keyMax === undefined ? passed('') : idempotencyKey(request.headers['idempotency-key'], keyMax);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const raw =
      body === null || (operation.bodyOptional && bytes.length === 0) ? passed({}) : parseJson(bytes);
    const content: Checked<unknown> =
      raw.ok && body ? checkParsed(raw.value, ['body'], body, operation.uncheckedField) : raw;
    if (!path.ok || !search.ok || !key.ok || !content.ok || !raw.ok)
      throw refusal(path, search, key, content);
    return {
      params: path.value,
      query: search.value,
      body: content.value,
      raw: raw.value,
      bytes: bytes.length,
      idempotencyKey: key.value,
    };
  };
}

/** Parameters that an operation does not know are ignored, but must be text that can be stored, as everywhere. */
const NOTHING: TObject = Shape({});

const queryString = (url: string): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};
