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
import { nothingHerePage } from '../notices.tsx';
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
    {
      method: 'GET',
      path: '/dashboard',
      action: 'account.use',
      async handle(visit, _request, reply) {
        const [first, ...others] = await shopsOf(visit);
        const to = first && others.length === 0 ? `/dashboard/${first.id}` : '/dashboard/shops';
        return reply.redirect(site.to(to), 303);
      },
    },
    {
      method: 'GET',
      path: '/dashboard/shops',
      action: 'account.use',
      handle: async (visit, _request, reply) =>
        sendDashboardPage(reply, 200, shopsPage(site, visit, await shopsOf(visit))),
    },
    {
      method: 'GET',
      path: '/dashboard/account',
      action: 'account.use',
      async handle(visit, request, reply) {
        const { memberId } = visit.session;
        const sessions = await listDashboardSessions(pool, memberId, clock.now());
        const passkeys = relyingParty === null ? null : await listPasskeysOf(pool, memberId);
        const flash = flashIn(request, FLASHES);
        return sendDashboardPage(reply, 200, accountPage({ site, visit, sessions, passkeys, flash }));
      },
    },
    {
      method: 'POST',
      path: '/dashboard/account/sessions/:id/end',
      action: 'account.use',
      async handle({ session }, request, reply) {
        const id = paramOf(request, 'id');
        const [ended] = await deleteDashboardSession(pool, session.memberId, id);
        if (!ended) return sendDashboardPage(reply, 404, nothingHerePage(site));
        return reply.redirect(site.to('/dashboard/account?flash=session_ended'), 303);
      },
    },
    {
      method: 'POST',
      path: '/dashboard/sign-out',
      action: 'account.use',
      async handle({ session }, _request, reply) {
        await deleteDashboardSession(pool, session.memberId, session.id);
        return reply
          .header('set-cookie', [endedMemberCookie(cookies), endedReturnCookie(cookies)])
          .redirect(site.to('/dashboard/sign-in'), 303);
      },
    },
  ];
}
