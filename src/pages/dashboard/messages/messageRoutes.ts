import type { FastifyRequest } from 'fastify';
import { type ApiError, statusOf } from '../../../kit/errors.ts';
import { judgeResends } from '../../../messages/resend.ts';
import { readMessageFacts } from '../../../messages/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { paramOf, queryOf } from '../../kit/request.ts';
import { actionContext, type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, onRefusal, orNothingHere, paidChannelOf, post } from '../route.ts';
import { resendAsMember, retractAsMember } from './actions.ts';
import { readWording, shownAsIn } from './customerReads.ts';
import { messagePage } from './messageView.tsx';
import { readShownMessage } from './reads.ts';
import { resendPage } from './resendView.tsx';

const FLASHES = {
  retracted: ['good', 'The message was retracted. What had not gone out does not go out any more.'],
  not_retracted: ['waiting', 'Nothing was changed: the message was not current any more.'],
  pushed: ['good', 'The message is in the customer’s inbox. What became of it is below.'],
  resent: ['good', 'It is on its way.'],
  not_resent: ['waiting', 'It was not sent; the story below says why.'],
} satisfies Flashes;

/** One message: what became of it, and what a member can do about it. */
export function messageRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, hash, clock, onEvents, onSends } = context;
  const backTo = (visit: ShopVisit, id: string, flash: keyof typeof FLASHES) =>
    goTo(visit, `/messages/${id}`, flash);
  const actionOn = (visit: ShopVisit, request: FastifyRequest) => ({
    ...actionContext(context, visit),
    messageId: paramOf(request, 'id'),
  });

  return [
    get('/messages/:id', { action: 'shop.view', flashes: FLASHES }, async (visit, request) => {
      const id = paramOf(request, 'id');
      const seen = await markFor(context, request, visit.shop.id, { messageId: id });
      const shownAs = shownAsIn(queryOf(request).shown);
      const [shown, wording, resends] = await Promise.all([
        readShownMessage(context, visit.shop.id, id),
        shownAs === 'inbox' || shownAs === 'json' ? null : readWording(context, visit.shop.id, id, shownAs),
        visit.may('message.resend') ? judgeResends(pool, hash, actionOn(visit, request), clock.now()) : null,
      ]);
      return messagePage({ visit, seen, shownAs, wording, resends: resends ?? [], ...shown });
    }),
    post('/messages/:id/retract', 'message.retract', async (visit, request) => {
      const action = actionOn(visit, request);
      const { result, deliveries } = orNothingHere(await retractAsMember(pool, action));
      if (deliveries > 0) onEvents();
      return backTo(visit, action.messageId, result.retracted ? 'retracted' : 'not_retracted');
    }),
    get('/messages/:id/resend/:channel', 'message.resend', showResend),
    post('/messages/:id/resend/:channel', 'message.resend', (visit, request) => {
      // Sent in the meantime: the page that asked explains it.
      const explain = async ({ code }: ApiError) => ({
        ...(await showResend(visit, request)),
        status: statusOf(code),
      });
      return resend(visit, request).catch(onRefusal(explain, 'common.not_found'));
    }),
  ];

  async function resend(visit: ShopVisit, request: FastifyRequest) {
    const action = actionOn(visit, request);
    const { queued } = orNothingHere(await resendAsMember(pool, hash, paidChannelOf(request), action));
    if (queued) onSends();
    return backTo(visit, action.messageId, queued ? 'resent' : 'not_resent');
  }

  /** Says what a resend would do before it is asked for. */
  async function showResend(visit: ShopVisit, request: FastifyRequest): Promise<Page> {
    const action = actionOn(visit, request);
    const channel = paidChannelOf(request);
    const { businessId, messageId } = action;
    const [judged, wording, [facts]] = await Promise.all([
      judgeResends(pool, hash, action, action.now),
      readWording(context, businessId, messageId, channel),
      readMessageFacts(pool, businessId, messageId),
    ]);
    const resend = orNothingHere(judged?.find((one) => one.channel === channel));
    return resendPage(visit, messageId, orNothingHere(facts).recipient_id, resend, wording);
  }
}
