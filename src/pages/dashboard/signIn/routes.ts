import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { longRandomToken } from '../../../kit/ids.ts';
import { type RelyingParty, signInWithPasskey, usePasskeyOptions } from '../../../members/passkeys.ts';
import { listPasskeysOf } from '../../../members/passkeysSql.ts';
import { canUseLink, requestSignIn, signInWithLink } from '../../../members/signIn.ts';
import { signInWithCode } from '../../../members/signInCode.ts';
import { formOf, paramOf, readCookie } from '../../kit/request.ts';
import { type AccountRoute, type Answer, browserTokenOf, type DashboardContext } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { forAnybody, fromOwnPage } from '../guard.ts';
import type { Notice } from '../layout.tsx';
import { CODE_UNUSABLE, LINK_UNUSABLE, PASSKEY_UNUSABLE, tooManySignIns } from '../notices.ts';
import { returnPathFrom, returnPathIn } from '../returnPath.ts';
import { get, post } from '../route.ts';
import { oidcRoutes } from './oidcRoutes.ts';
import { beginMemberSession, browserOf, clientOf, spend } from './session.ts';
import {
  linkPage,
  signInAgainPage,
  signInAgainSentPage,
  signInPage,
  signInSentPage,
  type Ways,
} from './views.tsx';

/** The response takes at least this long, so that its timing does not reveal whose address a member's is. */
const RESPONSE_MS = 250;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>;
type AddForm = (path: string, handle: Handler) => void;

/** Signing in, for everybody. */
export function signInRoutes(app: FastifyInstance, context: DashboardContext): void {
  const { pool, clock, site, relyingParty, linkRequests, guesses, oidc } = context;
  const page = (path: string, handle: Handler) => app.get(path, forAnybody(context, handle));
  const form: AddForm = (path, handle) => app.post(path, fromOwnPage(context, handle));

  page('/dashboard/sign-in', async (request) => signInPage(site, returnPathIn(request), waysOf(context)));
  form('/dashboard/sign-in', async (request, reply) => {
    const refused = spend(context, request, linkRequests);
    if (refused !== null) return refused;
    const responseDue = delay(RESPONSE_MS);
    const linkRequest = {
      address: formOf(request).get('email') ?? '',
      asker: { source: clientOf(context, request) },
    };
    await mailLink(context, request, reply, linkRequest);
    await responseDue;
    return signInSentPage(site);
  });
  page('/dashboard/sign-in/code', async () => signInSentPage(site));
  form('/dashboard/sign-in/code', async (request, reply) => {
    const source = clientOf(context, request);
    if (guesses.isSpent(source)) return tooManySignIns('ten minutes');
    const responseDue = delay(RESPONSE_MS);
    const use = { ...browserOf(context, request), code: formOf(request).get('code') ?? '' };
    const sessionToken = await signInWithCode(context, use, clock.now());
    if (sessionToken !== null)
      return beginMemberSession(context, request, reply, sessionToken, returnPathKept(context, request));
    guesses.spend(source);
    await responseDue;
    return { ...signInSentPage(site, CODE_UNUSABLE), status: 422 };
  });
  // A GET signs nobody in and uses nothing up, because mail scanners fetch links.
  page('/dashboard/sign-in/:token', async (request) => {
    const token = paramOf(request, 'token');
    const use = { token, browserToken: browserTokenOf(context, request) };
    return (await canUseLink(pool, use, clock.now()))
      ? linkPage(site, token)
      : unusableLink(context, request);
  });
  form('/dashboard/sign-in/:token', async (request, reply) => {
    const use = { ...browserOf(context, request), token: paramOf(request, 'token') };
    const sessionToken = await signInWithLink(pool, use, clock.now());
    if (sessionToken === null) return unusableLink(context, request);
    return beginMemberSession(context, request, reply, sessionToken, returnPathKept(context, request));
  });
  if (relyingParty !== null) passkeySignIn(form, context, relyingParty);
  if (oidc !== null) oidcRoutes(app, context, oidc);
}

