import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isAllowed, isDangerous, type Role } from '../../members/permissions.ts';
import { hasFormToken, isSignInFresh, type MemberSession } from '../../members/session.ts';
import { formOf, isFromOurPages } from '../kit/request.ts';
import {
  type AccountRoute,
  currentSession,
  type DashboardContext,
  type DashboardRoute,
  type OperatorRoute,
  type ShopRoute,
  sendDashboardPage,
  shopVisit,
  type Visit,
} from './context.ts';
import { foreignFormPage, notAllowedPage, nothingHerePage } from './notices.tsx';
import { SIGN_IN_PATH, signInAgainPath, signInPathTo } from './returnPath.ts';

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** For a form from one of our own pages, whether the person is signed in or not. */
export function fromOwnPage({ site }: DashboardContext, handle: PageHandler): PageHandler {
  return async (request, reply) => {
    if (isFromOurPages(request, site.publicUrl)) return handle(request, reply);
    return sendDashboardPage(reply, 403, foreignFormPage(site));
  };
}

/** Registers routes of the member's account: each needs a session, and a form also that session's token. */
export function registerAccountRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly AccountRoute[],
): void {
  // Everybody has an account of their own, so the least role decides.
  for (const route of routes)
    register(
      app,
      context,
      route,
      async (session) => ({ visit: { session }, role: 'viewer' }),
      () => SIGN_IN_PATH,
    );
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
    register(
      app,
      context,
      route,
      async (session, request) => {
        const visit = await shopVisit(context, session, request);
        return visit && { visit, role: visit.role };
      },
      // A link in a mail, or a page that was open when the session ended.
      ({ method, url }) => (method === 'GET' ? signInPathTo(url) : SIGN_IN_PATH),
    );
}

/** Registers the operator's routes. To everybody else they look as if they did not exist. */
export function registerOperatorRoutes(
  app: FastifyInstance,
  context: DashboardContext,
  routes: readonly OperatorRoute[],
): void {
  for (const route of routes)
    register(
      app,
      context,
      route,
      async (session) => {
        const role: Role = session.operator ? 'operator' : 'viewer';
        return isAllowed(role, route.action) ? { visit: { session }, role } : null;
      },
      ({ method, url }) => (method === 'GET' ? signInPathTo(url) : SIGN_IN_PATH),
    );
}

function register<V extends Visit>(
  app: FastifyInstance,
  context: DashboardContext,
  { method, path, action, actionOf = async () => action, isStream = false, handle }: DashboardRoute<V>,
  admit: (session: MemberSession, request: FastifyRequest) => Promise<{ visit: V; role: Role } | null>,
  signInAt: (request: FastifyRequest) => string,
): void {
  const { site, clock } = context;
  const handler: PageHandler = async (request, reply) => {
    const session = await currentSession(context, request);
    if (session === null) return reply.redirect(site.to(signInAt(request)), 303);
    const admitted = await admit(session, request);
    if (admitted === null) return sendDashboardPage(reply, 404, nothingHerePage(site));
    const asked = await actionOf(admitted.visit, request);
    if (!isAllowed(admitted.role, asked)) return sendDashboardPage(reply, 403, notAllowedPage(site));
    if (method === 'POST' && !hasFormToken(session, formOf(request).get('csrf')))
      return sendDashboardPage(reply, 403, foreignFormPage(site));
    if (isDangerous(asked) && !isSignInFresh(session, clock.now()))
      return reply.redirect(site.to(signInAgainPath(request.url)), 303);
    const isStillAllowed = async (): Promise<boolean> => {
      const again = await currentSession(context, request, false);
      const role = again && (await admit(again, request))?.role;
      return role != null && isAllowed(role, asked);
    };
    return handle(admitted.visit, request, reply, isStillAllowed);
  };
  app.route({
    method,
    url: path,
    exposeHeadRoute: !isStream,
    handler: method === 'POST' ? fromOwnPage(context, handler) : handler,
  });
}
