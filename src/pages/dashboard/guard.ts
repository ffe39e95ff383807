import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { actingMember } from '../../businesses/audit.ts';
import { type Action, isAllowed, isDangerous, type Role } from '../../members/permissions.ts';
import { hasFormToken, isSignInFresh, type MemberSession, readShopOf } from '../../members/session.ts';
import { flashIn } from '../kit/flash.ts';
import { type Site, sendHtml } from '../kit/page.tsx';
import { formOf, isFromOurPages, paramOf } from '../kit/request.ts';
import {
  type Answer,
  currentSession,
  type DashboardContext,
  type DashboardRoute,
  isByPerson,
  type ShopVisit,
  type Visit,
} from './context.ts';
import { renderNotice, renderPage } from './layout.tsx';
import { FOREIGN_FORM, NOT_ALLOWED, NOTHING_HERE } from './notices.ts';
import { SIGN_IN_PATH, signInAgainPath, signInPathTo } from './returnPath.ts';

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>;

/** Sends what a handler answered with; `visit` is null where nobody is signed in. */
export function sendAnswer(reply: FastifyReply, site: Site, visit: Visit | null, answer: Answer) {
  if ('goTo' in answer) return reply.redirect(site.to(answer.goTo), 303);
  if ('children' in answer) return sendHtml(reply, answer.status ?? 200, renderPage(site, visit, answer));
  if ('sent' in answer) return answer.sent;
  if (answer.retrySeconds !== undefined) reply.header('retry-after', answer.retrySeconds);
  return sendHtml(reply, answer.status, renderNotice(site, answer));
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

/** Who comes in, and in which role; null: to this member the route looks as if it did not exist. */
type Admit<V extends Visit> = (
  context: DashboardContext,
  session: MemberSession,
  request: FastifyRequest,
  action: Action,
) => Promise<{ visit: V; role: Role } | null>;

/** To the member's account. Everybody has one of their own, so the least role decides. */
export const admitToAccount: Admit<Visit> = async ({ site }, session) => ({
  visit: { site, session },
  role: 'viewer',
});

/** To the shop of the address. Somebody else's shop is not found, whatever one may do in one's own. */
export const admitToShop: Admit<ShopVisit> = async ({ pool, clock, site }, session, request) => {
  const businessId = paramOf(request, 'business_id');
  const shop = await readShopOf(pool, session, businessId, clock.now(), { isUse: isByPerson(request) });
  const role = session.operator ? 'operator' : shop?.role;
  if (!shop || !role) return null;
  const visit: ShopVisit = {
    site,
    session,
    shop: { id: shop.id, name: shop.name },
    role,
    actor: actingMember(session.memberId),
    unreadReplies: shop.unread_replies,
    to: (path) => site.to(`/dashboard/${shop.id}${path}`),
    may: (action) => isAllowed(role, action),
  };
  return { visit, role };
};

/** To the operator's pages. */
export const admitToOperator: Admit<Visit> = async ({ site }, session, _request, action) =>
  session.operator && isAllowed('operator', action) ? { visit: { site, session }, role: 'operator' } : null;

/**
 * Each route needs a session, and a form also that session's token. The session is asked for first, then the shop, then the role.
 * `comesBack`: whether signing in leads back to the page, as for a link in a mail, or a page that was open when the session ended.
 */
export function registerRoutes<V extends Visit>(
  app: FastifyInstance,
  context: DashboardContext,
  admit: Admit<V>,
  routes: readonly DashboardRoute<V>[],
  comesBack = true,
): void {
  for (const route of routes) {
    const { method, path, isStream = false } = route;
    const accept = method === 'POST' ? fromOwnPage : forAnybody;
    const handler = accept(context, guarded(context, route, admit, comesBack));
    app.route({ method, url: path, exposeHeadRoute: !isStream, handler });
  }
}

function guarded<V extends Visit>(
  context: DashboardContext,
  { method, action, actionOf = async () => action, flashes = {}, handle }: DashboardRoute<V>,
  admit: Admit<V>,
  comesBack: boolean,
): PageHandler {
  return async (request, reply) => {
    const session = await currentSession(context, request);
    if (session === null)
      return { goTo: comesBack && method === 'GET' ? signInPathTo(request.url) : SIGN_IN_PATH };
    const admitted = await admit(context, session, request, action);
    if (admitted === null) return NOTHING_HERE;
    const { visit, role } = admitted;
    const needed = await actionOf(visit, request);
    if (!isAllowed(role, needed)) return NOT_ALLOWED;
    if (method === 'POST' && !hasFormToken(session, formOf(request).get('csrf'))) return FOREIGN_FORM;
    if (isDangerous(needed) && !isSignInFresh(session, context.clock.now()))
      return { goTo: signInAgainPath(request.url) };
    const isStillAllowed = async (): Promise<boolean> => {
      const again = await currentSession(context, request, false);
      const roleNow = again && (await admit(context, again, request, action))?.role;
      return roleNow != null && isAllowed(roleNow, needed);
    };
    const answer = await handle(visit, request, reply, isStillAllowed);
    const page = 'children' in answer ? { flash: flashIn(request, flashes), ...answer } : answer;
    return { sent: sendAnswer(reply, context.site, visit, page) };
  };
}
