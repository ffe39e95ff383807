import { readOrder } from '../../dashboard/order.ts';
import { type DashboardContext, markFor, type ShopRoute, sendDashboardPage } from './context.ts';
import { filterIn } from './messageQuery.ts';
import { messagesPath } from './views/messageFilters.tsx';
import { nothingHerePage } from './views/notices.tsx';
import { orderPage } from './views/order.tsx';

/** One order, by its reference. */
export const orderRoutes = (context: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id/orders',
    action: 'shop.view',
    async handle(visit, request, reply) {
      const { pool, site, clock } = context;
      const { id } = visit.shop;
      const { reference } = filterIn(request);
      if (reference === null) return reply.redirect(site.to(messagesPath(id, {})), 303);
      const seen = await markFor(context, request, id, null);
      const order = await readOrder(pool, id, reference, clock.now());
      if (order === null) return sendDashboardPage(reply, 404, nothingHerePage(site));
      return sendDashboardPage(reply, 200, orderPage({ site, visit, order, seen }));
    },
  },
];
