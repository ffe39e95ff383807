import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsHtml } from '../../api/failures.ts';
import { callerSourceOf } from '../../api/localCaller.ts';
import { bodyParser } from '../../api/readBody.ts';
import { sendPage } from '../../api/sendPage.ts';
import { sendEventStream } from '../../api/streams.ts';
import type { TimelineItem } from '../../contract/timeline.ts';
import type { Queryable } from '../../db/statement.ts';
import { ApiError, statusOf } from '../../kit/errors.ts';
import { sha256 } from '../../kit/ids.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { viewTimeline } from '../../messages/timeline.ts';
import type { Site } from '../kit/page.tsx';
import { FORM_TYPE, lastSeenOf, queryOf } from '../kit/request.ts';
import { sandboxCalls } from './api.ts';
import type { SandboxDeps } from './deps.ts';
import {
  accessCookie,
  foreignCaller,
  isOurHost,
  judgeCaller,
  keyNeeded,
  mayEnter,
  type SandboxAccess,
  strangeHost,
  unsupportedCall,
} from './guard.ts';
import { openSandboxLive, type SandboxLive } from './live.ts';
import { type SandboxLocation, sandboxFlashIn, sandboxLocationOf } from './location.ts';
import { MAIL_HEADERS, openingElsewhere } from './mail.ts';
import { noInboxPage, sandboxErrorPage, sandboxPage } from './page.tsx';
import { linkIn, linkStart, type Opened, readSandbox } from './reads.ts';
import { findHtml, latestWithLink } from './sql.ts';
import { tryRoutes } from './try.ts';

/** The longest text, with every character escaped. */
const FORM_MAX = 128 * 1024;
const PRINT_CHARACTERS = 20;

/** The sandbox, in its own scope: its forms and its access rules differ from the API's. */
export function sandboxRoutes(deps: SandboxDeps) {
  return (app: FastifyInstance): void => {
    const live = openSandboxLive(deps.log);
    app.register(async (scope) => {
      scope.addContentTypeParser(
        FORM_TYPE,
        bodyParser((body) => body, FORM_MAX),
      );
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
        const entry = entryWithKey(request, deps);
        if (entry !== null)
          return reply
            .header('set-cookie', accessCookie(deps.access, deps.site.to('/')))
            .redirect(entry, 303);
        guard(request, deps.access);
      });
      scope.setErrorHandler((error, request, reply) => sendErrorPage(deps.site, error, request, reply));
      sandboxCalls(scope, deps);
      tryRoutes(scope, deps);
      pageRoutes(scope, deps, live);
    });
    // Streams do not end by themselves, so the server would wait for them when it closes.
    app.addHook('preClose', async () => live.close());
  };
}

/** A person with the right key in the URL is redirected to the same page without it. Null for all others. */
function entryWithKey(request: FastifyRequest, { access, site }: SandboxDeps): string | null {
  if (request.method !== 'GET' || !isOurHost(request.headers.host, access.publicUrl)) return null;
  const { key, ...others } = queryOf(request);
  if (key === undefined || !constantTimeEqual(key, access.key)) return null;
  const query = new URLSearchParams(others).toString();
  return site.to(`${request.url.split('?')[0]}${query === '' ? '' : `?${query}`}`);
}

function guard(request: FastifyRequest, access: SandboxAccess): void {
  const { host, origin } = request.headers;
  if (!isOurHost(host, access.publicUrl)) throw strangeHost(access.publicUrl);
  if (!mayEnter(callerSourceOf(request), access)) throw keyNeeded();
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const [secFetchSite] = [request.headers['sec-fetch-site']].flat();
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
  const verdict = judgeCaller({ host, origin, secFetchSite, mediaType });
  if (verdict === 'foreign') throw foreignCaller();
  if (verdict === 'unsupported') throw unsupportedCall();
}

/** The timeline of the merchant's message behind a captured one, as the API has it. */
async function timelineBehind(db: Queryable, opened: Opened | null): Promise<TimelineItem[]> {
  if (opened === null || opened.message.message_id === null) return [];
  const { business_id, message_id } = opened.message;
  return (await viewTimeline(db, business_id, message_id))?.items ?? [];
}

function pageRoutes(app: FastifyInstance, deps: SandboxDeps, live: SandboxLive): void {
  const { site, pool } = deps;
  const apiKey = () => deps.apiKeyHint?.() ?? null;

  const look = async (place: SandboxLocation) => {
    const clock = await deps.clockState();
    const view = await readSandbox(pool, place, { publicUrl: site.publicUrl, now: clock.now });
    const timeline = await timelineBehind(pool, view.opened);
    const seen = sha256(JSON.stringify([view, timeline, clock.offsetSeconds]))
      .toString('hex')
      .slice(0, PRINT_CHARACTERS);
    return { clock, view, timeline, seen };
  };

  app.get('/sandbox', async (request, reply) => {
    const place = sandboxLocationOf(request.url);
    const flash = sandboxFlashIn(request.url);
    return sendPage(
      reply,
      200,
      sandboxPage({ site, place, flash, apiKey: apiKey(), ...(await look(place)) }),
    );
  });

  app.get('/sandbox/live', { exposeHeadRoute: false }, async (request, reply) => {
    const place = sandboxLocationOf(request.url);
    const stream = live.watch({ mark: async () => (await look(place)).seen }, lastSeenOf(request));
    if (stream === null) throw new ApiError('common.unavailable', undefined, { 'retry-after': '30' });
    return sendEventStream(request, reply, stream);
  });

  app.get<{ Params: { id: string } }>('/sandbox/messages/:id/email', async (request, reply) => {
    const [found] = await findHtml(pool, request.params.id);
    if (!found?.html) throw new ApiError('common.not_found');
    return reply.headers(MAIL_HEADERS).type('text/html; charset=utf-8').send(openingElsewhere(found.html));
  });

  app.get('/sandbox/inbox', async (_request, reply) => {
    const [latest] = await latestWithLink(pool, linkStart(site.publicUrl));
    const link = latest ? linkIn(latest.text, site.publicUrl) : null;
    if (link === null) return sendPage(reply, 404, noInboxPage(site, apiKey()));
    return reply.redirect(link, 303);
  });

  app.get('/sandbox/dashboard', { exposeHeadRoute: false }, async (_request, reply) => {
    const token = await deps.demoSignInToken();
    if (token === null) throw new ApiError('common.not_found', 'There is no demo shop here.');
    return reply.redirect(site.to(`/dashboard/sign-in/${token}`), 303);
  });
}

/** A browser gets an error page; other clients get the usual error body. */
function sendErrorPage(
  site: Site,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (!acceptsHtml(request) || !(error instanceof ApiError)) throw error;
  return sendPage(reply.headers(error.headers), statusOf(error.code), sandboxErrorPage(site, error));
}
