import { parseQuery } from '../../api/validation/urlText.ts';
import { actorKinds, readAudit } from '../../dashboard/auditLog.ts';
import { auditActions } from '../../dashboard/auditWords.ts';
import { type DashboardContext, type ShopRoute, sendDashboardPage } from './context.ts';
import { auditPage } from './views/audit.tsx';

/** Who did what in this shop. */
export const auditRoutes = ({ pool, site }: DashboardContext): ShopRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/:business_id/settings/audit',
    action: 'shop.view',
    async handle(visit, request, reply) {
      const query = parseQuery(request.url.split('?').slice(1).join('?'));
      const filter = {
        kind: actorKinds.find((kind) => kind === query.from) ?? null,
        action: auditActions.find(([action]) => action === query.action)?.[0] ?? null,
      };
      const cursor = query.cursor ?? null;
      const log = await readAudit(pool, visit.shop.id, filter, cursor);
      return sendDashboardPage(reply, 200, auditPage({ site, visit, log, filter, cursor }));
    },
  },
];
