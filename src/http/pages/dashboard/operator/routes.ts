import type { DashboardContext, OperatorRoute } from '../context.ts';
import { shopPageRoutes } from './shop.ts';
import { shopFormRoutes } from './shopForms.ts';
import { shopListRoutes } from './shopList.ts';
import { shopSuppressionRoutes } from './shopSuppressions.ts';

/** Every route of the operator's pages. */
export const operatorRoutes = (context: DashboardContext): OperatorRoute[] => [
  ...shopListRoutes(context),
  ...shopPageRoutes(context),
  ...shopFormRoutes(context),
  ...shopSuppressionRoutes(context),
];
