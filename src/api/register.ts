import { randomInt } from 'node:crypto';
import { type IncomingHttpHeaders, METHODS } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../businesses/keys.ts';
import { keyAccesses } from '../contract/keys.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type ErrorCode } from '../kit/errors.ts';
import { groupBy } from '../kit/groupBy.ts';
import { UNRECOGNISED_KEY } from './admission.ts';
import type { Authentication } from './auth.ts';
import {
  type Activity,
  type Concurrency,
  limitConcurrency,
  spreadBursts,
  trackActivity,
} from './concurrency.ts';
import { sendFailure, sendFailureBody } from './failures.ts';
import { type AnyOperation, isPermitted, type LaterReply, type Reply } from './operation.ts';
import { createRateLimit, type RateLimit } from './rateLimit.ts';
import { admitAs, noCapacity } from './readBody.ts';
import { requestReader } from './requestReader.ts';
import { isGone } from './streams.ts';

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
    concurrency: limitWhenShared(activity, OPERATIONS_AT_ONCE_PER_BUSINESS),
    refusals: createRateLimit(QUICK_REFUSALS),
  };
  for (const operation of operations) registerOperation(app, operation, registering);
  for (const [path, ofPath] of groupBy(operations, ({ path }) => path)) refuseOtherMethods(app, path, ofPath);
}

/** Any other HTTP method gets a 405 with the allowed ones, before any other check. */
function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly AnyOperation[]): void {
  const allow: string[] = allowed.map(({ method }) => method);
  if (allow.includes('GET')) allow.unshift('HEAD');
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
const ANSWERED_WITHOUT_KEY: ReadonlySet<ErrorCode> = new Set([...KEY_REFUSED, 'common.unavailable']);

/** Keys of `send` and of `read`. */
const RESTRICTED_KINDS = keyAccesses.length - 1;

const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function registerOperation(app: FastifyInstance, operation: AnyOperation, deps: Registering): void {
  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    bodyLimit: operation.bodyLimit,
    onRequest: (request, reply) => admitCall(operation, deps, request, reply),
    handler: handlerOf(operation, deps),
    errorHandler: (error, request, reply) => reportError(deps, error, request, reply),
  });
}

/** Before the body is read: size, key, access, rate. */
async function admitCall(
  operation: AnyOperation,
  { authentication, activity, rateLimit, refusals }: Registering,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { authorization } = request.headers;
  const recognised = authentication.recognise(authorization);
  if (announcedBytes(request.headers) > operation.bodyLimit)
    throw await tooLarge(operation, authentication, recognised, authorization);
  const admitted = admitAs(request, recognised?.businessId ?? UNRECOGNISED_KEY);
  if (admitted === null) throw noCapacity();
  // A key's access never changes, so it can be judged from the cache; that it is valid must be known first.
  const known =
    operation.asksForKey && recognised && isPermitted(operation, recognised.access) ? recognised : null;
  request.keyLeftToOperation = known !== null;
  const caller = known ?? (await authentication.authenticate(authorization));
  request.caller = caller;
  activity.note(caller.businessId);
  if (!isPermitted(operation, caller.access)) throw new ApiError('key.not_permitted');
  if (recognised === null && !admitted.moveTo(caller.businessId)) throw noCapacity();
  if (rateLimit) await countCall(rateLimit, refusals, caller, reply);
}

/** A size can be checked without the key, but a valid key without access to the operation gets that error first. */
async function tooLarge(
  operation: AnyOperation,
  authentication: Authentication,
  recognised: Caller | null,
  authorization: string | undefined,
): Promise<ApiError> {
  const fault = new ApiError('request.too_large');
  if (operation.access.length === RESTRICTED_KINDS) return fault;
  if (recognised && isPermitted(operation, recognised.access)) return fault;
  const caller = await authentication.authenticate(authorization).catch(() => null);
  return caller === null || isPermitted(operation, caller.access) ? fault : new ApiError('key.not_permitted');
}

/** After the body is read: the call's turn among those of its business, validation, the work, the answer. */
function handlerOf(operation: AnyOperation, { authentication, activity, clock, ...deps }: Registering) {
  const { concurrencyWhenShared: limit, perSecondWhenShared } = operation;
  const { run: inTurn } = limit === undefined ? deps.concurrency : limitWhenShared(activity, limit);
  const delayOf = spreadBursts(perSecondWhenShared, activity);
  const read = requestReader(operation, clock);

  const runOperation = (caller: Caller, request: FastifyRequest): Promise<Reply | LaterReply> =>
    // Before parsing: a burst of one business must not occupy the CPU.
    inTurn(caller.businessId, async () => {
      // Nobody waits for a read any more whose caller hung up before its turn came.
      if (operation.method === 'GET' && isGone(request)) throw noCapacity();
      const { span } = request;
      return operation.handle({ caller, span, isGone: () => isGone(request), ...read(request) });
    });

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller, admitted } = request;
    if (caller === null) throw new ApiError('business.invalid_api_key');
    admitted?.workBegins();
    try {
      const delay = delayOf(caller.businessId);
      if (delay >= 1) await sleep(delay);
      const handled = await runOperation(caller, request);
      const made = 'later' in handled ? await madeLater(request, handled) : handled;
      // A key that was revoked meanwhile gets nothing that happened since.
      if (('later' in handled || operation.isLong) && !isGone(request))
        await authentication.authenticate(request.headers.authorization);
      holdAnswer(request, made);
      return answer(reply, made);
    } finally {
      admitted?.workEnds();
    }
  };
}

async function reportError(
  { authentication }: Registering,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { authorization } = request.headers;
  const isPublic =
    !request.keyLeftToOperation || (thrown instanceof ApiError && ANSWERED_WITHOUT_KEY.has(thrown.code));
  // An invalid key is reported before anything else that is wrong with the request.
  const refusal = isPublic
    ? null
    : await authentication.authenticate(authorization).then(
        () => null,
        (error: unknown) => error,
      );
  const error = refusal ?? thrown;
  if (!(error instanceof ApiError)) throw error;
  if (KEY_REFUSED.has(error.code)) authentication.forget(authorization);
  return sendFailure(reply, error);
}

/** A business alone has no limit. */
const limitWhenShared = (activity: Activity, atOnce: number): Concurrency =>
  limitConcurrency((business) => (activity.othersActive(business) ? atOnce : Number.POSITIVE_INFINITY));

/** A chunked body announces no length. */
const announcedBytes = (headers: IncomingHttpHeaders): number => Number(headers['content-length'] ?? 0);

async function countCall(
  rateLimit: RateLimit,
  refusals: RateLimit | null,
  { keyId, businessId }: Caller,
  reply: FastifyReply,
): Promise<void> {
  const { remaining, resetSeconds, ...call } = rateLimit(keyId, businessId);
  reply.headers({
    'ratelimit-limit': call.limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
    // The same in the words of the draft for a standard.
    'ratelimit-policy': call.policies,
    ratelimit: `"${call.policy}";r=${remaining};t=${resetSeconds}`,
  });
  if (call.allowed) return;
  if (refusals?.(businessId).allowed === false)
    await sleep(randomInt(SLOW_REFUSAL_MS.min, SLOW_REFUSAL_MS.max));
  throw new ApiError('common.rate_limited', undefined, { 'retry-after': String(call.retryAfterSeconds) });
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
  if (status >= 400) return sendFailureBody(reply, status, body);
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}
