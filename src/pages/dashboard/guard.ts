import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed, isDangerous, type Role } from '../../members/permissions.ts';
import { hasFormToken, isSignInFresh, type MemberSession } from '../../members/session.ts';
import { flashIn } from '../kit/flash.ts';
import type { Site } from '../kit/page.tsx';
import { formOf, isFromOurPages } from '../kit/request.ts';
import {
  type AccountRoute,
  type Answer,
  currentSession,
  type DashboardContext,
  type DashboardRoute,
  type OperatorRoute,
  type ShopRoute,
  sendDashboardPage,
  shopVisit,
  type Visit,
} from './context.ts';
import { renderNotice, renderPage } from './layout.tsx';
import { FOREIGN_FORM, NOT_ALLOWED, NOTHING_HERE } from './notices.ts';
import { SIGN_IN_PATH, signInAgainPath, signInPathTo } from './returnPath.ts';

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>;

/** Sends what a handler answered with; `visit` is null where nobody is signed in. */
export function sendAnswer(
  reply: FastifyReply,
  site: Site,
  visit: Visit | null,
  answer: Answer,
): FastifyReply {
  if ('goTo' in answer) return reply.redirect(site.to(answer.goTo), 303);
  if ('children' in answer)
    return sendDashboardPage(reply, answer.status ?? 200, renderPage(site, visit, answer));
  if (!('href' in answer)) return answer;
  if (answer.retrySeconds !== undefined) reply.header('retry-after', answer.retrySeconds);
  return sendDashboardPage(reply, answer.status, renderNotice(site, answer));
}

/** For everybody, signed in or not. */
export const forAnybody =
  ({ site }: DashboardContext, handle: PageHandler) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendAnswer(reply, site, null, await handle(request, reply));

/** The same for a form, which must come from one of our own pages. */
export const fromOwnPage = (context: DashboardContext, handle: PageHandler) =>
  forAnybody(context, async (request, reply) =>
    isFromOurPages(request, context.site.publicUrl) ? handle(request, reply) : FOREIGN_FORM,
  );

type Admit<V extends Visit> = (
  session: MemberSession,
  request: FastifyRequest,
) => Promise<{ visit: V; role: Role } | null>;

/** Registers routes of the member's account. Everybody has one of their own, so the least role decides. */
export function registerAccountRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly AccountRoute[],
): void {
  const { site } = context;
  for (const route of routes)
    register(app, context, route, async (session) => ({ visit: { site, session }, role: 'viewer' }), false);
}

/**
 * Registers routes of a shop. The session is asked for first, then the shop, then the role: somebody else's shop is not
 * found, whatever one may do in one's own.
 */
export function registerShopRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly ShopRoute[],
): void {
  for (const route of routes)
    register(app, context, route, async (session, request) => {
      const visit = await shopVisit(context, session, request);
      return visit && { visit, role: visit.role };
    });
}

/** Registers the operator's routes. To everybody else they look as if they did not exist. */
export function registerOperatorRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly OperatorRoute[],
): void {
  const { site } = context;
  for (const route of routes)
    register(app, context, route, async (session) => {
      const role: Role = session.operator ? 'operator' : 'viewer';
      return isAllowed(role, route.action) ? { visit: { site, session }, role } : null;
    });
}

/**
 * Each route needs a session, and a form also that session's token. `comesBack`: whether signing in leads back to the page, as
 * for a link in a mail, or a page that was open when the session ended.
 */
function register<V extends Visit>(
  app: FastifyInstance,
  context: DashboardContext,
  route: DashboardRoute<V>,
  admit: Admit<V>,
  comesBack = route.method === 'GET',
): void {
  const { site, clock } = context;
  const { method, path, action, actionOf = async () => action, flashes = {}, isStream = false } = route;
  const handler: PageHandler = async (request, reply) => {
    const session = await currentSession(context, request);
    if (session === null) return { goTo: comesBack ? signInPathTo(request.url) : SIGN_IN_PATH };
    const admitted = await admit(session, request);
    if (admitted === null) return NOTHING_HERE;
    const { visit, role } = admitted;
    const needed = await actionOf(visit, request);
    if (!isAllowed(role, needed)) return NOT_ALLOWED;
    if (method === 'POST' && !hasFormToken(session, formOf(request).get('csrf'))) return FOREIGN_FORM;
    if (isDangerous(needed) && !isSignInFresh(session, clock.now()))
      return { goTo: signInAgainPath(request.url) };
    const isStillAllowed = async (): Promise<boolean> => {
      const again = await currentSession(context, request, false);
      const roleNow = again && (await admit(again, request))?.role;
      return roleNow != null && isAllowed(roleNow, needed);
    };
    const answer = await route.handle(visit, request, reply, isStillAllowed);
    const page = 'children' in answer ? { flash: flashIn(request, flashes), ...answer } : answer;
    return sendAnswer(reply, site, visit, page);
  };
  app.route({
    method,
    url: path,
    exposeHeadRoute: !isStream,
    handler: (method === 'POST' ? fromOwnPage : forAnybody)(context, handler),
  });
}