const waysOf = ({ relyingParty, oidc }: DashboardContext, hasPasskeys = relyingParty !== null): Ways => ({
  hasPasskeys,
  issuerHost: oidc?.host ?? null,
});

/** Signing in by a passkey. */
function passkeySignIn(form: AddForm, context: DashboardContext, relyingParty: RelyingParty): void {
  const { pool, clock, challenges, guesses } = context;
  form('/dashboard/sign-in/passkey/options', async (request, reply) => {
    const refused = spend(context, request, challenges);
    if (refused !== null) return refused;
    const browserToken = keepBrowser(context, request, reply);
    return { sent: reply.send(await usePasskeyOptions(pool, relyingParty, browserToken, clock.now())) };
  });
  form('/dashboard/sign-in/passkey', async (request, reply) => {
    const source = clientOf(context, request);
    if (guesses.isSpent(source)) return tooManySignIns('ten minutes');
    const typed = formOf(request);
    const attempt = { ...browserOf(context, request), credential: typed.get('credential') ?? '' };
    const sessionToken = await signInWithPasskey(pool, relyingParty, attempt, clock.now());
    if (sessionToken !== null)
      return beginMemberSession(context, request, reply, sessionToken, typed.get('to'));
    guesses.spend(source);
    return PASSKEY_UNUSABLE;
  });
}

/**
 * Asks a member who is signed in to show once more that it is them. `guard.ts` leads here for a dangerous action, and signing
 * in leads back. A link or a passkey starts a new session, which replaces this browser's.
 */
export function signInAgainRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, relyingParty } = context;
  return [
    get('/dashboard/sign-in-again', 'account.use', async (visit, request) => {
      const passkeys = relyingParty === null ? [] : await listPasskeysOf(pool, visit.session.memberId);
      return signInAgainPage(visit, returnPathIn(request), waysOf(context, passkeys.length > 0));
    }),
    post('/dashboard/sign-in-again', 'account.use', async (visit, request, reply) => {
      const { email, id } = visit.session;
      const linkRequest = { address: email, asker: { sessionId: id } };
      if (!(await mailLink(context, request, reply, linkRequest))) return tooManySignIns('an hour');
      return signInAgainSentPage(visit);
    }),
  ];
}

/** One page for a link that is used, expired, unknown or another browser's. Only these are counted as guesses. */
const unusableLink = (context: DashboardContext, request: FastifyRequest): Notice =>
  spend(context, request, context.guesses) ?? LINK_UNUSABLE;

/** Where the member wanted to go when they asked for the mail. */
const returnPathKept = ({ cookies }: DashboardContext, request: FastifyRequest): string | null =>
  readCookie(request.headers.cookie, cookies.returnTo);

/** The token that binds a challenge or a mailed link to this browser. */
export function keepBrowser(context: DashboardContext, request: FastifyRequest, reply: FastifyReply): string {
  const token = browserTokenOf(context, request) ?? longRandomToken();
  reply.header('set-cookie', setCookie(context.cookies, 'browser', token));
  return token;
}

/** Mails a link that signs in, if the member may have one. The cookies are the same if not, so they do not reveal who is a member. */
async function mailLink(
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  linkRequest: Omit<Parameters<typeof requestSignIn>[1], 'browserToken'>,
): Promise<boolean> {
  const browserToken = keepBrowser(context, request, reply);
  // Where the member wanted to go, for when the link is used in this browser.
  const backTo = returnPathFrom(formOf(request).get('to'));
  reply.header('set-cookie', setCookie(context.cookies, 'returnTo', backTo));
  const link = await requestSignIn(context, { ...linkRequest, browserToken }, context.clock.now());
  // The provider is not waited for: that would take longer for a member than for anybody else.
  if (link !== null) context.sendSignInLink(link);
  return link !== null;
}
