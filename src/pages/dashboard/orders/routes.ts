import { catchUp } from '../../../orders/projector.ts';
import { queryOf } from '../../kit/request.ts';
import { type DashboardContext, markFor, type ShopRoute } from '../context.ts';
import { filterIn } from '../messages/query.ts';
import { get, goTo } from '../route.ts';
import { readOrder } from './reads.ts';
import { orderPage } from './views.tsx';

/** One order, by its reference. */
export const orderRoutes = (context: DashboardContext): ShopRoute[] => [
  get('/orders', 'shop.view', async (visit, request) => {
    const { reference } = filterIn(queryOf(request));
    if (reference === null) return goTo(visit, '/messages');
    // Before the mark, which would change with it.
    await catchUp(context, visit.shop.id);
    const seen = await markFor(context, request, visit.shop.id, {});
    const order = await readOrder(context.pool, visit.shop.id, reference, context.clock.now());
    return orderPage(visit, order, seen);
  }),
];
