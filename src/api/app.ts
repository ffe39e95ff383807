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
import { type Tracing, traceFields } from '../kit/tracing.ts';
import { createAdmission } from './admission.ts';
import type { Authentication } from './auth.ts';
import { Connections } from './connections.ts';
import { type ErrorPage, failureBody, failureHandler } from './failures.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { AnyOperation } from './operation.ts';
import type { RateLimit } from './rateLimit.ts';
import { bodyParser, createPace, discardBody, useCapacity } from './readBody.ts';
import { registerOperations } from './register.ts';
import { ownRequestId } from './requestReader.ts';
import { traceRequests } from './requestSpans.ts';
import { storable } from './validation/text.ts';
import { decodableUrl } from './validation/urlText.ts';

/** Production and tests build the application from the same parts. */
interface AppDeps {
  log: Log;
  clock: Clock;
  hash: Hasher;
  publicUrl: string;
  clientAddress: ClientAddress;
  isTrustedProxy(address: string): boolean;
  metrics: Metrics;
  tracing?: Tracing | null;
  authentication: Authentication;
  rateLimit: RateLimit | null;
  operations: readonly AnyOperation[];
  /** Pages and other routes outside the API. */
  pages: readonly ((app: FastifyInstance) => void)[];
  errorPage?: ErrorPage;
  /** Overrides of production's limits, for tests. */
  limits?: Partial<HttpLimits>;
}

/** As long as the whole header section, so that the router alone never refuses a path parameter. */
const HEADER_BYTES_MAX = 32 * 1024;
const REQUEST_ID_CHARACTERS = 20;
const LOGGED_SOURCE_CHARACTERS = 16;

export function buildApp(deps: AppDeps): FastifyInstance {
  const limits = { ...HTTP_LIMITS, ...deps.limits };
  const app = fastify({
    ...serverOptions(limits),
    clientErrorHandler: (error, socket) => respondToMalformed(connections, error, socket),
  });
  const connections = new Connections(app.server, {
    limits,
    isTrustedProxy: deps.isTrustedProxy,
    onLimit: deps.metrics.observeConnectionLimit,
  });
  const admission = createAdmission(limits);
  useCapacity(app, admission, createPace({ perSecond: limits.bytesPerSecond, burst: limits.bytesAtOnce }));
  const { gauge } = deps.metrics;
  gauge('waypost_http_connections', 'Open connections.', () => connections.open);
  gauge('waypost_http_held_bytes', 'Bytes of bodies and answers held in memory.', admission.bytesHeld);
  for (const name of ['caller', 'span', 'stream', 'onEnd']) app.decorateRequest(name, null);
  app.decorateRequest('keyLeftToOperation', false);
  app.decorate('publicUrl', deps.publicUrl);
  if (deps.tracing) traceRequests(app, deps.tracing);
  answerExpectations(app);
  acceptRequests(app, connections);
  observeRequests(app, deps);
  parseBodies(app);
  app.setErrorHandler(failureHandler(deps.log, deps.errorPage));
  registerOperations(app, deps.operations, deps);
  registerPages(app, deps.pages);
  return app;
}

const serverOptions = (limits: HttpLimits) => ({
  logger: false,
  genReqId: ({ headers }: IncomingMessage) =>
    ownRequestId(headers['x-request-id']) ?? randomText(REQUEST_ID_CHARACTERS),
  rewriteUrl: ({ url }: IncomingMessage) => decodableUrl(url ?? '/'),
  routerOptions: { maxParamLength: HEADER_BYTES_MAX },
  schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  requestTimeout: limits.requestMs,
  connectionTimeout: limits.silenceMs,
  keepAliveTimeout: limits.keepAliveMs,
  forceCloseConnections: 'idle' as const,
  return503OnClosing: false,
  http: {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: limits.headMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    // Checked below, with our own error body.
    requireHostHeader: false,
  },
});

