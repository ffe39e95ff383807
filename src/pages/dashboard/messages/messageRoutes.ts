import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PaidChannel } from '../../../contract/channels.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { listWithPlans, type MessageWithPlan, viewWithPlan } from '../../../messages/plans.ts';
import { timelineOf } from '../../../messages/timeline.ts';
import { readTimeline } from '../../../messages/timelineSql.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import {
  type DashboardContext,
  markFor,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { get, nothingHere, post } from '../route.ts';
import { previewResend, type ResendPreview, resendAsMember, retractAsMember } from './actions.ts';
import { messagePage } from './messageView.tsx';
import { resendPage } from './resend.tsx';
import { eventsOfMessage, recipientOfMessage } from './sql.ts';

const FLASHES = {
  retracted: ['good', 'The message was taken back. What had not gone out does not go out any more.'],
  not_retracted: ['waiting', 'Nothing was changed: the message was not current any more.'],
  pushed: ['good', 'The message is in the customer’s inbox. What became of it is below.'],
  resent: ['good', 'It is on its way.'],
  not_resent: ['waiting', 'It was not sent; the story below says why.'],
} satisfies Flashes;

const EVENTS_SHOWN = 100;
const OF_SAME_ORDER = 20;

/** One message: what became of it, and what a member can do about it. */
export function messageRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, hash, site, onEvents, onSends } = context;
  const pathOf = ({ shop }: ShopVisit, id: string, flash?: keyof typeof FLASHES): string =>
    site.to(`/dashboard/${shop.id}/messages/${id}${flash === undefined ? '' : `?flash=${flash}`}`);
  const actOn = ({ shop, session }: ShopVisit, messageId: string) => ({
    key: { businessId: shop.id, messageId },
    memberId: session.memberId,
    now: clock.now(),
  });

  return [
    get('/dashboard/:business_id/messages/:id', 'shop.view', async (visit, request, reply) => {
      const businessId = visit.shop.id;
      const id = messageIdOf(request);
      const now = clock.now();
      const seen = await markFor(context, request, businessId, id);
      const [message, [row]] = await Promise.all([
        viewWithPlan(pool, businessId, id, now),
        readTimeline(pool, businessId, id),
      ]);
      if (message === null || !row) throw nothingHere();
      const [[recipient], events, others] = await Promise.all([
        recipientOfMessage(pool, businessId, id),
        eventsOfMessage(pool, businessId, id, EVENTS_SHOWN),
        ofSameOrder(businessId, message, now),
      ]);
      const page = messagePage({
        site,
        visit,
        message,
        recipientId: recipient?.recipient_id ?? '',
        timeline: timelineOf(row),
        sends: row.sends,
        events,
        others,
        now,
        flash: flashIn(request, FLASHES),
        seen,
      });
      return sendDashboardPage(reply, 200, page);
    }),
    post('/dashboard/:business_id/messages/:id/retract', 'message.retract', async (visit, request, reply) => {
      const id = messageIdOf(request);
      const retraction = await retractAsMember(pool, actOn(visit, id));
      if (retraction === null) throw nothingHere();
      if (retraction.deliveries > 0) onEvents();
      const flash = retraction.result.retracted ? 'retracted' : 'not_retracted';
      return reply.redirect(pathOf(visit, id, flash), 303);
    }),
    get('/dashboard/:business_id/messages/:id/resend/:channel', 'message.resend', (visit, request, reply) =>
      sendResendPage(visit, request, reply, 200),
    ),
    post(
      '/dashboard/:business_id/messages/:id/resend/:channel',
      'message.resend',
      async (visit, request, reply) => {
        const id = messageIdOf(request);
        const channel = channelOf(request);
        if (channel === null) throw nothingHere();
        try {
          const resent = await resendAsMember(pool, hash, channel, actOn(visit, id));
          if (resent?.queued) onSends();
          if (resent) return reply.redirect(pathOf(visit, id, resent.queued ? 'resent' : 'not_resent'), 303);
        } catch (error) {
          // Sent in the meantime: the page that asked explains it.
          if (error instanceof ApiError) return sendResendPage(visit, request, reply, statusOf(error.code));
          throw error;
        }
        throw nothingHere();
      },
    ),
  ];

  /** Says what a resend would do before it is asked for. */
  async function sendResendPage(
    visit: ShopVisit,
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
  ): Promise<FastifyReply> {
    const id = messageIdOf(request);
    const channel = channelOf(request);
    if (channel === null) throw nothingHere();
    const preview = await resendOutcome(visit, id, channel);
    if (preview === null) throw nothingHere();
    return sendDashboardPage(reply, status, resendPage({ site, visit, messageId: id, channel, preview }));
  }

  async function resendOutcome(
    visit: ShopVisit,
    messageId: string,
    channel: PaidChannel,
  ): Promise<ResendPreview | { refused: string } | null> {
    try {
      return await previewResend(pool, hash, channel, actOn(visit, messageId));
    } catch (error) {
      if (error instanceof ApiError) return { refused: sentenceOf(error.code) };
      throw error;
    }
  }

  async function ofSameOrder(
    businessId: string,
    { id: ownId, reference }: { id: string; reference: string | null },
    now: Date,
  ): Promise<MessageWithPlan[]> {
    if (reference === null) return [];
    const asked = { recipientEmail: null, reference, limit: OF_SAME_ORDER, before: null };
    const { items } = await listWithPlans(pool, businessId, asked, now);
    return items.filter(({ id }) => id !== ownId);
  }
}

const messageIdOf = (request: FastifyRequest): string => paramOf(request, 'id');

function channelOf(request: FastifyRequest): PaidChannel | null {
  const channel = paramOf(request, 'channel');
  return channel === 'sms' || channel === 'whatsapp' ? channel : null;
}
