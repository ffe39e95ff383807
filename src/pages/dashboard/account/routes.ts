import { PASSKEY_NAME_MAX } from '../../../config/limits.ts';
import {
  addPasskey,
  newPasskeyOptions,
  type RelyingParty,
  removePasskey,
} from '../../../members/passkeys.ts';
import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import {
  deleteDashboardSession,
  listAllShops,
  listDashboardSessions,
  listShopsOf,
  type ShopRow,
} from '../../../members/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { sendHtml } from '../../kit/page.tsx';
import { formOf, paramOf } from '../../kit/request.ts';
import { lineField, readForm } from '../../kit/typedForm.ts';
import { type AccountRoute, browserTokenOf, type DashboardContext, type Visit } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { renderPage } from '../layout.tsx';
import { get, nothingHere, post } from '../route.ts';
import { browserName } from '../signIn/browserName.ts';
import { keepBrowser } from '../signIn/routes.ts';
import { accountPage, newPasskeyPage, shopsPage, signedOutPage } from './views.tsx';

const FLASHES = {
  passkey_added: ['good', 'The passkey was added. You can sign in with it from now on.'],
  passkey_removed: ['good', 'The passkey was removed. It signs nobody in any more.'],
  session_ended: ['good', 'That browser is signed out.'],
} satisfies Flashes;

/** More shops than this are found by their address alone. */
const SHOPS_LISTED = 200;

/** What a signed-in member does with their own account. */
export function accountRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, clock, cookies, relyingParty, oidc } = context;
  const shopsOf = ({ session }: Visit): Promise<ShopRow[]> =>
    session.operator ? listAllShops(pool, SHOPS_LISTED) : listShopsOf(pool, session.memberId);
  return [
    get('/dashboard', 'account.use', async (visit) => {
      if (visit.session.operator) return { goTo: '/dashboard/operator' };
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
    post('/dashboard/sign-out', 'account.use', async ({ site, session }, _request, reply) => {
      await deleteDashboardSession(pool, session.memberId, session.id);
      reply.header('set-cookie', [setCookie(cookies, 'session', null), setCookie(cookies, 'returnTo', null)]);
      const endThere = session.byOidc && oidc !== null ? await oidc.endSessionUrl() : null;
      if (oidc === null || endThere === null) return { goTo: '/dashboard/sign-in' };
      // Not a redirect: the content security policy lets no form lead to another site.
      reply.header('refresh', `0; url=${endThere}`);
      return { sent: sendHtml(reply, 200, renderPage(site, null, signedOutPage(oidc.host, endThere))) };
    }),
    ...(relyingParty === null ? [] : passkeyRoutes(context, relyingParty)),
  ];
}

const PASSKEY_FORM = {
  name: {
    ...lineField(PASSKEY_NAME_MAX),
    wrong: `A name has 1 to ${PASSKEY_NAME_MAX} characters, on one line.`,
    parse: (text: string) => lineField(PASSKEY_NAME_MAX).parse(text) || undefined,
  },
};

/** A member's own passkeys. */
function passkeyRoutes(context: DashboardContext, relyingParty: RelyingParty): AccountRoute[] {
  const { pool, clock } = context;
  return [
    get('/dashboard/account/passkeys/new', 'passkey.add', async (visit, request) =>
      newPasskeyPage(visit, { typed: { name: browserName(request.headers['user-agent']) }, faults: {} }),
    ),
    post('/dashboard/account/passkeys/options', 'account.use', async ({ session }, request, reply) => {
      const { memberId, email } = session;
      const made = { memberId, email, browserToken: keepBrowser(context, request, reply) };
      return { sent: reply.send(await newPasskeyOptions(pool, relyingParty, made, clock.now())) };
    }),
    post('/dashboard/account/passkeys/new', 'passkey.add', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), PASSKEY_FORM);
      if (values === null) return { ...newPasskeyPage(visit, form), status: 422 };
      const made = {
        memberId: visit.session.memberId,
        browserToken: browserTokenOf(context, request) ?? '',
        name: values.name,
        credential: formOf(request).get('credential') ?? '',
      };
      const added = await addPasskey(pool, relyingParty, made, clock.now());
      if (added) return { goTo: '/dashboard/account?flash=passkey_added' };
      return { ...newPasskeyPage(visit, { ...form, faults: { name: NOT_ADDED } }), status: 422 };
    }),
    post('/dashboard/account/passkeys/:id/remove', 'account.use', async ({ session }, request) => {
      const removed = await removePasskey(pool, session.memberId, paramOf(request, 'id'), clock.now());
      if (!removed) throw nothingHere();
      return { goTo: '/dashboard/account?flash=passkey_removed' };
    }),
  ];
}

const NOT_ADDED =
  'The passkey was not added: it took too long, it is there already, or there are too many. Try once more.';
