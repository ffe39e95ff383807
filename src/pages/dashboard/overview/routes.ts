import type { DashboardContext, ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { readOverviewPage } from './reads.ts';
import { overviewPage } from './views.tsx';

export const overviewRoutes = ({ pool, clock }: DashboardContext): ShopRoute[] => [
  get('', 'shop.view', async (visit) =>
    overviewPage(visit, await readOverviewPage(pool, visit.shop.id, clock.now())),
  ),
];
