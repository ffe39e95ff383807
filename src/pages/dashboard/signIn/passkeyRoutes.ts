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
import { lineField, readForm } from '../../kit/typedForm.ts';
import { type AccountRoute, browserTokenOf, type DashboardContext } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { fromOwnPage } from '../guard.ts';
import { PASSKEY_UNUSABLE, tooManySignIns } from '../notices.ts';
import { returnPathFrom } from '../returnPath.ts';
import { get, nothingHere, post } from '../route.ts';
import { browserName } from './browserName.ts';
import { newPasskeyPage } from './passkeys.tsx';
import { beginMemberSession } from './routes.ts';

/** Signing in by a passkey, for everybody. Nothing is registered where browsers allow no passkey. */
export function passkeySignInRoutes(app: FastifyInstance, context: DashboardContext): void {
  const { pool, clock, relyingParty, challenges, guesses } = context;
  if (relyingParty === null) return;

  app.post(
    '/dashboard/sign-in/passkey/options',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (challenges.isSpent(source)) return tooManySignIns('ten minutes');
      challenges.spend(source);
      const browserToken = keepBrowser(context, request, reply);
      return reply.send(await usePasskeyOptions(pool, relyingParty, browserToken, clock.now()));
    }),
  );

  app.post(
    '/dashboard/sign-in/passkey',
    fromOwnPage(context, async (request, reply) => {
      const source = sourceOf(context.clientAddress(request.raw));
      if (guesses.isSpent(source)) return tooManySignIns('ten minutes');
      const form = formOf(request);
      const attempt = {
        credential: form.get('credential') ?? '',
        browserToken: browserTokenOf(context, request),
        browser: browserName(request.headers['user-agent']),
      };
      const sessionToken = await signInWithPasskey(pool, relyingParty, attempt, clock.now());
      if (sessionToken !== null)
        return beginMemberSession(context, request, reply, sessionToken, returnPathFrom(form.get('to')));
      guesses.spend(source);
      return PASSKEY_UNUSABLE;
    }),
  );
}

const PASSKEY_FORM = {
  name: {
    ...lineField(PASSKEY_NAME_MAX),
    wrong: `A name has 1 to ${PASSKEY_NAME_MAX} characters, on one line.`,
    parse: (text: string) => lineField(PASSKEY_NAME_MAX).parse(text) || undefined,
  },
};

/** A member's own passkeys. */
export function passkeyRoutes(context: DashboardContext): AccountRoute[] {
  const { pool, clock, relyingParty } = context;
  if (relyingParty === null) return [];
  return [
    get('/dashboard/account/passkeys/new', 'passkey.add', async (visit, request) =>
      newPasskeyPage(visit, { typed: { name: browserName(request.headers['user-agent']) }, faults: {} }),
    ),
    post('/dashboard/account/passkeys/options', 'account.use', async ({ session }, request, reply) => {
      const { memberId, email } = session;
      const made = { memberId, email, browserToken: keepBrowser(context, request, reply) };
      return reply.send(await newPasskeyOptions(pool, relyingParty, made, clock.now()));
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

/** The token that binds a challenge to this browser, as it binds a mailed link. */
function keepBrowser(context: DashboardContext, request: FastifyRequest, reply: FastifyReply): string {
  const token = browserTokenOf(context, request) ?? longRandomToken();
  reply.header('set-cookie', setCookie(context.cookies, 'browser', token));
  return token;
}
