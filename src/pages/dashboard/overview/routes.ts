import { type DashboardContext, type ShopRoute, sendDashboardPage } from '../context.ts';
import { get } from '../route.ts';
import { readOverview } from './reads.ts';
import { overviewPage } from './views.tsx';

export const overviewRoutes = ({ pool, clock, site }: DashboardContext): ShopRoute[] => [
  get('/dashboard/:business_id', 'shop.view', async (visit, _request, reply) => {
    const overview = await readOverview(pool, visit.shop.id, clock.now());
    return sendDashboardPage(reply, 200, overviewPage(site, visit, overview));
  }),
];
