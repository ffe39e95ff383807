import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureStatusOf } from '../../api/failures.ts';
import { contentPolicy, PRIVATE_PAGE_HEADERS } from '../../api/sendPage.ts';
import { readLogo } from '../../businesses/logo/logo.ts';
import { CACHED_FOREVER } from '../kit/assets.ts';
import { sendHtml } from '../kit/page.tsx';
import { FORM_TYPE, formParser, paramOf } from '../kit/request.ts';
import { arrivalRoutes } from './arrival/routes.ts';
import { choiceRoutes } from './choices/routes.ts';
import { unsubscribeRoutes } from './choices/unsubscribeRoutes.ts';
import { FORM_MAX, type InboxContext, type InboxDeps, openInbox, siteForVisitor } from './context.ts';
import { backToInboxPage, sentencePage } from './notices.tsx';
import { readingRoutes } from './reading/routes.ts';

/** The inbox has no frames. */
const INBOX_PAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  'content-security-policy': contentPolicy({ frames: false }),
};

/** The customer's pages, in their own scope: their forms, headers and errors differ from the API's. */
export function inboxRoutes(app: FastifyInstance, deps: InboxDeps): void {
  const context = openInbox(deps);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM_TYPE, formParser(FORM_MAX));
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(INBOX_PAGE_HEADERS);
    });
    scope.setErrorHandler((error, request, reply) => sendErrorPage(context, error, request, reply));
    assetRoutes(scope, context);
    logoRoutes(scope, context);
    arrivalRoutes(scope, context);
    readingRoutes(scope, context);
    choiceRoutes(scope, context);
    unsubscribeRoutes(scope, context);
    scope.get('/inbox/*', async (request, reply) =>
      sendHtml(reply, 404, backToInboxPage(siteForVisitor(context, request), 'notFound')),
    );
  });
  // Streams do not end by themselves, so the server would wait for them when it closes.
  app.addHook('preClose', async () => context.live.close());
}

function assetRoutes(app: FastifyInstance, context: InboxContext): void {
  app.get<{ Params: { name: string } }>('/inbox-assets/:name', async (request, reply) => {
    const asset = context.place.assets.find(request.params.name);
    if (asset === null)
      return sendHtml(reply, 404, backToInboxPage(siteForVisitor(context, request), 'refused'));
    return reply.type(asset.type).headers(CACHED_FOREVER).send(asset.content);
  });
}

/** Inert however it is opened. Mails in a browser load it from another site's page. */
const LOGO_HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; style-src 'none'; script-src 'none'",
  ...CACHED_FOREVER,
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** One address for everyone: who loads it says nothing about who reads the mail. */
function logoRoutes(app: FastifyInstance, context: InboxContext): void {
  app.get('/logos/:business_id/:name', async (request, reply) => {
    const logo = await readLogo(context.pool, paramOf(request, 'business_id'), paramOf(request, 'name'));
    if (logo === null)
      return sendHtml(reply, 404, backToInboxPage(siteForVisitor(context, request), 'refused'));
    return reply.headers(LOGO_HEADERS).type(logo.type).send(logo.content);
  });
}

function sendErrorPage(context: InboxContext, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const status = failureStatusOf(error);
  const site = siteForVisitor(context, request);
  if (status < 500) return sendHtml(reply, status, backToInboxPage(site, 'refused'));
  // Logs the route, not the URL: a link's URL opens someone's inbox.
  context.log.error({ error, route: request.routeOptions.url, request_id: request.id }, 'inbox page failed');
  if (status === 503) reply.header('retry-after', 1);
  return sendHtml(reply, status, sentencePage(site, 'trouble'));
}
