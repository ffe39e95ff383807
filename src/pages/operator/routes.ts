import { platformAuditRoutes } from '../dashboard/audit/routes.ts';
import { type DashboardContext, markFor, type OperatorRoute } from '../dashboard/context.ts';
import { OUTBOX_OF_ALL } from '../dashboard/live/reads.ts';
import { operatorLiveRoutes } from '../dashboard/live/routes.ts';
import { get } from '../dashboard/route.ts';
import { readOutboxReport } from './outbox/reads.ts';
import { outboxPage } from './outbox/views.tsx';
import { peopleRoutes } from './people/routes.ts';
import { priceRoutes } from './prices.tsx';
import { providersPage } from './providers/views.tsx';
import { domainRoutes } from './shops/domainRoutes.ts';
import { newShopRoutes } from './shops/newShop.tsx';
import { shopSheetRoutes } from './shops/sheets.tsx';
import { shopListRoutes } from './shops/shopList.tsx';
import { shopPageRoutes } from './shops/shopRoutes.ts';
import { shopSuppressionRoutes } from './shops/suppressions.tsx';
import { platformSuppressionRoutes } from './suppressions.tsx';
import { templateRoutes } from './templates.tsx';

/** Every route of the operator's pages. */
export const operatorRoutes = (context: DashboardContext): OperatorRoute[] => [
  ...shopListRoutes(context),
  ...shopPageRoutes(context),
  ...domainRoutes(context),
  ...newShopRoutes(context),
  ...shopSheetRoutes(context),
  ...shopSuppressionRoutes(context),
  ...priceRoutes(context),
  ...templateRoutes(context),
  ...reportRoutes(context),
  ...operatorLiveRoutes(context),
  ...platformSuppressionRoutes(context),
  ...peopleRoutes(context),
  ...platformAuditRoutes(context),
];

/** How the providers work and what waits to be sent: pages that only show. */
const reportRoutes = (context: DashboardContext): OperatorRoute[] => [
  get('/dashboard/operator/providers', 'operator.pages', async () =>
    providersPage(await context.operator.providers()),
  ),
  get('/dashboard/operator/outbox', 'operator.pages', async (visit, request) => {
    const seen = await markFor(context, request, OUTBOX_OF_ALL, {});
    const now = context.clock.now();
    return outboxPage(visit, await readOutboxReport(context.pool, now), now, seen);
  }),
];
