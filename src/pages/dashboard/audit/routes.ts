import { queryOf } from '../../kit/request.ts';
import type { DashboardContext, ShopRoute } from '../context.ts';
import { get } from '../route.ts';
import { actorKinds, readAudit } from './reads.ts';
import { auditPage } from './views.tsx';
import { auditActions } from './words.ts';

/** Who did what in this shop. */
export const auditRoutes = ({ pool }: DashboardContext): ShopRoute[] => [
  get('/settings/audit', 'shop.view', async (visit, request) => {
    const query = queryOf(request);
    const filter = {
      kind: actorKinds.find((kind) => kind === query.from) ?? null,
      action: auditActions.find(([action]) => action === query.action)?.[0] ?? null,
    };
    const cursor = query.cursor ?? null;
    return auditPage(visit, await readAudit(pool, visit.shop.id, filter, cursor), filter, cursor);
  }),
];
