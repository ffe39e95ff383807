import type { FastifyRequest } from 'fastify';
import { sentenceOf, statusOf } from '../../../kit/errors.ts';
import { listWithPlans, viewWithPlan } from '../../../messages/plans.ts';
import { timelineOf } from '../../../messages/timeline.ts';
import { readTimeline } from '../../../messages/timelineSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import { actionContext, type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, onRefusal, orNothingHere, paidChannelOf, post } from '../route.ts';
import { previewResend, resendAsMember, retractAsMember } from './actions.ts';
import { messagePage, resendPage } from './messageView.tsx';
import { eventsOfMessage } from './sql.ts';

const FLASHES = {
  retracted: ['good', 'The message was retracted. What had not gone out does not go out any more.'],
  not_retracted: ['waiting', 'Nothing was changed: the message was not current any more.'],
  pushed: ['good', 'The message is in the customer’s inbox. What became of it is below.'],
  resent: ['good', 'It is on its way.'],
  not_resent: ['waiting', 'It was not sent; the story below says why.'],
} satisfies Flashes;

const EVENTS_SHOWN = 100;
const OF_SAME_ORDER = 20;

/** One message: what became of it, and what a member can do about it. */
export function messageRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, hash, onEvents, onSends } = context;
  const backTo = (visit: ShopVisit, id: string, flash: keyof typeof FLASHES) =>
    goTo(visit, `/messages/${id}`, flash);
  const actionOn = (visit: ShopVisit, request: FastifyRequest) => ({
    ...actionContext(context, visit),
    messageId: paramOf(request, 'id'),
  });

  return [
    get('/messages/:id', { action: 'shop.view', flashes: FLASHES }, (visit, request) =>
      showMessage(context, visit, request),
    ),
    post('/messages/:id/retract', 'message.retract', async (visit, request) => {
      const action = actionOn(visit, request);
      const { result, deliveries } = orNothingHere(await retractAsMember(pool, action));
      if (deliveries > 0) onEvents();
      return backTo(visit, action.messageId, result.retracted ? 'retracted' : 'not_retracted');
    }),
    get('/messages/:id/resend/:channel', 'message.resend', showResend),
    post('/messages/:id/resend/:channel', 'message.resend', (visit, request) =>
      resend(visit, request).catch(
        // Sent in the meantime: the page that asked explains it.
        onRefusal(
          async ({ code }) => ({ ...(await showResend(visit, request)), status: statusOf(code) }),
          'common.not_found',
        ),
      ),
    ),
  ];

  async function resend(visit: ShopVisit, request: FastifyRequest) {
    const action = actionOn(visit, request);
    const resent = await resendAsMember(pool, hash, paidChannelOf(request), action);
    const { queued } = orNothingHere(resent);
    if (queued) onSends();
    return backTo(visit, action.messageId, queued ? 'resent' : 'not_resent');
  }

  /** Says what a resend would do before it is asked for. */
  async function showResend(visit: ShopVisit, request: FastifyRequest): Promise<Page> {
    const action = actionOn(visit, request);
    const channel = paidChannelOf(request);
    const preview = await previewResend(pool, hash, channel, action).catch(
      onRefusal(({ code }) => ({ refused: sentenceOf(code) })),
    );
    return resendPage(visit, action.messageId, channel, orNothingHere(preview));
  }
}

async function showMessage(
  context: DashboardContext,
  visit: ShopVisit,
  request: FastifyRequest,
): Promise<Page> {
  const { pool, clock } = context;
  const businessId = visit.shop.id;
  const id = paramOf(request, 'id');
  const now = clock.now();
  const seen = await markFor(context, request, businessId, id);
  const [found, [row]] = await Promise.all([
    viewWithPlan(pool, businessId, id, now),
    readTimeline(pool, businessId, id),
  ]);
  const message = orNothingHere(found);
  const timeline = orNothingHere(row);
  const { recipient_email: email, reference } = message;
  const sameOrder = { recipientEmail: null, reference, limit: OF_SAME_ORDER, before: null };
  const [[recipient], events, { items }] = await Promise.all([
    findRecipient(pool, businessId, email),
    eventsOfMessage(pool, businessId, id, EVENTS_SHOWN),
    reference === null ? { items: [] } : listWithPlans(pool, businessId, sameOrder, now),
  ]);
  return messagePage({
    visit,
    message,
    recipientId: recipient?.id ?? '',
    timeline: timelineOf(timeline),
    sends: timeline.sends,
    events,
    others: items.filter((other) => other.id !== id),
    now,
    seen,
  });
}
