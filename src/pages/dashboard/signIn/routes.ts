import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../../../kit/clientAddress.ts';
import { longRandomToken } from '../../../kit/ids.ts';
import { canUseLink, requestSignIn, signInWithLink } from '../../../members/signIn.ts';
import { deleteDashboardSession } from '../../../members/sql.ts';
import { formOf, paramOf, readCookie } from '../../kit/request.ts';
import { browserTokenOf, currentSession, type DashboardContext, sendDashboardPage } from '../context.ts';
import {
  browserCookie,
  endedBrowserCookie,
  endedReturnCookie,
  memberCookie,
  returnCookie,
} from '../cookies.ts';
import { fromOwnPage } from '../guard.ts';
import { returnPathFrom, returnPathIn } from '../returnPath.ts';
import { browserName } from './browserName.ts';
import { linkPage, linkUnusablePage, signInPage, signInSentPage, tooManySignInsPage } from './views.tsx';

/** The response takes at least this long, so that its timing does not reveal whose address a member's is. */
const RESPONSE_MS = 250;
const RETRY_SECONDS = 600;

/** Signing in, for everybody. */
export function signInRoutes(app: FastifyInstance, context: DashboardContext): void {
  const { pool, clock, site, cookies, asks } = context;

  app.get('/dashboard/sign-in', async (request, reply) =>
    sendDashboardPage(
      reply,
      200,
      signInPage(site, { backTo: returnPathIn(request), hasPasskeys: context.relyingParty !== null }),
    ),
  );

  app.post(
    '/dashboard/sign-in',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (asks.isSpent(source))
        return sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), 429, tooManySignInsPage(site));
      asks.spend(source);
      const responseDue = delay(RESPONSE_MS);
      const browserToken = browserTokenOf(context, request) ?? longRandomToken();
      const address = formOf(request).get('email') ?? '';
      const link = await requestSignIn(context, { address, browserToken, asker: { source } }, clock.now());
      // The provider is not waited for: that would take longer for a member than for anybody else.
      if (link !== null) context.sendSignInLink(link);
      await responseDue;
      return sendDashboardPage(
        reply.header('set-cookie', [browserCookie(cookies, browserToken), returnOf(request)]),
        200,
        signInSentPage(site),
      );
    }),
  );

  /** Where the form said that the member wanted to go, for when the link is used in this browser. */
  const returnOf = (request: FastifyRequest): string => {
    const backTo = returnPathFrom(formOf(request).get('to'));
    return backTo === null ? endedReturnCookie(cookies) : returnCookie(cookies, backTo);
  };

  // A GET signs nobody in and uses nothing up, because mail scanners fetch links.
  app.get('/dashboard/sign-in/:token', async (request, reply) => {
    const token = paramOf(request, 'token');
    const usable = await canUseLink(
      pool,
      { token, browserToken: browserTokenOf(context, request) },
      clock.now(),
    );
    return usable ? sendDashboardPage(reply, 200, linkPage(site, token)) : sendUnusable(request, reply);
  });

  app.post(
    '/dashboard/sign-in/:token',
    fromOwnPage(context, async (request, reply) => {
      const token = paramOf(request, 'token');
      const browser = browserName(request.headers['user-agent']);
      const use = { token, browserToken: browserTokenOf(context, request), browser };
      const sessionToken = await signInWithLink(pool, use, clock.now());
      if (sessionToken === null) return sendUnusable(request, reply);
      const backTo = returnPathFrom(readCookie(request.headers.cookie, cookies.returnTo));
      return sendSignedIn(context, request, reply, sessionToken, backTo);
    }),
  );

  /** One page for a link that is used, expired, unknown or another browser's. Only these are counted as guesses. */
  function sendUnusable(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const source = sourceOf(context.clientAddress(request.raw));
    if (context.guesses.isSpent(source))
      return sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), 429, tooManySignInsPage(site));
    context.guesses.spend(source);
    return sendDashboardPage(reply, 404, linkUnusablePage(site));
  }
}

/** Gives the browser its new session. The one that it had ends: the list would show it without a browser that could use it. */
export async function sendSignedIn(
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionToken: string,
  backTo: string | null,
): Promise<FastifyReply> {
  const { pool, cookies, site } = context;
  const before = await currentSession(context, request);
  if (before !== null) await deleteDashboardSession(pool, before.memberId, before.id);
  return reply
    .header('set-cookie', [
      memberCookie(cookies, sessionToken),
      endedBrowserCookie(cookies),
      endedReturnCookie(cookies),
    ])
    .redirect(site.to(backTo ?? '/dashboard'), 303);
}
