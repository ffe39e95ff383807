import { randomInt } from 'node:crypto';
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import type { Caller } from '../businesses/keys.ts';
import { Shape } from '../contract/schema.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type ErrorCode } from '../kit/errors.ts';
import { WITHOUT_KNOWN_KEY } from './admission.ts';
import type { Authentication } from './auth.ts';
import {
  type Activity,
  type Concurrency,
  limitConcurrency,
  spreadBursts,
  trackActivity,
} from './concurrency.ts';
import { sendFailure } from './failures.ts';
import type { AnyOperation, Reply } from './operation.ts';
import { createRateLimit, type RateLimit } from './rateLimit.ts';
import { admitAs, noCapacity } from './readBody.ts';
import { checkParsed } from './validation/body.ts';
import { type Checked, passed, refusal } from './validation/checked.ts';
import { idempotencyKey } from './validation/headers.ts';
import { parseJson } from './validation/parseJson.ts';
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
  authentication: Authentication;
  rateLimit: RateLimit | null;
  clock: Clock;
}

interface Registering extends RegisterDeps {
  activity: Activity;
  /** For operations without a limit of their own. */
  concurrency: Concurrency;
  refusals: RateLimit | null;
}

/** Half of the database connections of an API process: a burst of one business leaves the others to everyone else. */
const OPERATIONS_AT_ONCE_PER_BUSINESS = 8;
/**
 * A business that calls on and on while it is refused gets so many refusals a second at once; further ones come a second later,
 * or answering them alone would keep the process busy.
 */
const QUICK_REFUSALS = { perSecond: 50, burst: 100 };
/** Not all after the same time, or they would all call again at the same moment. */
const SLOW_REFUSAL_MS = { min: 500, max: 1_500 };

/** Puts the operations on the router, each behind the checks in their order: size, key, rate, media type, validity. */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly AnyOperation[],
  deps: RegisterDeps,
): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const activity = trackActivity();
  const registering: Registering = {
    ...deps,
    activity,
    concurrency: limitBeside(activity, OPERATIONS_AT_ONCE_PER_BUSINESS),
    refusals: createRateLimit(QUICK_REFUSALS),
  };
  for (const operation of operations) registerOperation(app, operation, registering);
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

function registerOperation(app: FastifyInstance, operation: AnyOperation, deps: Registering): void {
  const { authentication, activity } = deps;
  const read = reader(operation, deps.clock);
  const { atOnceBesideOthers } = operation;
  const spread = spreadBursts(operation.perSecondBesideOthers, activity);
  const concurrency =
    atOnceBesideOthers === undefined ? deps.concurrency : limitBeside(activity, atOnceBesideOthers);

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
      if (announcedBytes(request.headers) > operation.bodyLimit) throw new ApiError('request.too_large');
      const { authorization } = request.headers;
      const recognised = authentication.recognise(authorization);
      const admitted = admitAs(request, recognised?.businessId ?? WITHOUT_KNOWN_KEY);
      if (admitted === null) throw noCapacity();
      request.keyLeftToOperation = operation.asksForKey === true && recognised !== null;
      const caller =
        request.keyLeftToOperation && recognised !== null
          ? recognised
          : await authentication.authenticate(authorization);
      request.caller = caller;
      activity.note(caller.businessId);
      if (recognised === null && !admitted.moveTo(caller.businessId)) throw noCapacity();
      if (deps.rateLimit) await countCall(deps.rateLimit, deps.refusals, caller, reply);
    },
    handler: async (request, reply) => {
      const { caller } = request;
      if (caller === null) throw new ApiError('business.invalid_api_key');
      const { admitted } = request;
      admitted?.workBegins();
      try {
        const wait = spread(caller.businessId);
        if (wait >= 1) await sleep(wait);
        // What waits here is not even parsed: a burst of one business must not keep the processor from the others.
        const made = await concurrency.run(caller.businessId, async () =>
          operation.handle({ caller, ...read(request) }),
        );
        holdAnswer(request, made);
        return answer(reply, made);
      } finally {
        admitted?.workEnds();
      }
    },
    errorHandler: async (thrown, request, reply) => {
      const error = request.keyLeftToOperation ? await orRefusedKey(thrown, request) : thrown;
      if (!(error instanceof ApiError)) throw error;
      if (KEY_REFUSED.has(error.code)) authentication.forget(request.headers.authorization);
      return sendFailure(reply, error);
    },
  });
}

/** A business that calls alone may have any number at once. */
const limitBeside = (activity: Activity, atOnce: number): Concurrency =>
  limitConcurrency((business) => (activity.isBeside(business) ? atOnce : Number.POSITIVE_INFINITY));

/** What comes in chunks announces nothing. */
const announcedBytes = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0);

async function countCall(
  rateLimit: RateLimit,
  refusals: RateLimit | null,
  { keyId, businessId }: Caller,
  reply: FastifyReply,
): Promise<void> {
  const { allowed, limit, remaining, resetSeconds, retryAfterSeconds } = rateLimit(keyId, businessId);
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (allowed) return;
  if (refusals?.(businessId).allowed === false)
    await sleep(randomInt(SLOW_REFUSAL_MS.min, SLOW_REFUSAL_MS.max));
  throw new ApiError('common.rate_limited', undefined, { 'retry-after': String(retryAfterSeconds) });
}

/** An answer is held until the caller has read it. One that only reads can ask again; what was done must be told. */
function holdAnswer({ admitted, method }: FastifyRequest, { body }: Reply): void {
  if (body === null || admitted === null) return;
  const bytes = Buffer.byteLength(body);
  if (method !== 'GET' && method !== 'HEAD') admitted.addBytes(bytes);
  else if (!admitted.takeBytes(bytes)) throw noCapacity();
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
