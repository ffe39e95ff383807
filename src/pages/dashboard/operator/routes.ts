import type { DashboardContext, OperatorRoute } from '../context.ts';
import { wholeAuditRoutes } from './audit.ts';
import { outboxRoutes } from './outbox.ts';
import { peopleRoutes } from './people.ts';
import { priceRoutes } from './prices.ts';
import { providerRoutes } from './providers.ts';
import { shopPageRoutes } from './shop.ts';
import { shopFormRoutes } from './shopForms.ts';
import { shopListRoutes } from './shopList.ts';
import { shopSuppressionRoutes } from './shopSuppressions.ts';
import { platformSuppressionRoutes } from './suppressions.ts';
import { templateRoutes } from './templates.ts';

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
  ...wholeAuditRoutes(context),
];
