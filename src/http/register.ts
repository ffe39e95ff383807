import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../businesses/keys.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import type { Authenticate } from './auth.ts';
import { sendFailure } from './failures.ts';
import type { AnyOperation, Reply } from './operation.ts';
import type { RateLimit } from './rateLimit.ts';
import { checkParsed } from './validation/body.ts';
import { type Checked, passed, refusal } from './validation/checked.ts';
import { idempotencyKey } from './validation/headers.ts';
import { parseJson } from './validation/parseJson.ts';
import { decodeUrlText, parseQuery } from './validation/urlText.ts';
import { compile, type Validator } from './validation/validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key was checked; for the log line of the request. */
    caller: Caller | null;
  }
}

export interface RegisterDeps {
  authenticate: Authenticate;
  rateLimit: RateLimit | null;
  clock: Clock;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Puts the operations on the router, each behind the checks in their order: size, key, rate, media type, validity. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly AnyOperation[],
  deps: RegisterDeps,
): void {
  for (const operation of operations) registerOperation(app, operation, deps);
  for (const path of new Set(operations.map(({ path }) => path))) {
    const allowed = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const allow = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed;
    app.route({
      method: METHODS.filter((method) => !allow.includes(method)),
      url: routerPath(path),
      handler: () =>
        Promise.reject(new ApiError('common.method_not_allowed', undefined, { allow: allow.join(', ') })),
      onRequest: async () => {
        throw new ApiError('common.method_not_allowed', undefined, { allow: allow.join(', ') });
      },
    });
  }
}

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function registerOperation(app: FastifyInstance, operation: AnyOperation, deps: RegisterDeps): void {
  const read = reader(operation, deps.clock);
  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    onRequest: async (request, reply) => {
      if (Number(request.headers['content-length'] ?? 0) > operation.bodyLimit) {
        throw new ApiError('request.too_large', undefined, { connection: 'close' });
      }
      const caller = await deps.authenticate(request.headers.authorization);
      request.caller = caller;
      if (deps.rateLimit) countCall(deps.rateLimit, caller, reply);
    },
    handler: async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new ApiError('business.invalid_api_key');
      return answer(reply, await operation.handle({ caller, ...read(request) }));
    },
    errorHandler: (error, _request, reply) => {
      if (error instanceof ApiError) return sendFailure(reply, error);
      throw error;
    },
  });
}

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
  const params = operation.params ? compile(operation.params) : null;
  const query = operation.query ? compile(operation.query, { integers: 'text' }) : null;
  const body = operation.body ? compile(operation.body, { clock }) : null;
  const keyMax = operation.idempotencyKeyMax;

  return (request: FastifyRequest) => {
    const path = checkUrlPart(params, 'path', decodedParams(request));
    const search = checkUrlPart(query, 'query', parseQuery(queryString(request.raw.url ?? '')));
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

function checkUrlPart(
  validate: Validator<Record<string, unknown>> | null,
  place: 'path' | 'query',
  value: Record<string, unknown>,
): Checked<Record<string, unknown>> {
  return validate ? checkParsed(value, [place], validate) : passed({});
}

const decodedParams = (request: FastifyRequest): Record<string, string> => {
  const params: Record<string, string> = {};
  if (typeof request.params !== 'object' || request.params === null) return params;
  for (const [name, value] of Object.entries(request.params)) params[name] = decodeUrlText(String(value));
  return params;
};

const queryString = (url: string): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};
