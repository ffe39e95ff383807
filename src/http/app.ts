import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { type ClientAddress, sourceOf } from '../kit/clientAddress.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { randomText } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { FINISH_WITHIN_MS } from '../kit/loop.ts';
import type { Hasher } from '../kit/seal.ts';
import { createAdmission } from './admission.ts';
import type { Authentication } from './auth.ts';
import { type Connections, guardConnections } from './connections.ts';
import { failureHandler } from './failures.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { AnyOperation } from './operation.ts';
import type { RateLimit } from './rateLimit.ts';
import { bodyParser, createPace, discardBody, useCapacity } from './readBody.ts';
import { registerOperations } from './register.ts';
import { ownRequestId } from './validation/headers.ts';
import { decodableUrl } from './validation/urlText.ts';

/** What the application is made of; production and tests call this with the same things. */
export interface AppDeps {
  log: Log;
  clock: Clock;
  hash: Hasher;
  clientAddress: ClientAddress;
  isTrustedProxy(address: string): boolean;
  metrics: Metrics;
  authentication: Authentication;
  rateLimit: RateLimit | null;
  operations: readonly AnyOperation[];
  /** Pages and other routes beside the interface. */
  pages: readonly ((app: FastifyInstance) => void)[];
  /** In place of those of production, for tests. */
  limits?: Partial<HttpLimits>;
}

/** No parameter of a path is longer than what comes before the body, so none is refused by the router alone. */
const HEADER_BYTES_MAX = 32 * 1024;
const REQUEST_ID_CHARACTERS = 20;
const LOGGED_SOURCE_CHARACTERS = 16;

export function buildApp(deps: AppDeps): FastifyInstance {
  const limits = { ...HTTP_LIMITS, ...deps.limits };
  const app = fastify({
    logger: false,
    genReqId: (request) => ownRequestId(request.headers['x-request-id']) ?? randomText(REQUEST_ID_CHARACTERS),
    rewriteUrl: (request) => decodableUrl(request.url ?? '/'),
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.silenceMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // Refused below, in our own shape.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answerMalformed(connections, error, socket),
  });
  const connections = guardConnections(app.server, {
    limits,
    isTrustedProxy: deps.isTrustedProxy,
    onLimit: deps.metrics.observeConnectionLimit,
  });
  const admission = createAdmission(limits);
  useCapacity(app, admission, createPace({ perSecond: limits.bytesPerSecond, burst: limits.bytesAtOnce }));
  deps.metrics.gauge('waypost_http_connections', 'Open connections.', async () => connections.open);
  deps.metrics.gauge('waypost_http_held_bytes', 'Bytes of bodies and answers held in memory.', async () =>
    admission.bytesHeld(),
  );
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), FINISH_WITHIN_MS).unref();
  });

  app.decorateRequest('caller', null);
  app.decorateRequest('keyLeftToOperation', false);
  answerExpectations(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // An answer that is queued behind another one on its connection never closes when the caller goes.
    const stopWaiting = reply.raw.socket === null ? connections.onGone(request.raw.socket, release) : null;
    reply.raw.once('close', release);
    function release(): void {
      stopWaiting?.();
      request.admitted?.release();
    }
    if (closing)
      done(new ApiError('common.unavailable', undefined, { 'retry-after': '1', connection: 'close' }));
    else if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(new ApiError('common.malformed_request', undefined, { connection: 'close' }));
    // Here and not in a handler: that there is no such route comes before anything that could be wrong with the body.
    else if (request.is404) done(new ApiError('common.not_found'));
    else done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    discardBody(request);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    const { caller } = request;
    deps.metrics.observeRequest(request.method, route, status, reply.elapsedTime);
    deps.log.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime),
        business_id: caller?.businessId,
        key_id: caller?.keyId,
        ...(caller === null && status >= 400 && { source: loggedSource(deps, request.raw) }),
      },
      'request',
    );
    done();
  });

  // Bodies are read as bytes and parsed by our own validation, which can say what is wrong and where.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    bodyParser((body, { headers }) => {
      if (isEncoded(headers)) throw new ApiError('common.unsupported_media_type', COMPRESSED);
      return body;
    }),
  );
  // Some programs name a type for a body that they do not send.
  app.addContentTypeParser('*', (request, _body, done) =>
    done(isEmpty(request.headers) ? null : new ApiError('common.unsupported_media_type'), undefined),
  );
  app.setErrorHandler(failureHandler(deps.log));

  registerOperations(app, deps.operations, deps);
  for (const register of deps.pages) register(app);
  return app;
}

/**
 * Lets an operator see that refused requests come from one source, without the log holding anyone's address. A request
 * with a key is known by the key.
 */
const loggedSource = ({ hash, clientAddress }: AppDeps, request: IncomingMessage): string =>
  hash.hex('source', sourceOf(clientAddress(request))).slice(0, LOGGED_SOURCE_CHARACTERS);

const isEmpty = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** A small body could unfold into a huge one: none is taken compressed. */
const COMPRESSED = 'The body must not be compressed.';
const isEncoded = (headers: IncomingHttpHeaders): boolean =>
  !/^(identity)?$/i.test(headers['content-encoding'] ?? '');

/**
 * What is no HTTP at all gets the shape of our errors too, and the connection is closed. A connection on which nothing
 * was said until its time ran out is closed without a word: browsers open some ahead, and would take an answer for that
 * to whatever they ask next.
 */
function answerMalformed(
  connections: Connections,
  { rawPacket }: { rawPacket?: unknown },
  socket: Socket,
): void {
  if (socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  if (connections.hasAnswered(socket)) {
    connections.closeWith(socket, '');
    return;
  }
  const body = JSON.stringify({
    error_code: 'common.malformed_request',
    detail: 'This is not an HTTP request that can be understood.',
  });
  connections.closeWith(
    socket,
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomText(REQUEST_ID_CHARACTERS)}\r\nConnection: close\r\n\r\n${isHead(rawPacket) ? '' : body}`,
  );
}

/** Whoever asks for the head alone takes a body for the next answer. */
const isHead = (packet: unknown): boolean =>
  packet instanceof Uint8Array && Buffer.from(packet.subarray(0, 5)).toString('latin1') === 'HEAD ';

/**
 * `Expect: 100-continue` asks whether the body is wanted. It is invited only once route, size, key and rate are in
 * order, so that nobody uploads what is refused. Any other expectation is not looked at, as HTTP allows: Node would
 * refuse it in a shape that is not ours.
 */
export function answerExpectations(app: FastifyInstance): void {
  const uninvited = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    uninvited.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (uninvited.delete(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
  // Whether its body comes all the same cannot be known, and the next request could be mistaken for it.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (uninvited.has(request.raw)) reply.header('connection', 'close');
    done(null, payload);
  });
}
