import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PASSKEY_NAME_MAX } from '../../../config/limits.ts';
import { sourceOf } from '../../../kit/clientAddress.ts';
import { longRandomToken } from '../../../kit/ids.ts';
import {
  addPasskey,
  newPasskeyOptions,
  removePasskey,
  signInWithPasskey,
  usePasskeyOptions,
} from '../../../members/passkeys.ts';
import { formOf, paramOf } from '../../kit/request.ts';
import {
  type AccountRoute,
  browserTokenOf,
  type DashboardContext,
  sendDashboardPage,
  type Visit,
} from '../context.ts';
import { browserCookie } from '../cookies.ts';
import { fromOwnPage } from '../guard.ts';
import { returnPathFrom } from '../returnPath.ts';
import { get, nothingHere, post } from '../route.ts';
import { browserName } from './browserName.ts';
import { newPasskeyPage, passkeyUnusablePage } from './passkeys.tsx';
import { sendSignedIn } from './routes.ts';
import { tooManySignInsPage } from './views.tsx';

const RETRY_SECONDS = 600;

/** Signing in by a passkey, for everybody. Nothing is registered where browsers allow no passkey. */
export function passkeySignInRoutes(app: FastifyInstance, context: DashboardContext): void {
  const { pool, clock, site, relyingParty, challenges, guesses } = context;
  if (relyingParty === null) return;

  app.post(
    '/dashboard/sign-in/passkey/options',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (challenges.isSpent(source)) return tooMany(reply);
      challenges.spend(source);
      const browserToken = keepBrowser(context, request, reply);
      return reply.send(await usePasskeyOptions(pool, relyingParty, browserToken, clock.now()));
    }),
  );

  app.post(
    '/dashboard/sign-in/passkey',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (guesses.isSpent(source)) return tooMany(reply);
      const form = formOf(request);
      const attempt = {
        credential: form.get('credential') ?? '',
        browserToken: browserTokenOf(context, request),
        browser: browserName(request.headers['user-agent']),
      };
      const sessionToken = await signInWithPasskey(pool, relyingParty, attempt, clock.now());
      if (sessionToken === null) {
        guesses.spend(source);
        return sendDashboardPage(reply, 403, passkeyUnusablePage(site));
      }
      return sendSignedIn(context, request, reply, sessionToken, returnPathFrom(form.get('to')));
    }),
  );

  const tooMany = (reply: FastifyReply): FastifyReply =>
    sendDashboardPage(reply.header('retry-after', RETRY_SECONDS), 429, tooManySignInsPage(site));
}

/** A member's own passkeys. */
export function passkeyRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, clock, site, relyingParty } = context;
  if (relyingParty === null) return [];
  const sendForm = (visit: Visit, reply: FastifyReply, status: number, name: string, fault: string | null) =>
    sendDashboardPage(reply, status, newPasskeyPage({ site, visit, name, fault }));

  return [
    get('/dashboard/account/passkeys/new', 'passkey.add', async (visit, request, reply) =>
      sendForm(visit, reply, 200, browserName(request.headers['user-agent']), null),
    ),
    post(
      '/dashboard/account/passkeys/options',
      'account.use',
      async ({ session: { memberId, email } }, request, reply) => {
        const browserToken = keepBrowser(context, request, reply);
        const asked = { memberId, email, browserToken };
        return reply.send(await newPasskeyOptions(pool, relyingParty, asked, clock.now()));
      },
    ),
    post('/dashboard/account/passkeys/new', 'passkey.add', async (visit, request, reply) => {
      const form = formOf(request);
      const name = (form.get('name') ?? '').trim();
      if (name === '' || [...name].length > PASSKEY_NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
        return sendForm(
          visit,
          reply,
          422,
          '',
          `A name has 1 to ${PASSKEY_NAME_MAX} characters, on one line.`,
        );
      const made = {
        memberId: visit.session.memberId,
        browserToken: browserTokenOf(context, request) ?? '',
        name,
        credential: form.get('credential') ?? '',
      };
      const added = await addPasskey(pool, relyingParty, made, clock.now());
      if (!added) return sendForm(visit, reply, 422, name, NOT_ADDED);
      return reply.redirect(site.to('/dashboard/account?flash=passkey_added'), 303);
    }),
    post('/dashboard/account/passkeys/:id/remove', 'account.use', async ({ session }, request, reply) => {
      const id = paramOf(request, 'id');
      const removed = await removePasskey(pool, session.memberId, id, clock.now());
      if (!removed) throw nothingHere();
      return reply.redirect(site.to('/dashboard/account?flash=passkey_removed'), 303);
    }),
  ];
}

const NOT_ADDED =
  'The passkey was not added: it took too long, it is there already, or there are too many. Try once more.';

/** The token that binds a challenge to this browser, as it binds a mailed link. */
function keepBrowser(context: DashboardContext, request: FastifyRequest, reply: FastifyReply): string {
  const token = browserTokenOf(context, request) ?? longRandomToken();
  reply.header('set-cookie', browserCookie(context.cookies, token));
  return token;
}
