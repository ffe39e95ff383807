import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OIDC_SIGN_IN_MS } from '../../../config/limits.ts';
import { later } from '../../../kit/clock.ts';
import { at, parseJsonText, textAt } from '../../../kit/json.ts';
import { IssuerFault, type OidcIssuer, type OidcRequest } from '../../../members/oidcIssuer.ts';
import { signInWithOidc } from '../../../members/oidcSignIn.ts';
import { NOT_FRESH_MS } from '../../../members/session.ts';
import { readCookie } from '../../kit/request.ts';
import { type Answer, currentSession, type DashboardContext } from '../context.ts';
import { setCookie } from '../cookies.ts';
import { forAnybody } from '../guard.ts';
import { oidcFaultNotice, oidcNotAgainNotice, oidcRefusedNotice, tooManySignIns } from '../notices.ts';
import { returnPathFrom, returnPathIn } from '../returnPath.ts';
import { beginMemberSession, browserOf, clientOf, spend } from './session.ts';

/** What a sealed value opens as, so that no other one does. */
const SEALED_AS = 'oidc_sign_in';

interface OidcFlow extends OidcRequest {
  to: string | null;
  /** Whether the member was to show again who they are. */
  again: boolean;
}

/**
 * Signing in at the issuer. Links, not forms: the content security policy lets no form lead to another site. What the callback must
 * know is sealed in a cookie of this browser, which the callback ends; the issuer takes each code once.
 */
export function oidcRoutes(app: FastifyInstance, context: DashboardContext, issuer: OidcIssuer): void {
  const { challenges, guesses, log, clock, pool, cookies } = context;
  const page = (path: string, handle: (request: FastifyRequest, reply: FastifyReply) => Promise<Answer>) =>
    app.route({ method: 'GET', url: path, exposeHeadRoute: false, handler: forAnybody(context, handle) });
  const failed = (error: unknown, request: FastifyRequest): Answer => {
    if (!(error instanceof IssuerFault)) throw error;
    log.warn({ kind: error.kind, code: error.code, request_id: request.id }, 'sign-in at the issuer failed');
    return oidcFaultNotice(issuer.host, error.kind);
  };

  page('/dashboard/sign-in/oidc', async (request, reply) => {
    const refused = spend(context, request, challenges);
    if (refused !== null) return refused;
    const again = (await currentSession(context, request)) !== null;
    try {
      const { url, request: begun } = await issuer.begin(again);
      const flow: OidcFlow = { ...begun, again, to: returnPathIn(request) };
      reply.header('set-cookie', setCookie(cookies, 'oidc', sealFlow(context, flow)));
      return { sent: reply.redirect(url, 303) };
    } catch (error) {
      return failed(error, request);
    }
  });

  page('/dashboard/sign-in/oidc/callback', async (request, reply) => {
    const source = clientOf(context, request);
    if (guesses.isSpent(source)) return tooManySignIns('ten minutes');
    const flow = flowOf(context, request);
    reply.header('set-cookie', setCookie(cookies, 'oidc', null));
    const refuse = (answer: Answer): Answer => {
      guesses.spend(source);
      return answer;
    };
    if (flow === null) return refuse(oidcFaultNotice(issuer.host, 'refused'));
    try {
      const [, query = ''] = request.url.split('?', 2);
      const identity = await issuer.finish(query, flow);
      const now = clock.now();
      const signedIn = await signInWithOidc(pool, { identity, ...browserOf(context, request) }, now);
      if ('refusal' in signedIn) {
        log.warn({ refusal: signedIn.refusal, request_id: request.id }, 'sign-in at the issuer refused');
        return refuse(oidcRefusedNotice(issuer.host, signedIn.refusal));
      }
      const next = await beginMemberSession(context, request, reply, signedIn.sessionToken, flow.to);
      const isFresh = (identity.shownAgoMs ?? NOT_FRESH_MS) < NOT_FRESH_MS;
      return flow.again && !isFresh ? oidcNotAgainNotice(issuer.host) : next;
    } catch (error) {
      return refuse(failed(error, request));
    }
  });
}

const sealFlow = ({ sealer, clock }: DashboardContext, flow: OidcFlow): string => {
  const until = later(clock.now(), OIDC_SIGN_IN_MS).getTime();
  return sealer.seal(JSON.stringify({ ...flow, until }), SEALED_AS).toString('base64url');
};

/** What this browser began; null: nothing, or too long ago. */
function flowOf({ sealer, clock, cookies }: DashboardContext, request: FastifyRequest): OidcFlow | null {
  const sealed = readCookie(request.headers.cookie, cookies.oidc);
  if (sealed === null || sealed === '') return null;
  const flow = parseJsonText(opened(() => sealer.open(Buffer.from(sealed, 'base64url'), SEALED_AS)));
  if (Number(textAt(flow, 'until')) <= clock.now().getTime()) return null;
  const [state, nonce, verifier] = [textAt(flow, 'state'), textAt(flow, 'nonce'), textAt(flow, 'verifier')];
  if (state === null || nonce === null || verifier === null) return null;
  return {
    state,
    nonce,
    verifier,
    to: returnPathFrom(textAt(flow, 'to')),
    again: at(flow, 'again') === true,
  };
}

/** Empty for what we did not seal. */
function opened(open: () => string): string {
  try {
    return open();
  } catch {
    return '';
  }
}
