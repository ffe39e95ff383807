import { findReply } from '../../../recipients/repliesSql.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf, textIn } from '../../kit/request.ts';
import { actionContext, type DashboardContext, type ShopRoute, type ShopVisit } from '../context.ts';
import { replyGone } from '../notices.ts';
import { get, goTo, post } from '../route.ts';
import { markAllReadAsMember, markReadAsMember, readReplies } from './reads.ts';
import { repliesPage, shopReplyPage } from './views.tsx';

const FLASHES = {
  read: ['good', 'Marked as read.'],
  read_before: ['waiting', 'Nothing was changed: it was marked as read before.'],
  all_read: ['good', 'All replies that the page showed as unread, and older ones, are marked as read.'],
  all_read_before: ['waiting', 'Nothing was changed: they were marked as read before.'],
} satisfies Flashes;

/** Of an id that a form names. */
const ID_MAX = 64;

/** What customers wrote back on WhatsApp. */
export function replyRoutes(context: DashboardContext): ShopRoute[] {
  const { pool } = context;
  const backTo = (visit: ShopVisit, below: string, flash: keyof typeof FLASHES) =>
    goTo(visit, `/replies${below}`, flash);
  return [
    get('/replies', { action: 'shop.view', flashes: FLASHES }, async (visit, request) => {
      const { cursor = null } = queryOf(request);
      const list = await readReplies(pool, visit.shop.id, cursor);
      return repliesPage(visit, list, cursor);
    }),
    post('/replies/read', 'reply.read', async (visit, request) => {
      const upTo = textIn(formOf(request), 'up_to', ID_MAX);
      const marked = await markAllReadAsMember(pool, actionContext(context, visit), upTo);
      return backTo(visit, '', marked > 0 ? 'all_read' : 'all_read_before');
    }),
    get('/replies/:reply_id', { action: 'shop.view', flashes: FLASHES }, async (visit, request) => {
      const [found] = await findReply(pool, visit.shop.id, paramOf(request, 'reply_id'));
      return found ? shopReplyPage(visit, found) : replyGone(visit);
    }),
    post('/replies/:reply_id/read', 'reply.read', async (visit, request) => {
      const id = paramOf(request, 'reply_id');
      const marked = await markReadAsMember(pool, actionContext(context, visit), id);
      const [found] = marked ? [true] : await findReply(pool, visit.shop.id, id);
      if (!found) return replyGone(visit);
      return backTo(visit, formOf(request).has('stay') ? `/${id}` : '', marked ? 'read' : 'read_before');
    }),
  ];
}
