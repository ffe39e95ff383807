import { type DashboardContext, markFor, type ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { readOverviewPage } from './reads.ts';
import { overviewPage } from './views.tsx';

export const overviewRoutes = (context: DashboardContext): ShopRoute[] => [
  get('', 'shop.view', async (visit, request) => {
    const { id } = visit.shop;
    const seen = await markFor(context, request, id, {});
    return overviewPage(visit, await readOverviewPage(context.pool, id, context.clock.now()), seen);
  }),
];
