import type { FastifyReply, FastifyRequest } from 'fastify';
import { findReply } from '../../../recipients/repliesSql.ts';
import { type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf, textIn } from '../../kit/request.ts';
import {
  actionContext,
  type DashboardContext,
  type ShopRoute,
  type ShopVisit,
  sendDashboardPage,
} from '../context.ts';
import { replyGonePage } from '../notices.tsx';
import { get, post } from '../route.ts';
import { markAllReadAsMember, markReadAsMember, readReplies } from './reads.ts';
import { repliesPage, shopReplyPage } from './views.tsx';

const FLASHES = {
  read: ['good', 'Marked as read.'],
  read_before: ['waiting', 'Nothing was changed: it was marked as read before.'],
  all_read: ['good', 'All replies that the page showed as unread, and older ones, are marked as read.'],
  all_read_before: ['waiting', 'Nothing was changed: they were marked as read before.'],
} satisfies Flashes;

const PAGE_SIZE = 25;
/** Of an id that a form names. */
const ID_MAX = 64;

/** What customers wrote back on WhatsApp. */
export function replyRoutes({ pool, clock, site }: DashboardContext): ShopRoute[] {
  const gone = ({ shop }: ShopVisit, reply: FastifyReply) =>
    sendDashboardPage(reply, 404, replyGonePage(site, shop.id));
  const goTo = (reply: FastifyReply, { shop }: ShopVisit, below: string, flash: keyof typeof FLASHES) =>
    reply.redirect(site.to(`/dashboard/${shop.id}/replies${below}?flash=${flash}`), 303);
  return [
    get('/dashboard/:business_id/replies', 'shop.view', async (visit, request, reply) => {
      const { cursor = null } = queryOf(request);
      const list = await readReplies(pool, visit.shop.id, cursor, PAGE_SIZE);
      const page = repliesPage({ site, visit, list, cursor, flash: flashIn(request, FLASHES) });
      return sendDashboardPage(reply, 200, page);
    }),
    post('/dashboard/:business_id/replies/read', 'reply.read', async (visit, request, reply) => {
      const upTo = textIn(formOf(request), 'up_to', ID_MAX);
      const marked = await markAllReadAsMember(pool, actionContext({ clock }, visit), upTo);
      return goTo(reply, visit, '', marked > 0 ? 'all_read' : 'all_read_before');
    }),
    get('/dashboard/:business_id/replies/:reply_id', 'shop.view', async (visit, request, reply) => {
      const [found] = await findReply(pool, visit.shop.id, replyIdOf(request));
      if (!found) return gone(visit, reply);
      const page = shopReplyPage({ site, visit, reply: found, flash: flashIn(request, FLASHES) });
      return sendDashboardPage(reply, 200, page);
    }),
    post('/dashboard/:business_id/replies/:reply_id/read', 'reply.read', async (visit, request, reply) => {
      const id = replyIdOf(request);
      const marked = await markReadAsMember(pool, actionContext({ clock }, visit), id);
      const [found] = marked ? [true] : await findReply(pool, visit.shop.id, id);
      if (!found) return gone(visit, reply);
      return goTo(reply, visit, formOf(request).has('stay') ? `/${id}` : '', marked ? 'read' : 'read_before');
    }),
  ];
}

const replyIdOf = (request: FastifyRequest): string => paramOf(request, 'reply_id');
