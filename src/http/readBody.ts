import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { monotonicMs } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { type Admission, type Admitted, ANYONE_WEIGHT, PAGES } from './admission.ts';

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
    pace: Pace;
  }
  interface FastifyRequest {
    /** What the request holds of the capacity of the process; null while it holds nothing. */
    admitted: Admitted | null;
  }
}

/** Gives the body parsers of an application the capacity that they count against, and the pace at which they read. */
export function useCapacity(app: FastifyInstance, admission: Admission, pace: Pace): void {
  app.decorate('admission', admission);
  app.decorate('pace', pace);
  app.decorateRequest('admitted', null);
}

type Done = (error: Error | null, body?: unknown) => void;

/**
 * A parser that reads the whole body, up to `limit` bytes or the body limit of the route. Each part counts as held by the
 * tenant of the request from when it arrives: what is announced costs nothing.
 */
export const bodyParser =
  (parse: (body: Buffer, request: FastifyRequest) => unknown, limit?: number) =>
  (request: FastifyRequest, payload: IncomingMessage, done: Done): void => {
    const most = limit ?? request.routeOptions.bodyLimit ?? 0;
    if (Number(request.headers['content-length'] ?? 0) > most) {
      done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      return;
    }
    const admitted = request.admitted ?? admitAs(request, PAGES, ANYONE_WEIGHT);
    if (admitted === null) {
      done(noCapacity());
      return;
    }
    collect(payload, most, { admitted, pace: request.server.pace }, (error, body) => {
      if (error !== null) return done(error);
      try {
        done(null, parse(body, request));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error('a body could not be parsed'));
      }
    });
  };

/** Counts the request as the tenant's until its answer is sent or the caller is gone. Null: no capacity, or gone already. */
export function admitAs(request: FastifyRequest, tenant: string, byteWeight?: number): Admitted | null {
  if (request.raw.socket.destroyed) return null;
  request.admitted = request.server.admission.admit(tenant, byteWeight);
  return request.admitted;
}

/** The status is for error handlers of pages, which go by it. */
export const noCapacity = (): ApiError & { statusCode: number } =>
  Object.assign(new ApiError('common.unavailable', undefined, { 'retry-after': '1' }), { statusCode: 503 });

function collect(
  payload: IncomingMessage,
  most: number,
  { admitted, pace }: { admitted: Admitted; pace: Pace },
  done: (error: Error | null, body: Buffer) => void,
): void {
  const parts = createParts();
  let length = 0;

  const onData = (part: Buffer): void => {
    if (length + part.length > most) finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else if (!admitted.takeBytes(part.length)) finish(noCapacity());
    else {
      parts.add(part);
      length += part.length;
      if (length > READ_AT_ONCE) waitFor(payload, pace(admitted.tenant, part.length));
    }
  };
  const onEnd = (): void => finish(null);
  const onError = (): void => finish(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  const finish = (error: Error | null): void => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    // Without a listener it would flow as fast as the caller can send, until the refusal is ready.
    if (error !== null) payload.pause();
    done(error, error === null ? parts.whole() : NOTHING);
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

const NOTHING = Buffer.alloc(0);
const PAGE_BYTES = 16 * 1024;

/**
 * Small parts are copied together: a list of them would let a caller who sends single bytes hold hundreds of times what is counted.
 * Large ones stay as they came until the end: copying them into ever larger buffers stops everyone else.
 */
function createParts() {
  const parts: Buffer[] = [];
  let page: Buffer | null = null;
  let used = 0;
  const endPage = (): void => {
    if (page !== null) parts.push(page.subarray(0, used));
    page = null;
    used = 0;
  };
  return {
    add(part: Buffer): void {
      if (parts.length === 0 || part.length >= PAGE_BYTES) {
        endPage();
        parts.push(part);
        return;
      }
      if (used + part.length > PAGE_BYTES) endPage();
      page ??= Buffer.allocUnsafeSlow(PAGE_BYTES);
      used += part.copy(page, used);
    },
    whole(): Buffer {
      endPage();
      const [only] = parts;
      return parts.length === 1 && only ? only : Buffer.concat(parts);
    },
  };
}

/** Reads and throws away what still comes of a request that is already answered, slowly where it is much. */
export function discardBody(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete || raw.listenerCount('data') > 0) return;
  const { pace } = request.server;
  raw.on('data', (part: Buffer) => waitFor(raw, pace(DISCARDED, part.length / DISCARDING_FACTOR))).resume();
}

/** Less than this of a body is read whatever the pace: ordinary requests are not looked at. */
const READ_AT_ONCE = 256 * 1024;
const DISCARDED = 'discarded bodies';
/** A part that is thrown away at once is cheap to collect: such bodies are read faster, so that their callers get on. */
const DISCARDING_FACTOR = 8;

function waitFor(payload: IncomingMessage, milliseconds: number): void {
  if (milliseconds < 1) return;
  payload.pause();
  setTimeout(() => payload.resume(), milliseconds).unref();
}

/** How long to wait, in milliseconds, after these bytes of a tenant before more of them are read. */
export type Pace = (tenant: string, bytes: number) => number;

const SWEEP_AT = 1_000;

/**
 * Each tenant is read at `perSecond` in the long run, with `burst` at once. What it sends beyond that waits with the sender: bytes on
 * the wire cost processor time even where they are thrown away.
 */
export function createPace(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
): Pace {
  /** When all that a tenant has sent is paid for. */
  const paidAt = new Map<string, number>();
  const burstMs = (burst / perSecond) * 1_000;
  return (tenant, bytes) => {
    const at = now();
    if (paidAt.size >= SWEEP_AT) for (const [name, paid] of paidAt) if (paid <= at) paidAt.delete(name);
    const paid = Math.max(paidAt.get(tenant) ?? at, at) + (bytes / perSecond) * 1_000;
    paidAt.set(tenant, paid);
    return Math.max(0, paid - at - burstMs);
  };
}
