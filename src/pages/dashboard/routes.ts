import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { failureStatusOf } from '../../api/failures.ts';
import { PRIVATE_PAGE_HEADERS } from '../../api/sendPage.ts';
import { TEXT_BODY_MAX, TEXT_SUBJECT_MAX } from '../../config/limits.ts';
import { FORM_TYPE, formParser } from '../kit/request.ts';
import { operatorRoutes } from '../operator/routes.ts';
import { accountRoutes } from './account/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { componentsPage } from './components.tsx';
import { connectionActionRoutes } from './connections/actionRoutes.ts';
import { connectionRoutes } from './connections/routes.ts';
import {
  type AccountRoute,
  type Answer,
  type DashboardContext,
  type DashboardDeps,
  openDashboard,
  type ShopRoute,
} from './context.ts';
import { creditsRoutes } from './credits/routes.ts';
import {
  admitToAccount,
  admitToOperator,
  admitToShop,
  forAnybody,
  registerRoutes,
  sendAnswer,
} from './guard.ts';
import { keyRoutes } from './keys/routes.ts';
import type { Notice } from './layout.tsx';
import { liveRoutes } from './live/routes.ts';
import { memberRoutes } from './members/routes.ts';
import { messageFrameRoutes } from './messages/frames.ts';
import { messageRoutes } from './messages/messageRoutes.ts';
import { messageListRoutes } from './messages/routes.ts';
import { NOTHING_HERE, TOO_LARGE, trouble, wrongRequest } from './notices.ts';
import { orderRoutes } from './orders/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { pushRoutes } from './push/routes.ts';
import { recipientActionRoutes } from './recipients/actionRoutes.ts';
import { recipientRoutes } from './recipients/routes.ts';
import { replyRoutes } from './replies/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { brandFrameRoutes } from './settings/brandFrames.ts';
import { settingsRoutes } from './settings/routes.ts';
import { takeUploads } from './settings/upload.ts';
import { signInAgainRoutes, signInRoutes } from './signIn/routes.ts';
import { textRoutes } from './texts/routes.ts';
import { webhookActionRoutes } from './webhooks/actionRoutes.ts';
import { webhookReplayRoutes } from './webhooks/replayRoutes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { webhookUrlRoutes } from './webhooks/urlRoutes.ts';

/** A form holds a search text, an address or a passkey's answer, and a token. */
const FORM_MAX = 8_192;
/** A shop's longest form is the source of a text, of characters that take 12 bytes each, with its subject. */
const SHOP_FORM_MAX = 12 * (TEXT_BODY_MAX + TEXT_SUBJECT_MAX) + 8 * 1024;

/** The dashboard, in its own scope: its forms, headers and errors differ from the API's. */
export function dashboardRoutes(deps: DashboardDeps) {
  const context = openDashboard(deps);
  const { site } = deps;
  return (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(FORM_TYPE, formParser(FORM_MAX));
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(PRIVATE_PAGE_HEADERS);
        // Postgres refuses a NUL, and with it all that others ask for in the same statement. One in the path is a 404 everywhere.
        const [, ...query] = request.url.split('?');
        if (query.some((part) => part.includes('%00')))
          return sendAnswer(reply, site, null, wrongRequest(422));
      });
      scope.setErrorHandler((error, request, reply) => sendFailure(context, error, request, reply));
      // Streams do not end by themselves, so the server would wait for them when it closes.
      scope.addHook('preClose', async () => context.live.close());
      signInRoutes(scope, context);
      registerRoutes(scope, context, admitToAccount, membersOwnRoutes(context), false);
      registerRoutes(scope, context, admitToOperator, operatorRoutes(context));
      const routes = shopRoutes(context);
      scope.register(async (shops) => {
        shops.removeContentTypeParser(FORM_TYPE);
        shops.addContentTypeParser(FORM_TYPE, formParser(SHOP_FORM_MAX));
        const plain = routes.filter(({ takesFile }) => !takesFile);
        registerRoutes(shops, context, admitToShop, plain);
      });
      scope.register(async (uploads) => {
        takeUploads(uploads);
        const withFiles = routes.filter(({ takesFile }) => takesFile);
        registerRoutes(uploads, context, admitToShop, withFiles);
      });
      const showing = (page: () => Answer) => forAnybody(context, async () => page());
      if (site.sandbox)
        scope.get(
          '/dashboard/_components',
          showing(() => componentsPage(site)),
        );
      scope.get(
        '/dashboard/*',
        showing(() => NOTHING_HERE),
      );
    });
  };
}

/** Every route of a member's own account. */
export const membersOwnRoutes = (context: DashboardContext): AccountRoute[] => [
  ...accountRoutes(context),
  ...signInAgainRoutes(context),
];

const PAGES_OF_A_SHOP = [
  overviewRoutes,
  liveRoutes,
  searchRoutes,
  messageListRoutes,
  messageRoutes,
  messageFrameRoutes,
  orderRoutes,
  pushRoutes,
  recipientRoutes,
  recipientActionRoutes,
  replyRoutes,
  connectionRoutes,
  connectionActionRoutes,
  webhookRoutes,
  webhookActionRoutes,
  webhookReplayRoutes,
  webhookUrlRoutes,
  keyRoutes,
  creditsRoutes,
  settingsRoutes,
  brandFrameRoutes,
  channelRoutes,
  textRoutes,
  memberRoutes,
  auditRoutes,
] as const;

/** Every route of a shop, each with the action that the table of roles is asked for. */
export const shopRoutes = (context: DashboardContext): ShopRoute[] =>
  PAGES_OF_A_SHOP.flatMap((routesOf) => routesOf(context)).map((route) => ({
    ...route,
    path: `/dashboard/:business_id${route.path}`,
  }));

function sendFailure(
  { site, log }: DashboardContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const status = failureStatusOf(error);
  const send = (notice: Notice) => sendAnswer(reply, site, null, notice);
  if (status === 404) return send(NOTHING_HERE);
  if (status === 413) return send(TOO_LARGE);
  if (status < 500) return send(wrongRequest(status));
  // Logs the route, not the URL: a sign-in link's URL signs somebody in.
  log.error({ error, route: request.routeOptions.url, request_id: request.id }, 'dashboard page failed');
  return send(trouble(status, status === 503 ? 1 : undefined));
}
