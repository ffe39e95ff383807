import { longRandomToken } from '../../../kit/ids.ts';
import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import { requestSignIn } from '../../../members/signIn.ts';
import { formOf } from '../../kit/request.ts';
import { type AccountRoute, browserTokenOf, type DashboardContext, sendDashboardPage } from '../context.ts';
import { browserCookie, endedReturnCookie, returnCookie } from '../cookies.ts';
import { returnPathFrom, returnPathIn } from '../returnPath.ts';
import { get, post } from '../route.ts';
import { signInAgainPage, signInAgainSentPage } from './again.tsx';
import { tooManySignInsPage } from './views.tsx';

const RETRY_SECONDS = 3_600;

/**
 * Asks a member who is signed in to show once more that it is them. `guard.ts` leads here for a dangerous action, and signing
 * in leads back. A link or a passkey starts a new session, which replaces this browser's.
 */
export function signInAgainRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, clock, site, cookies, relyingParty } = context;
  return [
    get('/dashboard/sign-in-again', 'account.use', async (visit, request, reply) => {
      const passkeys = relyingParty === null ? [] : await listPasskeysOf(pool, visit.session.memberId);
      const shown = { site, visit, backTo: returnPathIn(request), hasPasskey: passkeys.length > 0 };
      return sendDashboardPage(reply, 200, signInAgainPage(shown));
    }),
    post('/dashboard/sign-in-again', 'account.use', async ({ session }, request, reply) => {
      const backTo = returnPathFrom(formOf(request).get('to'));
      const browserToken = browserTokenOf(context, request) ?? longRandomToken();
      const asked = { address: session.email, browserToken, asker: { sessionId: session.id } };
      const link = await requestSignIn(context, asked, clock.now());
      if (link === null)
        return sendDashboardPage(
          reply.header('retry-after', RETRY_SECONDS),
          429,
          tooManySignInsPage(site, 'an hour'),
        );
      context.sendSignInLink(link);
      return sendDashboardPage(
        reply.header('set-cookie', [
          browserCookie(cookies, browserToken),
          backTo === null ? endedReturnCookie(cookies) : returnCookie(cookies, backTo),
        ]),
        200,
        signInAgainSentPage(site, session.email),
      );
    }),
  ];
}
