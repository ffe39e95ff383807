import { type DashboardContext, type OperatorRoute, sendDashboardPage } from '../../dashboard/context.ts';
import { providersPage } from './views.tsx';

/** How the providers work, and what the operator has to put right. */
export const providerRoutes = ({ site, operator }: DashboardContext): OperatorRoute[] => [
  {
    method: 'GET',
    path: '/dashboard/operator/providers',
    action: 'operator.pages',
    handle: async (visit, _request, reply) =>
      sendDashboardPage(reply, 200, providersPage({ site, visit, report: await operator.providers() })),
  },
];
