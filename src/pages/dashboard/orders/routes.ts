import { type DashboardContext, markFor, type ShopRoute, sendDashboardPage } from '../context.ts';
import { messagesPath } from '../messages/filters.tsx';
import { filterIn } from '../messages/query.ts';
import { get, nothingHere } from '../route.ts';
import { readOrder } from './reads.ts';
import { orderPage } from './views.tsx';

/** One order, by its reference. */
export const orderRoutes = (context: DashboardContext): ShopRoute[] => [
  get('/dashboard/:business_id/orders', 'shop.view', async (visit, request, reply) => {
    const { pool, site, clock } = context;
    const { id } = visit.shop;
    const { reference } = filterIn(request);
    if (reference === null) return reply.redirect(site.to(messagesPath(id, {})), 303);
    const seen = await markFor(context, request, id, null);
    const order = await readOrder(pool, id, reference, clock.now());
    if (order === null) throw nothingHere();
    return sendDashboardPage(reply, 200, orderPage({ site, visit, order, seen }));
  }),
];
