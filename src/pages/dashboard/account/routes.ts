import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import {
  deleteDashboardSession,
  listAllShops,
  listDashboardSessions,
  listShopsOf,
  type ShopRow,
} from '../../../members/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import type { AccountRoute, DashboardContext, Visit } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { get, nothingHere, post } from '../route.ts';
import { accountPage, shopsPage } from './views.tsx';

const FLASHES = {
  passkey_added: ['good', 'The passkey was added. You can sign in with it from now on.'],
  passkey_removed: ['good', 'The passkey was removed. It signs nobody in any more.'],
  session_ended: ['good', 'That browser is signed out.'],
} satisfies Flashes;

/** More shops than this are found by their address alone. */
const SHOPS_LISTED = 200;

/** What a signed-in member does with their own account. */
export function accountRoutes({ pool, clock, cookies, relyingParty }: DashboardContext): AccountRoute[] {
  const shopsOf = ({ session }: Visit): Promise<ShopRow[]> =>
    session.operator ? listAllShops(pool, SHOPS_LISTED) : listShopsOf(pool, session.memberId);
  return [
    get('/dashboard', 'account.use', async (visit) => {
      const [first, ...others] = await shopsOf(visit);
      return { goTo: first && others.length === 0 ? `/dashboard/${first.id}` : '/dashboard/shops' };
    }),
    get('/dashboard/shops', 'account.use', async (visit) => shopsPage(visit, await shopsOf(visit))),
    get('/dashboard/account', { action: 'account.use', flashes: FLASHES }, async (visit) => {
      const { memberId } = visit.session;
      const sessions = await listDashboardSessions(pool, memberId, clock.now());
      const passkeys = relyingParty === null ? null : await listPasskeysOf(pool, memberId);
      return accountPage(visit, sessions, passkeys);
    }),
    post('/dashboard/account/sessions/:id/end', 'account.use', async ({ session }, request) => {
      const [ended] = await deleteDashboardSession(pool, session.memberId, paramOf(request, 'id'));
      if (!ended) throw nothingHere();
      return { goTo: '/dashboard/account?flash=session_ended' };
    }),
    post('/dashboard/sign-out', 'account.use', async ({ session }, _request, reply) => {
      await deleteDashboardSession(pool, session.memberId, session.id);
      reply.header('set-cookie', [setCookie(cookies, 'session', null), setCookie(cookies, 'returnTo', null)]);
      return { goTo: '/dashboard/sign-in' };
    }),
  ];
}
