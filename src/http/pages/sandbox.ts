import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FORM, sandboxCalls } from './sandboxApi.ts';
import type { SandboxDeps } from './sandboxDeps.ts';
import { foreignCaller, isOurHost, judgeCaller, strangeHost, unsupportedCall } from './sandboxGuard.ts';

/** A text of the longest kind, every character escaped. */
const BODY_MAX = 128 * 1024;

/** The sandbox, in a scope of its own: its forms and its door are not the API's. */
export function sandboxRoutes(deps: SandboxDeps) {
  return (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit: BODY_MAX }, (_request, body, done) =>
        done(null, body),
      );
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
        guard(request, deps.site.publicUrl);
      });
      sandboxCalls(scope, deps);
    });
  };
}

function guard(request: FastifyRequest, publicUrl: string): void {
  const { host, origin } = request.headers;
  if (!isOurHost(host, publicUrl)) throw strangeHost(publicUrl);
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const [secFetchSite] = [request.headers['sec-fetch-site']].flat();
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
  const verdict = judgeCaller({ host, origin, secFetchSite, mediaType });
  if (verdict === 'foreign') throw foreignCaller();
  if (verdict === 'unsupported') throw unsupportedCall();
}