/** The first check of every request, what is released at its end, and what changes while the server stops. */
function acceptRequests(app: FastifyInstance, connections: Connections): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), FINISH_WITHIN_MS).unref();
  });
  // The server itself waits only for connections that it has accepted, not for those from a supervisor.
  app.addHook('onClose', () => connections.allClosed());
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // A response that is queued behind another on its connection never emits `close` when the caller goes.
    const stopWaiting = reply.raw.socket === null ? connections.onGone(request.raw.socket, release) : null;
    reply.raw.once('close', release);
    function release(): void {
      stopWaiting?.();
      request.admitted?.release();
      request.stream?.destroy();
      request.onEnd?.();
    }
    if (closing)
      done(new ApiError('common.unavailable', undefined, { 'retry-after': '1', connection: 'close' }));
    else if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      done(new ApiError('common.malformed_request', undefined, { connection: 'close' }));
    // In a hook: an unknown route is reported before anything that is wrong with the body.
    else if (request.is404) done(new ApiError('common.not_found'));
    else done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    discardBody(request);
    // A connection that is kept alive would keep a stopping process waiting for the next request. One that has come already
    // is answered.
    if (closing && connections.isLatest(request.raw)) reply.header('connection', 'close');
    done(null, payload);
  });
}

function observeRequests(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, span, id: request_id, method } = request;
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    deps.metrics.observeRequest(method, route, status, reply.elapsedTime, span?.traceId);
    deps.log.info(
      {
        request_id,
        method,
        route,
        status,
        ms: Math.round(reply.elapsedTime),
        business_id: caller?.businessId,
        key_id: caller?.keyId,
        ...traceFields(span),
        ...(caller === null && status >= 400 && { source: loggedSource(deps, request.raw) }),
      },
      'request served',
    );
    done();
  });
}

/** Our own validation parses the bytes, because it can say what is wrong and where. */
function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    bodyParser((body, { headers }) => {
      if (isEncoded(headers)) throw new ApiError('common.unsupported_media_type', COMPRESSED);
      return body;
    }),
  );
  // Some clients send a content type without a body.
  app.addContentTypeParser('*', (request, _body, done) =>
    done(isEmpty(request.headers) ? null : new ApiError('common.unsupported_media_type'), undefined),
  );
}

function registerPages(app: FastifyInstance, pages: AppDeps['pages']): void {
  app.register(async (scope) => {
    // Such a path names nothing; an operation says which parameter is wrong. After the hooks that set a page's headers, before its body is read.
    scope.addHook('preParsing', (request, _reply, payload, done) =>
      storable(request.params, ['path']).length === 0
        ? done(null, payload)
        : done(new ApiError('common.not_found')),
    );
    for (const register of pages) register(scope);
  });
}

/** Operations are checked by our own validation. Without this, Fastify loads its compilers of schemas at every start. */
function refuseSchema(): never {
  throw new Error('No route has a schema of Fastify: an operation describes its own.');
}

/**
 * Lets an operator see that refused requests come from one source, without an address in the log. A request with
 * a valid key is identified by the key.
 */
const loggedSource = ({ hash, clientAddress }: AppDeps, request: IncomingMessage): string =>
  hash.hex('source', sourceOf(clientAddress(request))).slice(0, LOGGED_SOURCE_CHARACTERS);

const isEmpty = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** A small compressed body could expand to a huge one. */
const COMPRESSED = 'The body must not be compressed.';
const isEncoded = (headers: IncomingHttpHeaders) => !/^(identity)?$/i.test(headers['content-encoding'] ?? '');

/**
 * Input that is no HTTP gets our error body too, and the connection is closed. A connection that timed out
 * without a byte is closed silently: browsers open some in advance, and would read a response as the answer to
 * their next request.
 */
function respondToMalformed(
  connections: Connections,
  { rawPacket }: { rawPacket?: unknown },
  socket: Socket,
) {
  if (socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  if (connections.hasAnswered(socket)) return connections.closeWith(socket, '');
  const body = failureBody(new ApiError('common.malformed_request'));
  connections.closeWith(
    socket,
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomText(REQUEST_ID_CHARACTERS)}\r\nConnection: close\r\n\r\n${isHead(rawPacket) ? '' : body}`,
  );
}

/** A client that sent HEAD would read a body as the next response. */
const isHead = (packet: unknown): boolean =>
  packet instanceof Uint8Array && Buffer.from(packet.subarray(0, 5)).toString('latin1') === 'HEAD ';

/**
 * `Expect: 100-continue` asks whether the body is wanted. We answer only once route, size, key and rate are in
 * order, so that no caller uploads a body that is refused. Other expectations are ignored, as HTTP allows: Node
 * would refuse them without our error body.
 */
function answerExpectations(app: FastifyInstance): void {
  const uninvited = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    uninvited.add(request);
    app.server.emit('request', request, response);
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (uninvited.delete(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
  // The body may come anyway, and could be parsed as the next request.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (uninvited.has(request.raw)) reply.header('connection', 'close');
    done(null, payload);
  });
}
