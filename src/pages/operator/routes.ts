import { platformAuditRoutes } from '../dashboard/audit/routes.ts';
import type { DashboardContext, OperatorRoute } from '../dashboard/context.ts';
import { outboxRoutes } from './outbox/routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { priceRoutes } from './prices/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { shopFormRoutes } from './shops/formRoutes.ts';
import { shopListRoutes } from './shops/routes.ts';
import { shopPageRoutes } from './shops/shopRoutes.ts';
import { shopSuppressionRoutes } from './shops/suppressionRoutes.ts';
import { platformSuppressionRoutes } from './suppressions/routes.ts';
import { templateRoutes } from './templates/routes.ts';

/** Every route of the operator's pages. */
export const operatorRoutes = (context: DashboardContext): OperatorRoute[] => [
  ...shopListRoutes(context),
  ...shopPageRoutes(context),
  ...shopFormRoutes(context),
  ...shopSuppressionRoutes(context),
  ...priceRoutes(context),
  ...templateRoutes(context),
  ...providerRoutes(context),
  ...outboxRoutes(context),
  ...platformSuppressionRoutes(context),
  ...peopleRoutes(context),
  ...platformAuditRoutes(context),
];
