import type { DashboardContext, ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { readOverview } from './reads.ts';
import { overviewPage } from './views.tsx';

export const overviewRoutes = ({ pool, clock }: DashboardContext): ShopRoute[] => [
  get('', 'shop.view', async (visit) =>
    overviewPage(visit, await readOverview(pool, visit.shop.id, clock.now())),
  ),
];
