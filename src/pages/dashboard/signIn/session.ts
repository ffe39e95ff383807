import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../../../kit/clientAddress.ts';
import { deleteDashboardSession } from '../../../members/sql.ts';
import type { Throttle } from '../../kit/throttle.ts';
import { browserTokenOf, currentSession, type DashboardContext } from '../context.ts';
import { setCookie } from '../cookies.ts';
import type { Notice, Redirect } from '../layout.tsx';
import { tooManySignIns } from '../notices.ts';
import { returnPathFrom } from '../returnPath.ts';
import { browserName } from './browserName.ts';

/** Gives the browser its new session. The one that it had ends: the list would show it without a browser that could use it. */
export async function beginMemberSession(
  context: DashboardContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionToken: string,
  backTo: string | null,
): Promise<Redirect> {
  const { pool, cookies } = context;
  const before = await currentSession(context, request);
  if (before !== null) await deleteDashboardSession(pool, before.memberId, before.id);
  reply.header('set-cookie', [
    setCookie(cookies, 'session', sessionToken),
    setCookie(cookies, 'browser', null),
    setCookie(cookies, 'returnTo', null),
  ]);
  return { goTo: returnPathFrom(backTo) ?? '/dashboard' };
}

/** The browser that signs in, and how its session is called in the list. */
export const browserOf = (context: DashboardContext, request: FastifyRequest) => ({
  browserToken: browserTokenOf(context, request),
  browser: browserName(request.headers['user-agent']),
});

export const clientOf = ({ clientAddress }: DashboardContext, { raw }: FastifyRequest) =>
  sourceOf(clientAddress(raw));

/** Counts a request of a client; the notice: there were too many. */
export function spend(context: DashboardContext, request: FastifyRequest, limit: Throttle): Notice | null {
  const source = clientOf(context, request);
  if (limit.isSpent(source)) return tooManySignIns('ten minutes');
  limit.spend(source);
  return null;
}
