import { randomInt } from 'node:crypto';
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../businesses/keys.ts';
import { keyAccesses } from '../contract/keys.ts';
import { type ObjectSchema, Shape } from '../contract/schema.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type ErrorCode } from '../kit/errors.ts';
import { UNRECOGNISED_KEY } from './admission.ts';
import type { Authentication } from './auth.ts';
import {
  type Activity,
  type Concurrency,
  limitConcurrency,
  spreadBursts,
  trackActivity,
} from './concurrency.ts';
import { sendFailure } from './failures.ts';
import { type AnyOperation, isPermitted, type LaterReply, type Reply } from './operation.ts';
import { createRateLimit, type RateLimit } from './rateLimit.ts';
import { admitAs, noCapacity } from './readBody.ts';
import { isGone } from './streams.ts';
import { checkParsed } from './validation/body.ts';
import { type Checked, passed, refusal } from './validation/checked.ts';
import { idempotencyKey } from './validation/headers.ts';
import { parseJson } from './validation/parseJson.ts';
import { parseQuery } from './validation/urlText.ts';
import { compile } from './validation/validate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key's owner is known; also for the request's log line. */
    caller: Caller | null;
    /** Whether the operation itself checks that the key is valid. */
    keyLeftToOperation: boolean;
  }
}

interface RegisterDeps {
  authentication: Authentication;
  rateLimit: RateLimit | null;
  clock: Clock;
}

interface Registering extends RegisterDeps {
  activity: Activity;
  /** For operations without their own limit. */
  concurrency: Concurrency;
  refusals: RateLimit | null;
}

/** Half of an API process's database connections, so that a burst of one business leaves the rest to others. */
const OPERATIONS_AT_ONCE_PER_BUSINESS = 8;
/**
 * A business that keeps calling while it is refused gets this many refusals per second at once; further ones are
 * delayed by a second, because answering them alone would occupy the process.
 */
const QUICK_REFUSALS = { perSecond: 50, burst: 100 };
/** Jitter, or all of them would call again at the same moment. */
const SLOW_REFUSAL_MS = { min: 500, max: 1_500 };

/** Registers the operations, each behind the checks in their order: size, key, access, rate, media type, validation. */
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

/** Any other HTTP method gets a 405 with the allowed ones, before any other check. */
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

/** Keys of `send` and of `read`. */
const RESTRICTED_KINDS = keyAccesses.length - 1;

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function registerOperation(app: FastifyInstance, operation: AnyOperation, deps: Registering): void {
  const { authentication, activity } = deps;
  const read = reader(operation, deps.clock);
  const { atOnceBesideOthers } = operation;
  const spread = spreadBursts(operation.perSecondBesideOthers, activity);
  const concurrency =
    atOnceBesideOthers === undefined ? deps.concurrency : limitBeside(activity, atOnceBesideOthers);

  /** An invalid key is reported before anything else that is wrong with the request. */
  const orRefusedKey = async (error: unknown, { headers }: FastifyRequest): Promise<unknown> => {
    if (error instanceof ApiError && SAID_TO_ANYONE.has(error.code)) return error;
    return authentication.authenticate(headers.authorization).then(
      () => error,
      (refusal: unknown) => refusal,
    );
  };

  const permitted = ({ access }: Caller): boolean => isPermitted(operation, access);

  /** A size can be checked without the key, but a valid key without access to the operation gets that error first. */
  const tooLarge = async (
    recognised: Caller | null,
    authorization: string | undefined,
  ): Promise<ApiError> => {
    const fault = new ApiError('request.too_large');
    if (operation.access.length === RESTRICTED_KINDS || (recognised && permitted(recognised))) return fault;
    const caller = await authentication.authenticate(authorization).catch(() => null);
    return caller === null || permitted(caller) ? fault : new ApiError('key.not_permitted');
  };

  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    onRequest: async (request, reply) => {
      const { authorization } = request.headers;
      const recognised = authentication.recognise(authorization);
      if (announcedBytes(request.headers) > operation.bodyLimit)
        throw await tooLarge(recognised, authorization);
      const admitted = admitAs(request, recognised?.businessId ?? UNRECOGNISED_KEY);
      if (admitted === null) throw noCapacity();
      // A key's access never changes, so it can be judged from the cache; that it is valid must be known first.
      request.keyLeftToOperation =
        operation.asksForKey === true && recognised !== null && permitted(recognised);
      const caller =
        request.keyLeftToOperation && recognised !== null
          ? recognised
          : await authentication.authenticate(authorization);
      request.caller = caller;
      activity.note(caller.businessId);
      if (!permitted(caller)) throw new ApiError('key.not_permitted');
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
        // Before parsing: a burst of one business must not occupy the CPU.
        const handled = await concurrency.run(caller.businessId, async () => {
          // Nobody waits for a read any more whose caller hung up before its turn came.
          if (operation.method === 'GET' && isGone(request)) throw noCapacity();
          return operation.handle({
            caller,
            span: request.span,
            isGone: () => isGone(request),
            ...read(request),
          });
        });
        const made = 'later' in handled ? await madeLater(request, handled) : handled;
        // A key that was revoked meanwhile gets nothing that happened since.
        if (('later' in handled || operation.isLong) && !isGone(request))
          await authentication.authenticate(request.headers.authorization);
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

/** A business alone has no limit. */
const limitBeside = (activity: Activity, atOnce: number): Concurrency =>
  limitConcurrency((business) => (activity.othersActive(business) ? atOnce : Number.POSITIVE_INFINITY));

/** A chunked body announces no length. */
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

/** Ends early if the caller hangs up. */
async function madeLater({ admitted }: FastifyRequest, { later }: LaterReply): Promise<Reply> {
  const gone = new AbortController();
  admitted?.waits(() => gone.abort());
  try {
    return await later(gone.signal);
  } finally {
    admitted?.resumes();
  }
}

/**
 * A response is held until the caller has read it. A read can be refused and repeated; the result of a write must
 * be sent.
 */
function holdAnswer({ admitted, method }: FastifyRequest, { body }: Reply): void {
  if (body === null || admitted === null) return;
  const bytes = Buffer.byteLength(body);
  if (method !== 'GET' && method !== 'HEAD') admitted.addBytes(bytes);
  else if (!admitted.reserveBytes(bytes)) throw noCapacity();
}

function answer(reply: FastifyReply, { status, body, replayed }: Reply): FastifyReply {
  reply.code(status);
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (body === null) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

/** Parses one request of this operation; all its faults are thrown together. */
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

/** Unknown parameters are ignored, but must be storable text, as everywhere. */
const NOTHING: ObjectSchema = Shape({});

const queryString = (url: string): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};
