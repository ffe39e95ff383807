import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptsHtml } from '../../api/failures.ts';
import { callerSourceOf } from '../../api/localCaller.ts';
import { bodyParser } from '../../api/readBody.ts';
import { sendPage } from '../../api/sendPage.ts';
import { sendEventStream } from '../../api/streams.ts';
import { isUnavailable } from '../../db/errors.ts';
import { type ChangeStreams, openChangeStreams } from '../../kit/changeStreams.ts';
import { SECOND } from '../../kit/clock.ts';
import { ApiError, statusOf } from '../../kit/errors.ts';
import { sha256 } from '../../kit/ids.ts';
import type { Log } from '../../kit/log.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { flashIn } from '../kit/flash.ts';
import type { Site } from '../kit/page.tsx';
import { FORM_TYPE, lastSeenOf, queryOf } from '../kit/request.ts';
import { sandboxCalls } from './api.ts';
import type { SandboxDeps } from './deps.ts';
import { accessCookie, isOurHost, judgeCaller, mayEnter, type SandboxAccess } from './guard.ts';
import { SANDBOX_FLASHES, type SandboxLocation, sandboxLocationOf } from './location.ts';
import { MAIL_HEADERS, openingElsewhere } from './mail.ts';
import { noInboxPage, sandboxErrorPage, sandboxPage } from './page.tsx';
import { linkIn, linkStart, readSandbox } from './reads.ts';
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
  if (!isOurHost(host, access.publicUrl))
    throw new ApiError(
      'common.not_found',
      `The sandbox is at ${access.publicUrl}/sandbox; it answers to that name, to localhost, 127.0.0.1 and [::1] alone.`,
    );
  if (!mayEnter(callerSourceOf(request), access))
    throw new ApiError(
      'common.not_found',
      'The sandbox is open to programs on its own machine. From elsewhere use the address with the key that the start prints where HOST or PUBLIC_URL names another machine, or send the key as a bearer token.',
    );
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const [secFetchSite] = [request.headers['sec-fetch-site']].flat();
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
  const verdict = judgeCaller({ host, origin, secFetchSite, mediaType });
  if (verdict === 'foreign')
    throw new ApiError('common.not_found', 'The sandbox takes no calls from other web pages.');
  if (verdict === 'unsupported')
    throw new ApiError(
      'common.unsupported_media_type',
      'The body must be application/json, or a form of the sandbox’s own page.',
    );
}

/** An open page of the sandbox. `mark` summarises what it would show now. */
interface SandboxViewer {
  mark(): Promise<string>;
}

const POLL_EVERY_MS = SECOND;
const SANDBOX_STREAMS_MAX = 20;

/** Says to open pages of the sandbox that something changed on them. */
const openSandboxLive = (log: Log): ChangeStreams<SandboxViewer> =>
  openChangeStreams<SandboxViewer>({
    name: 'sandbox',
    log,
    marksOf: async (viewers) =>
      new Map(await Promise.all(viewers.map(async (viewer) => [viewer, await viewer.mark()] as const))),
    isOutage: isUnavailable,
    pollEveryMs: POLL_EVERY_MS,
    quietMsOf: () => 0,
    streamsMax: SANDBOX_STREAMS_MAX,
    perOwnerMax: SANDBOX_STREAMS_MAX,
    // Everybody who enters the sandbox sees the same.
    ownerOf: () => '',
    businessOf: () => '',
  });

function pageRoutes(app: FastifyInstance, deps: SandboxDeps, live: ChangeStreams<SandboxViewer>): void {
  const { site, pool } = deps;
  const apiKey = () => deps.apiKeyHint?.() ?? null;

  const look = async (place: SandboxLocation) => {
    const clock = await deps.clockState();
    const view = await readSandbox(pool, place, { publicUrl: site.publicUrl, now: clock.now });
    const print = sha256(JSON.stringify([view, clock.offsetSeconds])).toString('hex');
    return { clock, view, seen: print.slice(0, PRINT_CHARACTERS) };
  };

  app.get('/sandbox', async (request, reply) => {
    const place = sandboxLocationOf(request.url);
    const flash = flashIn(request, SANDBOX_FLASHES);
    const page = sandboxPage({ site, place, flash, apiKey: apiKey(), ...(await look(place)) });
    return sendPage(reply, 200, page);
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
function sendErrorPage(site: Site, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!acceptsHtml(request) || !(error instanceof ApiError)) throw error;
  return sendPage(reply.headers(error.headers), statusOf(error.code), sandboxErrorPage(site, error));
}
