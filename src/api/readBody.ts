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
    /** The request's share of the process's capacity; null while it holds nothing. */
    admitted: Admitted | null;
  }
}

/** Sets the capacity that the body parsers count against, and their reading pace. */
export function useCapacity(app: FastifyInstance, admission: Admission, pace: Pace): void {
  app.decorate('admission', admission);
  app.decorate('pace', pace);
  app.decorateRequest('admitted', null);
}

type Done = (error: Error | null, body?: unknown) => void;

/**
 * A parser that reads the whole body, up to `limit` bytes or the route's body limit. Each chunk counts for the
 * request's tenant from its arrival; an announced length costs nothing.
 */
export const bodyParser =
  (parse: (body: Buffer, request: FastifyRequest) => unknown, limit?: number) =>
  (request: FastifyRequest, payload: IncomingMessage, done: Done) => {
    const most = limit ?? request.routeOptions.bodyLimit ?? 0;
    if (Number(request.headers['content-length'] ?? 0) > most)
      return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    const admitted = request.admitted ?? admitAs(request, PAGES, ANYONE_WEIGHT);
    if (admitted === null) return done(noCapacity());
    collect(payload, most, { admitted, pace: request.server.pace }, (error, body) => {
      if (error !== null) return done(error);
      try {
        done(null, parse(body, request));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error('a body could not be parsed'));
      }
    });
  };

/**
 * Counts the request for the tenant until its response is sent or the caller is gone. Null if there is no
 * capacity, or the caller is already gone.
 */
export function admitAs(request: FastifyRequest, tenant: string, byteWeight?: number): Admitted | null {
  if (request.raw.socket.destroyed) return null;
  request.admitted = request.server.admission.admit(tenant, byteWeight);
  return request.admitted;
}

/** The pages' error handlers read the status. */
export const noCapacity = () => new ApiError('common.unavailable', undefined, { 'retry-after': '1' });

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
    else if (!admitted.reserveBytes(part.length)) finish(noCapacity());
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
    // Without a listener the body would flow as fast as the caller sends, until the refusal is ready.
    if (error !== null) payload.pause();
    done(error, error === null ? parts.whole() : NOTHING);
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

const NOTHING = Buffer.alloc(0);
const PAGE_BYTES = 16 * 1024;

/**
 * Small chunks are copied together: a list of them would let a caller that sends single bytes hold hundreds of
 * times the counted size. Large ones stay as they are until the end: copying them into ever larger buffers would
 * stall the process.
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

/** Reads and discards the rest of an already answered request, slowly if it is large. */
export function discardBody(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete || raw.listenerCount('data') > 0) return;
  const { pace } = request.server;
  raw.on('data', (part: Buffer) => waitFor(raw, pace(DISCARDED, part.length / DISCARDING_FACTOR))).resume();
}

/** Below this a body is read at any pace, so ordinary requests are unaffected. */
const READ_AT_ONCE = 256 * 1024;
const DISCARDED = 'discarded bodies';
/** A discarded chunk is cheap to collect, so such bodies are read faster. */
const DISCARDING_FACTOR = 8;

function waitFor(payload: IncomingMessage, milliseconds: number): void {
  if (milliseconds < 1) return;
  payload.pause();
  setTimeout(() => payload.resume(), milliseconds).unref();
}

/** How long to pause, in milliseconds, after reading these bytes of a tenant. */
type Pace = (tenant: string, bytes: number) => number;

const SWEEP_AT = 1_000;

/**
 * Reads each tenant at `perSecond` on average, with `burst` at once. The rest waits at the sender: received bytes
 * cost CPU time even if they are discarded.
 */
export function createPace(
  { perSecond, burst }: { perSecond: number; burst: number },
  now = monotonicMs,
): Pace {
  /** When a tenant's bytes so far are within its rate. */
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
