import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import {
  deleteDashboardSession,
  listAllShops,
  listDashboardSessions,
  listShopsOf,
  type ShopRow,
} from '../../../members/sql.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import { type AccountRoute, type DashboardContext, sendDashboardPage, type Visit } from '../context.ts';
import { endedMemberCookie, endedReturnCookie } from '../cookies.ts';
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
export function accountRoutes({
  pool,
  clock,
  site,
  cookies,
  relyingParty,
}: DashboardContext): AccountRoute[] {
  const shopsOf = ({ session }: Visit): Promise<ShopRow[]> =>
    session.operator ? listAllShops(pool, SHOPS_LISTED) : listShopsOf(pool, session.memberId);
  return [
    get('/dashboard', 'account.use', async (visit, _request, reply) => {
      const [first, ...others] = await shopsOf(visit);
      const to = first && others.length === 0 ? `/dashboard/${first.id}` : '/dashboard/shops';
      return reply.redirect(site.to(to), 303);
    }),
    get('/dashboard/shops', 'account.use', async (visit, _request, reply) =>
      sendDashboardPage(reply, 200, shopsPage(site, visit, await shopsOf(visit))),
    ),
    get('/dashboard/account', 'account.use', async (visit, request, reply) => {
      const { memberId } = visit.session;
      const sessions = await listDashboardSessions(pool, memberId, clock.now());
      const passkeys = relyingParty === null ? null : await listPasskeysOf(pool, memberId);
      const flash = flashIn(request, FLASHES);
      return sendDashboardPage(reply, 200, accountPage({ site, visit, sessions, passkeys, flash }));
    }),
    post('/dashboard/account/sessions/:id/end', 'account.use', async ({ session }, request, reply) => {
      const id = paramOf(request, 'id');
      const [ended] = await deleteDashboardSession(pool, session.memberId, id);
      if (!ended) throw nothingHere();
      return reply.redirect(site.to('/dashboard/account?flash=session_ended'), 303);
    }),
    post('/dashboard/sign-out', 'account.use', async ({ session }, _request, reply) => {
      await deleteDashboardSession(pool, session.memberId, session.id);
      return reply
        .header('set-cookie', [endedMemberCookie(cookies), endedReturnCookie(cookies)])
        .redirect(site.to('/dashboard/sign-in'), 303);
    }),
  ];
}
