import type { FastifyReply } from 'fastify';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, queryOf, textIn } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { get, post } from '../route.ts';
import { findCustomer, readRecipients } from './reads.ts';
import { recipientsPage } from './views.tsx';

const FLASHES = {
  erased: ['good', 'The customer was erased, with their messages. What they stopped stays in force.'],
} satisfies Flashes;

const PAGE_SIZE = 25;
const SEARCH_MAX = 320;

/** The newest customers, and a search for one. */
export function recipientListRoutes({ pool, site }: DashboardContext): ShopRoute[] {
  const send = async (
    visit: ShopVisit,
    reply: FastifyReply,
    { cursor = null, flash = null, notFound = null }: ListState,
  ): Promise<FastifyReply> => {
    const list = await readRecipients(pool, visit.shop.id, cursor, PAGE_SIZE);
    return sendDashboardPage(reply, 200, recipientsPage({ site, visit, list, cursor, flash, notFound }));
  };
  return [
    get('/dashboard/:business_id/recipients', 'shop.view', (visit, request, reply) => {
      const { cursor = null } = queryOf(request);
      return send(visit, reply, { cursor, flash: flashIn(request, FLASHES) });
    }),
    // By POST, so that no address or number that is searched for gets into a URL.
    post('/dashboard/:business_id/recipients/search', 'shop.view', async (visit, request, reply) => {
      const typed = textIn(formOf(request), 'text', SEARCH_MAX);
      const path = `/dashboard/${visit.shop.id}/recipients`;
      if (typed === '') return reply.redirect(site.to(path), 303);
      const id = await findCustomer(pool, visit.shop.id, typed);
      return id === null
        ? send(visit, reply, { notFound: typed })
        : reply.redirect(site.to(`${path}/${id}`), 303);
    }),
  ];
}

interface ListState {
  cursor?: string | null;
  flash?: Flash | null;
  /** A search text that nobody was found for. */
  notFound?: string | null;
}
