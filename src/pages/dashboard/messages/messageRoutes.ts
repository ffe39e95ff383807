import type { FastifyRequest } from 'fastify';
import type { PaidChannel } from '../../../contract/channels.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { listWithPlans, type MessageWithPlan, viewWithPlan } from '../../../messages/plans.ts';
import { timelineOf } from '../../../messages/timeline.ts';
import { readTimeline } from '../../../messages/timelineSql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { paramOf } from '../../kit/request.ts';
import { type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { get, goTo, nothingHere, paidChannelOf, post } from '../route.ts';
import {
  type MessageAction,
  previewResend,
  type ResendPreview,
  resendAsMember,
  retractAsMember,
} from './actions.ts';
import { messagePage, resendPage } from './messageView.tsx';
import { eventsOfMessage, recipientOfMessage } from './sql.ts';

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
  const { pool, clock, hash, onEvents, onSends } = context;
  const backTo = (visit: ShopVisit, id: string, flash: keyof typeof FLASHES) =>
    goTo(visit, `/messages/${id}`, flash);
  const actionOn = ({ shop, actor }: ShopVisit, messageId: string) => ({
    key: { businessId: shop.id, messageId },
    actor,
    now: clock.now(),
  });

  return [
    get('/messages/:id', { action: 'shop.view', flashes: FLASHES }, async (visit, request) => {
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
        ofSameOrder(context, businessId, message, now),
      ]);
      const timeline = timelineOf(row);
      const recipientId = recipient?.recipient_id ?? '';
      const shown = { visit, message, recipientId, timeline, sends: row.sends, events, others, now, seen };
      return messagePage(shown);
    }),
    post('/messages/:id/retract', 'message.retract', async (visit, request) => {
      const id = messageIdOf(request);
      const retraction = await retractAsMember(pool, actionOn(visit, id));
      if (retraction === null) throw nothingHere();
      if (retraction.deliveries > 0) onEvents();
      return backTo(visit, id, retraction.result.retracted ? 'retracted' : 'not_retracted');
    }),
    get('/messages/:id/resend/:channel', 'message.resend', showResend),
    post('/messages/:id/resend/:channel', 'message.resend', async (visit, request) => {
      const id = messageIdOf(request);
      try {
        const resent = await resendAsMember(pool, hash, paidChannelOf(request), actionOn(visit, id));
        if (resent === null) throw nothingHere();
        if (resent.queued) onSends();
        return backTo(visit, id, resent.queued ? 'resent' : 'not_resent');
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'common.not_found') throw error;
        // Sent in the meantime: the page that asked explains it.
        return { ...(await showResend(visit, request)), status: statusOf(error.code) };
      }
    }),
  ];

  /** Says what a resend would do before it is asked for. */
  async function showResend(visit: ShopVisit, request: FastifyRequest): Promise<Page> {
    const id = messageIdOf(request);
    const channel = paidChannelOf(request);
    const preview = await resendOutcome(context, channel, actionOn(visit, id));
    if (preview === null) throw nothingHere();
    return resendPage(visit, id, channel, preview);
  }
}

async function resendOutcome(
  { pool, hash }: DashboardContext,
  channel: PaidChannel,
  action: MessageAction,
): Promise<ResendPreview | { refused: string } | null> {
  try {
    return await previewResend(pool, hash, channel, action);
  } catch (error) {
    if (error instanceof ApiError) return { refused: sentenceOf(error.code) };
    throw error;
  }
}

async function ofSameOrder(
  { pool }: DashboardContext,
  businessId: string,
  { id: ownId, reference }: { id: string; reference: string | null },
  now: Date,
): Promise<MessageWithPlan[]> {
  if (reference === null) return [];
  const request = { recipientEmail: null, reference, limit: OF_SAME_ORDER, before: null };
  const { items } = await listWithPlans(pool, businessId, request, now);
  return items.filter(({ id }) => id !== ownId);
}

const messageIdOf = (request: FastifyRequest): string => paramOf(request, 'id');
