import { type DashboardContext, type ShopRoute, sendDashboardPage } from '../context.ts';
import { readOverview } from './reads.ts';
import { overviewPage } from './views.tsx';

export const overviewRoutes = ({ pool, clock, site }: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id',
    action: 'shop.view',
    async handle(visit, _request, reply) {
      const overview = await readOverview(pool, visit.shop.id, clock.now());
      return sendDashboardPage(reply, 200, overviewPage(site, visit, overview));
    },
  },
];
