import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../../../kit/clientAddress.ts';
import { longRandomToken } from '../../../kit/ids.ts';
import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import { canUseLink, requestSignIn, signInWithLink } from '../../../members/signIn.ts';
import { deleteDashboardSession } from '../../../members/sql.ts';
import { formOf, paramOf, readCookie } from '../../kit/request.ts';
import { type AccountRoute, browserTokenOf, currentSession, type DashboardContext } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { forAnybody, fromOwnPage } from '../guard.ts';
import type { Notice, Redirect } from '../layout.tsx';
import { LINK_UNUSABLE, tooManySignIns } from '../notices.ts';
import { returnPathFrom, returnPathIn } from '../returnPath.ts';
import { get, post } from '../route.ts';
import { browserName } from './browserName.ts';
import { linkPage, signInAgainPage, signInAgainSentPage, signInPage, signInSentPage } from './views.tsx';

/** The response takes at least this long, so that its timing does not reveal whose address a member's is. */
const RESPONSE_MS = 250;

/** Signing in, for everybody. */
export function signInRoutes(app: FastifyInstance, context: DashboardContext): void {
  const { pool, clock, site, cookies, asks, guesses } = context;

  app.get(
    '/dashboard/sign-in',
    forAnybody(context, async (request) =>
      signInPage(site, returnPathIn(request), context.relyingParty !== null),
    ),
  );

  app.post(
    '/dashboard/sign-in',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (asks.isSpent(source)) return tooManySignIns('ten minutes');
      asks.spend(source);
      const responseDue = delay(RESPONSE_MS);
      const browserToken = browserTokenOf(context, request) ?? longRandomToken();
      const address = formOf(request).get('email') ?? '';
      const link = await requestSignIn(context, { address, browserToken, asker: { source } }, clock.now());
      // The provider is not waited for: that would take longer for a member than for anybody else.
      if (link !== null) context.sendSignInLink(link);
      await responseDue;
      reply.header('set-cookie', [
        setCookie(cookies, 'browser', browserToken),
        // Where the member wanted to go, for when the link is used in this browser.
        setCookie(cookies, 'returnTo', returnPathFrom(formOf(request).get('to'))),
      ]);
      return signInSentPage(site);
    }),
  );

  // A GET signs nobody in and uses nothing up, because mail scanners fetch links.
  app.get(
    '/dashboard/sign-in/:token',
    forAnybody(context, async (request) => {
      const token = paramOf(request, 'token');
      const use = { token, browserToken: browserTokenOf(context, request) };
      return (await canUseLink(pool, use, clock.now())) ? linkPage(site, token) : unusable(request);
    }),
  );

  app.post(
    '/dashboard/sign-in/:token',
    fromOwnPage(context, async (request, reply) => {
      const token = paramOf(request, 'token');
      const browser = browserName(request.headers['user-agent']);
      const use = { token, browserToken: browserTokenOf(context, request), browser };
      const sessionToken = await signInWithLink(pool, use, clock.now());
      if (sessionToken === null) return unusable(request);
      const backTo = returnPathFrom(readCookie(request.headers.cookie, cookies.returnTo));
      return beginMemberSession(context, request, reply, sessionToken, backTo);
    }),
  );

  /** One page for a link that is used, expired, unknown or another browser's. Only these are counted as guesses. */
  function unusable(request: FastifyRequest): Notice {
    const source = sourceOf(context.clientAddress(request.raw));
    if (guesses.isSpent(source)) return tooManySignIns('ten minutes');
    guesses.spend(source);
    return LINK_UNUSABLE;
  }
}

/** Gives the browser its new session. The one that it had ends: the list would show it without a browser that could use it. */
export async function beginMemberSession(
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionToken: string,
  backTo: string | null,
): Promise<Redirect> {
  const { pool, cookies } = context;
  const before = await currentSession(context, request);
  if (before !== null) await deleteDashboardSession(pool, before.memberId, before.id);
  reply.header('set-cookie', [
    setCookie(cookies, 'session', sessionToken),
    setCookie(cookies, 'browser', null),
    setCookie(cookies, 'returnTo', null),
  ]);
  return { goTo: backTo ?? '/dashboard' };
}

/**
 * Asks a member who is signed in to show once more that it is them. `guard.ts` leads here for a dangerous action, and signing
 * in leads back. A link or a passkey starts a new session, which replaces this browser's.
 */
export function signInAgainRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, clock, cookies, relyingParty } = context;
  return [
    get('/dashboard/sign-in-again', 'account.use', async (visit, request) => {
      const passkeys = relyingParty === null ? [] : await listPasskeysOf(pool, visit.session.memberId);
      return signInAgainPage(visit, returnPathIn(request), passkeys.length > 0);
    }),
    post('/dashboard/sign-in-again', 'account.use', async (visit, request, reply) => {
      const { session } = visit;
      const backTo = returnPathFrom(formOf(request).get('to'));
      const browserToken = browserTokenOf(context, request) ?? longRandomToken();
      const asker = { sessionId: session.id };
      const link = await requestSignIn(context, { address: session.email, browserToken, asker }, clock.now());
      if (link === null) return tooManySignIns('an hour');
      context.sendSignInLink(link);
      reply.header('set-cookie', [
        setCookie(cookies, 'browser', browserToken),
        setCookie(cookies, 'returnTo', backTo),
      ]);
      return signInAgainSentPage(visit);
    }),
  ];
}
