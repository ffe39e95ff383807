import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest, LightMyRequestResponse } from 'fastify';
import { bodyParser } from '../api/readBody.ts';
import { REQUEST_BODY_MAX } from '../config/limits.ts';
import { ApiError } from '../kit/errors.ts';
import { VERSION } from '../kit/version.ts';
import type { CallApi } from './tools.ts';

/**
 * The tools of an assistant by HTTP, without sessions. Each request calls the API with the key that it bears: what a key may do and
 * see, and how often, is decided there alone. With `?allow-send` the tools that send are there, too.
 */
export const mcpRoutes =
  ({ publicUrl }: { publicUrl: string }) =>
  (app: FastifyInstance): void => {
    const address = `${publicUrl}/mcp`;
    let handler: Promise<McpHttpHandler> | null = null;

    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        'application/json',
        bodyParser((body) => body, REQUEST_BODY_MAX),
      );
      scope.post('/mcp', answer);
      scope.route({ method: ['GET', 'DELETE'], url: '/mcp', handler: refuseSessions });
    });

    async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const { authorization = '', ...headers } = request.headers;
      // Counted like any call, and answered like one where the key is not valid.
      const allowed = await app.inject({ url: '/api/v1/credits', headers: { authorization } });
      if (allowed.statusCode !== 200) return refuse(reply, allowed);
      if (!Buffer.isBuffer(request.body)) throw new ApiError('common.unsupported_media_type');
      // Most processes never hear from an assistant, and the library takes a while to load.
      handler ??= loadHandler(app);
      const { fetch } = await handler;
      const response = await fetch(
        new Request(
          address + (new URL(request.url, address).searchParams.has(ALLOW_SEND) ? `?${ALLOW_SEND}` : ''),
          {
            method: 'POST',
            headers: { ...ofProtocol(headers), authorization },
            body: request.body,
          },
        ),
      );
      const type = response.headers.get('content-type') ?? JSON_TYPE;
      return send(reply, response.status, type, await response.text());
    }
  };

const ALLOW_SEND = 'allow-send';
const JSON_TYPE = 'application/json; charset=utf-8';

/** As the API refuses the key, with the time to wait where it says one. */
function refuse(
  reply: FastifyReply,
  { statusCode, headers, payload }: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'payload'>,
): FastifyReply {
  const { 'retry-after': retryAfter } = headers;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if (statusCode === 401) reply.header('www-authenticate', 'Bearer');
  return send(reply, statusCode, JSON_TYPE, payload);
}

const send = (reply: FastifyReply, status: number, type: string, text: string): FastifyReply =>
  reply.code(status).headers({ 'content-type': type, 'cache-control': 'no-store' }).send(text);

/** Those of the protocol; what else a caller says is not the library's to read. */
const ofProtocol = (headers: FastifyRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(accept|content-type|mcp-.+)$/.test(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );

const refuseSessions = async () => {
  throw new ApiError('common.method_not_allowed', undefined, { allow: 'POST' });
};

async function loadHandler(app: FastifyInstance): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
  ]);
  return createMcpHandler(
    ({ requestInfo }) =>
      createMcpServer({
        call: callVia(app, requestInfo?.headers.get('authorization') ?? ''),
        version: VERSION,
        mayAlsoSend: requestInfo !== undefined && new URL(requestInfo.url).searchParams.has(ALLOW_SEND),
      }),
    // Nothing changes that a stream could tell, and no answer comes in parts.
    { responseMode: 'json', maxSubscriptions: 0, maxRequestBodySize: REQUEST_BODY_MAX },
  );
}

/** Within the process, through the same checks as from outside. */
const callVia =
  (app: FastifyInstance, authorization: string): CallApi =>
  async (method, url, { body, idempotencyKey } = {}) => {
    const { statusCode, payload } = await app.inject({
      method,
      url,
      headers: {
        authorization,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    return { status: statusCode, text: payload };
  };
